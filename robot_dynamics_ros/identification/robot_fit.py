"""A robot that is fitted to rows: bodies, rotors, and the law of friction of each joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.regression.bodies import LogCholesky
from robot_dynamics_ros.regression.fit import Fit, Prior, fit
from robot_dynamics_ros.regression.rows import Rows

from .friction_law import Friction, JointLaw, chosen_laws, own_names
from .recorded_rows import Flags


class FittedRobot(NamedTuple):
    """A robot that explains rows best, with the laws of friction of its joints."""

    fitted: Fit
    laws: tuple[JointLaw, ...]


@dataclass(frozen=True)
class RobotFit:
    """Fits a robot.

    Attributes:
        model: of the URDF, about which the prior is.
        friction: setting of `Identifier`.
        gains: (n,) joints whose scale is free.
        prior: of shared terms beside the bodies.
    """

    model: RobotModel
    friction: Friction
    gains: Flags
    prior: Prior

    def __call__(self, rows: Rows) -> FittedRobot:
        """Bodies, rotors, and the law of each joint, which is chosen from the whole basis."""
        laws = chosen_laws(rows, self.whole(rows), self.friction)
        free = np.array([[name in law.terms for name in own_names(rows)] for law in laws])
        return FittedRobot(self._fit(rows, free, self.prior, bounded=True), laws)

    def whole(self, rows: Rows, *, bounded: bool = True, prior: Prior | None = None) -> Fit:
        """With the whole basis; without bounds nothing is assumed, and intervals are those of it.

        Args:
            rows: of the regression.
            bounded: whether signs of terms hold.
            prior: other ones of shared terms.
        """
        free = np.ones(rows.own.shape[1:], bool)
        return self._fit(rows, free, {**self.prior, **(prior or {})}, bounded=bounded)

    def _fit(self, rows: Rows, free: Flags, prior: Prior, *, bounded: bool) -> Fit:
        """Rows do not have the rotors of the URDF any more."""
        free[:, [name == 'gain' for name in own_names(rows)]] &= self.gains[:, None]
        rotors = np.array([one.armature for one in self.model.independent_joints])
        bodies, given = LogCholesky(self.model), {'armature': rotors}
        return fit(rows, given=given, prior=prior, bodies=bodies, free=free, bounded=bounded)
