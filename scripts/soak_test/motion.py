"""How the robot moves meanwhile: smoothly, within its limits, never twice the same."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.core.model.tree import Joint

Array = NDArray[np.float64]

# Of each joint: two sines, about a pose in which the UR5's arm is stretched half.
CENTRE = (0.3, -1.2, 1.0, -0.6, 0.5, 0.2)
AMPLITUDES = (0.25, 0.15)  # [rad]
FREQUENCIES = (0.05, 0.3)  # from, to [Hz]
# Share of a joint's range and speed that the motion may use.
SHARE = 0.8


class Motion:
    """q(t), v(t) and a(t) of every joint."""

    def __init__(self, joints: Sequence[Joint], rng: np.random.Generator) -> None:
        """Choose frequencies and phases.

        Raises:
            ValueError: a joint cannot move like that.
        """
        size = len(joints)
        self._centre = np.array([CENTRE[i % len(CENTRE)] for i in range(size)])
        self._amplitude = np.array(AMPLITUDES)[:, None]
        self._omega = 2 * math.pi * rng.uniform(*FREQUENCIES, size=(len(AMPLITUDES), size))
        self._phase = rng.uniform(0.0, 2 * math.pi, size=(len(AMPLITUDES), size))
        reach, speed = sum(AMPLITUDES), (self._amplitude * self._omega).sum(axis=0)
        for joint, centre, fastest in zip(joints, self._centre, speed, strict=True):
            lower, upper = SHARE * joint.limits.lower, SHARE * joint.limits.upper
            if not (lower <= centre - reach and centre + reach <= upper):
                raise ValueError(f'{joint.name} does not reach {centre:g} +- {reach:g}')
            if fastest > SHARE * joint.limits.velocity:
                raise ValueError(f'{joint.name} is too slow: {joint.limits.velocity:g}')

    def at(self, time: float) -> tuple[Array, Array, Array]:
        """q, v and a (n,) [rad, rad/s, rad/s^2] at a time [s]."""
        angle = self._omega * time + self._phase
        sine, cosine = self._amplitude * np.sin(angle), self._amplitude * np.cos(angle)
        q = self._centre + sine.sum(axis=0)
        v = (self._omega * cosine).sum(axis=0)
        a = -(self._omega**2 * sine).sum(axis=0)
        return q, v, a
