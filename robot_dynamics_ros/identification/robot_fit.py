"""A robot that is fitted to rows: bodies, rotors, and the law of friction of each joint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.regression.bodies import LogCholesky
from robot_dynamics_ros.regression.fit import Fit, Prior, fit
from robot_dynamics_ros.regression.rows import Rows

from .friction_law import Friction, JointLaw, chosen_laws, terms_of_laws
from .recorded_rows import Flags


@dataclass(frozen=True, eq=False)
class FittedRobot:
    """A robot that explains rows best.

    Attributes:
        fitted: with the laws of the joints.
        laws: of friction, of each joint.
    """

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
        laws = tuple(chosen_laws(rows, self.whole(rows), self.friction))
        free = self._gains(rows, terms_of_laws(rows, laws))
        bodies = LogCholesky(self.model)
        found = fit(rows, given=self.given(rows), prior=self.prior, bodies=bodies, free=free)
        return FittedRobot(found, laws)

    def whole(self, rows: Rows, *, bounded: bool = True, prior: Prior | None = None) -> Fit:
        """With the whole basis; without bounds nothing is assumed, and intervals are those of it.

        Args:
            rows: of the regression.
            bounded: whether signs of terms hold.
            prior: other ones of shared terms.
        """
        own = [term for term, _ in rows.terms if not term.shared]
        free = self._gains(rows, np.ones((self.model.size, len(own)), bool))
        return fit(
            rows, given=self.given(rows), prior={**self.prior, **(prior or {})},
            bodies=LogCholesky(self.model), free=free, bounded=bounded,
        )  # fmt: skip

    def given(self, rows: Rows) -> Mapping[str, Array]:
        """The rotors of the URDF, which the rows do not have any more."""
        rotors = np.array([one.armature for one in self.model.independent_joints])
        has = any(term.name == 'armature' for term, _ in rows.terms)
        return {'armature': rotors} if has else {}

    def _gains(self, rows: Rows, free: Flags) -> Flags:
        names = [term.name for term, _ in rows.terms if not term.shared]
        if 'gain' in names:
            free[:, names.index('gain')] = self.gains
        return free
