"""A robot that is fitted to rows, and how well it predicts blocks of time that it has not seen.

>>> fitted = fitted_robot(rows, model, 'auto')
>>> prediction = cross_validated(rows, model, 'auto')
>>> prediction.residual_ratio(rows)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.regression.bodies import LogCholesky
from robot_dynamics_ros.regression.fit import Fit, fit
from robot_dynamics_ros.regression.intervals import BLOCK
from robot_dynamics_ros.regression.rows import Rows

from .friction_law import Friction, JointLaw, chosen_laws, node_friction, terms_of_laws

Flags = npt.NDArray[np.bool_]
# Blocks of time, each predicted by the others.
BLOCKS = 4


@dataclass(frozen=True, eq=False)
class FittedRobot:
    """A robot that explains rows best.

    Attributes:
        fitted: with the laws of the joints.
        whole: with the whole basis and any sign: what is not assumed. Intervals are of this fit.
        laws: of friction, of each joint.
    """

    fitted: Fit
    whole: Fit
    laws: Sequence[JointLaw]

    def kinds(self, model: RobotModel) -> Mapping[str, Array]:
        """Friction (n,) by the names of `core.algorithms.friction.KINDS`."""
        return node_friction(model, self.fitted, self.laws)


def fitted_robot(rows: Rows, model: RobotModel, friction: Friction) -> FittedRobot:
    """Bodies, rotors and friction of rows.

    Args:
        rows: with the terms `bodies`, `armature` and those of `friction_terms`.
        model: of the URDF, about which the prior is.
        friction: setting of `Identifier`.
    """
    bodies = LogCholesky(model)
    given = {'armature': np.array([one.armature for one in model.independent_joints])}
    laws = chosen_laws(rows, fit(rows, given=given, bodies=bodies), friction)
    free = terms_of_laws(rows, laws)
    fitted = fit(rows, given=given, bodies=bodies, free=free)
    return FittedRobot(fitted, fit(rows, bodies=bodies, bounded=False), laws)


@dataclass(frozen=True, eq=False)
class Prediction:
    """Torques of models that have not seen what they predict.

    Attributes:
        blocks: (N,) of the time, from 0 on.
        torque: (N, r) beside that of the URDF's bodies [N m or N].
        alone: (N, r) the same by a model of the own block alone.
    """

    blocks: npt.NDArray[np.int_]
    torque: Array
    alone: Array

    def residuals(self, rows: Rows) -> Array:
        """Measured minus predicted torque (N, r); NaN where a joint rests."""
        return np.where(rows.moving, rows.torque - self.torque, np.nan)

    def worse(self, rows: Rows) -> Array:
        """Times what a model of a block alone leaves, by block and joint (b, r).

        About one where one robot explains all blocks; far above it in a block in which the robot
        was another: it had gripped a payload, or had warmed up.
        """
        found = []
        for block in range(int(self.blocks.max()) + 1):
            own = rows.moving & (self.blocks == block)[:, None]
            left = [
                np.sqrt((own * (rows.torque - one) ** 2).sum(axis=0))
                for one in (self.torque, self.alone)
            ]
            found.append(left[0] / np.where(left[1] > 0.0, left[1], np.inf))
        return np.array(found)


def cross_validated(rows: Rows, model: RobotModel, friction: Friction) -> Prediction:
    """Each of `BLOCKS` blocks of time predicted by a robot that is fitted to the others.

    Between a block and what is fitted lies a second that is neither: what friction or the model
    lacks is alike for neighbours.
    """
    blocks = np.arange(len(rows.times)) * BLOCKS // max(1, len(rows.times))
    torque, alone = np.zeros_like(rows.torque), np.zeros_like(rows.torque)
    for block in range(BLOCKS):
        own = blocks == block
        near = np.zeros_like(own)
        if own.any():
            begin, end = rows.times[own][[0, -1]]
            near = (rows.times > begin - BLOCK) & (rows.times < end + BLOCK)
        part = rows.part(own)
        torque[own] = fitted_robot(rows.part(~near), model, friction).fitted.predicted(part)
        alone[own] = fit(part, bodies=LogCholesky(model)).predicted(part)
    return Prediction(blocks, torque, alone)
