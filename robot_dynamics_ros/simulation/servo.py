"""The position servo of a drive."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = NDArray[np.float64]


class JointServo:
    """A PD servo per joint: tau = kp (q_r - q) + kd (v_r - v).

    Like the drive of a real joint it has no model of the arm, so that gravity and inertia cause
    tracking errors.
    """

    def __init__(self, kp: ArrayLike, kd: ArrayLike, size: int) -> None:
        """Use gains kp [N m/rad] and kd [N m s/rad], one per joint or one for all.

        Raises:
            ValueError: they are negative or not finite, or their number is wrong.
        """
        self.kp = _gain('kp', kp, size)
        self.kd = _gain('kd', kd, size)

    @classmethod
    def tuned(cls, inertia: Vector, bandwidth: float, damping_ratio: float = 1.0) -> JointServo:
        """Tune each joint for its inertia, as in commissioning.

        kp = I w^2 and kd = 2 z I w, with w = 2 pi bandwidth.

        Args:
            inertia: of each joint, (n,) [kg m^2].
            bandwidth: of the closed loop [Hz].
            damping_ratio: z; 1 is critically damped [-].
        """
        if not (math.isfinite(bandwidth) and bandwidth > 0 and damping_ratio > 0):
            raise ValueError(f'{bandwidth=}, {damping_ratio=}: both must be > 0 and finite')
        omega = 2.0 * math.pi * bandwidth
        return cls(inertia * omega**2, 2.0 * damping_ratio * inertia * omega, len(inertia))

    def torque(self, q: Vector, v: Vector, q_reference: Vector, v_reference: Vector) -> Vector:
        """The torque that is added to the commanded one, (n,) [N m or N]."""
        return self.kp * (q_reference - q) + self.kd * (v_reference - v)


def _gain(name: str, value: ArrayLike, size: int) -> Vector:
    gain = np.atleast_1d(np.asarray(value, dtype=float))
    if gain.shape not in ((1,), (size,)) or not np.isfinite(gain).all() or (gain < 0).any():
        raise ValueError(f'{name} is {gain.tolist()}: allowed is one number >= 0, or {size}')
    return np.broadcast_to(gain, (size,)).copy()
