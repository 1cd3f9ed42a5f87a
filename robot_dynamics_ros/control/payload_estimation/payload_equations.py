"""From a motion and its torques to the equations of a payload."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.friction import SLIDING_BAND, TURNING_BAND, smooth_sign
from robot_dynamics_ros.core.model.robot import RobotModel

from .joint_sums import Equations
from .payload_regressor import PayloadRegressor

# Friction parameters of each joint: torque offset, Coulomb and viscous friction, each beside what
# the reference has already.
FRICTION = 3


@dataclass(frozen=True)
class FilteredMotion:
    """Samples of a motion, each of all values through the same low pass.

    Attributes:
        q: (N, n) positions [rad or m].
        v: (N, n) velocities [rad/s or m/s].
        a: (N, n) accelerations [rad/s^2 or m/s^2].
        efforts: (N, n) measured; NaN where not [N m or N].
        reach: time to both sides that has an influence on a sample [s].
    """

    q: Array
    v: Array
    a: Array
    efforts: Array
    reach: float

    @classmethod
    def joined(cls, parts: Sequence[FilteredMotion]) -> FilteredMotion:
        """All samples of some motions; the reach is the longest."""
        q, v, a, efforts = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ('q', 'v', 'a', 'efforts')
        )
        return cls(q, v, a, efforts, max(part.reach for part in parts))


class PayloadEquations:
    """Writes the torque that a reference leaves open as that of a payload and of friction.

    tau - tau_0 = Y pi + s g_0 + offset + F_s s(v) + F_v v + e, with tau_0 and g_0 the torque and
    the gravity torque of the reference. The share s is zero, unless the driver has taken gravity
    out of what it measures, or the unit is wrong: then it is -1 or nearly so.

    Samples of a joint around a reversal are not used: friction is not that of sliding there.

    Attributes:
        joints: names of the joints whose torque the payload changes.
        rows: (r,) their indices in the order of the model.
    """

    def __init__(self, model: RobotModel, frame: str) -> None:
        """For a payload on one link.

        Args:
            model: of the robot; its payloads do not matter.
            frame: name of the link.

        Raises:
            UnknownNameError: no link has that name.
            ParameterError: no joint moves the link.
        """
        self.regressor = PayloadRegressor(model, frame)
        self.rows = self.regressor.rows
        self.joints = tuple(model.joint_names[index] for index in self.rows)
        kinds = [model.independent_joints[index].kind for index in self.rows]
        self._slow = np.where(np.array(kinds) == 'prismatic', SLIDING_BAND, TURNING_BAND)

    def of(
        self, motion: FilteredMotion, reference: Array, gravity_torque: Array, gravity: Array
    ) -> Equations:
        """The equations of a motion; wanted are the ten of the payload, and the share s.

        Args:
            motion: N samples.
            reference: (N, n) torque without the payload, with known friction [N m or N].
            gravity_torque: (N, n) the gravity torque that is part of it [N m or N].
            gravity: (3,) in the root link [m/s^2].
        """
        rows = self.rows
        payload = self.regressor(motion.q, motion.v, motion.a, gravity)
        wanted = np.concatenate([payload, gravity_torque[:, rows, None]], axis=2)
        torque = (motion.efforts - reference)[:, rows]
        used = np.isfinite(torque) & self.sliding(motion)
        own = friction_columns(motion.v[:, rows])
        return Equations(wanted, own, np.where(used, torque, 0.0), used)

    def sliding(self, motion: FilteredMotion) -> Array:
        """(N, r) bool: whether a joint moves one way in all that has an influence on a sample."""
        v, a = motion.v[:, self.rows], motion.a[:, self.rows]
        return np.asarray(np.abs(v) > self._slow + motion.reach * np.abs(a))


def friction_columns(v: Array) -> Array:
    """Coefficients (N, r, 3) of offset, Coulomb and viscous friction at velocities (N, r)."""
    return np.stack([np.ones_like(v), smooth_sign(v), v], axis=2)
