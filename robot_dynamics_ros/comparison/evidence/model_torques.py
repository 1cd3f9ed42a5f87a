"""The torque of a model along a motion, in parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel

from ..compared_model import carriers, compared_model, joints_that_matter
from ..pose_dependence import joints_that_depend

# Samples whose regressors are in memory at the same time.
REGRESSOR_ROWS = 512


class States(Protocol):
    """Positions, velocities and accelerations (N, n), such as a Motion."""

    @property
    def positions(self) -> Array:
        """[rad or m]."""

    @property
    def velocities(self) -> Array:
        """[rad/s or m/s]."""

    @property
    def accelerations(self) -> Array:
        """[rad/s^2 or m/s^2]."""


class ModelTorques:
    """What the joints of a model need for a motion, compiled once.

    Attributes:
        model: whose independent joints are those of the motions, in their order.
        missing: joints that were not recorded, though their position matters.
        locked: all joints that were not recorded.
        dependent: joints of the model whose torque is unknown without those that are missing.
        carrying: joints of the model that carry one that is missing.
        parameters: friction, offsets and rotors in place of those of the description.
    """

    def __init__(
        self,
        model: RobotModel,
        missing: tuple[str, ...] = (),
        locked: tuple[str, ...] = (),
        dependent: tuple[str, ...] = (),
        carrying: tuple[str, ...] = (),
        parameters: JointModel = AS_DESCRIBED,
    ) -> None:
        """Compile nothing yet: that is done when the first motion comes.

        Args:
            model: see `compared_model`.
            missing: see `joints_that_matter`.
            locked: all joints that were not recorded.
            dependent: see `joints_that_depend`.
            carrying: see `carriers`.
            parameters: of the joints of `model`; those of others are left out.
        """
        self.model = parameters.with_rotors(model)
        self.parameters = parameters
        self.missing, self.locked = missing, locked
        self.dependent, self.carrying = dependent, carrying
        self._dynamics = RobotDynamics(self.model)
        self._friction = parameters.friction(self.model)
        self._offsets = parameters.offsets(self.model)

    @classmethod
    def of_joints(
        cls,
        robot: RobotModel,
        recorded: Sequence[str],
        parameters: JointModel = AS_DESCRIBED,
    ) -> ModelTorques:
        """Those of a robot whose other joints are locked.

        Args:
            robot: as it was described.
            recorded: names of joints, in any order.
            parameters: friction, offsets and rotors in place of those of the description.

        Raises:
            ParameterError: the robot has none of them, or the parameters name a joint that it does
                not have.
        """
        parameters.check_joints(robot)
        locked = tuple(name for name in robot.joint_names if name not in recorded)
        missing = joints_that_matter(robot, recorded)
        dependent = joints_that_depend(robot, recorded, missing)
        carrying = carriers(robot, recorded, missing)
        model = compared_model(robot, recorded)
        return cls(model, missing, locked, dependent, carrying, parameters)

    def terms(self, states: States) -> Array:
        """Gravity, Coriolis, inertia, and friction with the offsets, (4, N, n) [N m or N]."""
        q, v, a = states.positions, states.velocities, states.accelerations
        parts = self._dynamics.torque_terms(q, v, a)
        friction = self._friction.torque(v) + self._offsets
        return np.stack([parts[:, 0], parts[:, 1], parts[:, 2], friction])

    def load(self, body: int, q: Array, v: Array, a: Array) -> Array:
        """Columns of the regressor for the inertial parameters of one body, (N, n, 10).

        Args:
            body: index in `model.joints`.
            q: (N, n) positions [rad or m].
            v: (N, n) velocities [rad/s or m/s].
            a: (N, n) accelerations [rad/s^2 or m/s^2].
        """
        columns = np.empty((len(q), self.model.size, 10))
        for first in range(0, len(q), REGRESSOR_ROWS):
            rows = slice(first, first + REGRESSOR_ROWS)
            regressor = self._dynamics.regressor(q[rows], v[rows], a[rows])
            columns[rows] = regressor[:, :, 10 * body : 10 * body + 10]
        return columns
