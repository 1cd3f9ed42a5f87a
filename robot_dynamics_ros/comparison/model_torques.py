"""The torque of a model along a motion, in parts."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np

from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel
from robot_dynamics_ros.recordings import Motion

from .recorded_joints import compared_model, joints_that_depend, joints_that_matter


class ModelTorques:
    """What the recorded joints of a robot need for a motion; the other joints are locked.

    Attributes:
        model: whose independent joints are those of the motions, in their order.
        locked: all joints that were not recorded.
        missing: those of them whose position matters, see `joints_that_matter`.
        dependent: joints of the model whose torque is unknown without those that are missing.
        parameters: friction, offsets and rotors in place of those of the URDF.
        gravity: (3,) in the axes of the root link [m/s^2].
        dynamics: of the model, under this gravity.
        carrying: the same, with what the model lacks.
    """

    def __init__(
        self,
        robot: RobotModel,
        recorded: Sequence[str],
        parameters: JointModel = AS_DESCRIBED,
        gravity: Sequence[float] = STANDARD_GRAVITY,
    ) -> None:
        """Compile nothing yet: that is done when the first motion comes.

        Args:
            robot: the whole one.
            recorded: names of joints, in any order.
            parameters: friction, offsets and rotors in place of those of the URDF.
            gravity: (3,) in the axes of the root link [m/s^2].

        Raises:
            ParameterError: the robot has none of them, or the parameters name a joint that it does
                not have.
        """
        parameters.check_joints(robot)
        self.parameters = parameters
        self.locked = tuple(name for name in robot.joint_names if name not in recorded)
        self.missing = joints_that_matter(robot, recorded)
        self.dependent = joints_that_depend(robot, recorded, self.missing, gravity)
        self.model = parameters.with_rotors(compared_model(robot, recorded))
        self.gravity = np.array(gravity, float)
        self.dynamics = self.carrying = RobotDynamics(self.model, gravity=gravity)
        self._friction = parameters.friction(self.model)
        self._slips = self._friction.slips()
        self._gives = any(self._friction[f'presliding{way}'].any() for way in ('', '_long'))
        self._offsets = parameters.offsets(self.model)

    def under(self, gravity: Array, lacking: Array) -> ModelTorques:
        """The same under another gravity (3,) [m/s^2], with parameters that the model lacks."""
        other = copy(self)
        other.gravity, other.dynamics = gravity, self.dynamics.with_gravity(gravity)
        parameters = self.model.inertial_parameters() + lacking
        carrying = self.model.with_inertial_parameters(parameters, physical=False)
        other.carrying = other.dynamics.with_model(carrying)
        return other

    def terms(self, motion: Motion) -> Array:
        """Gravity, Coriolis, inertia, and friction with the offsets, (4, N, n) [N m or N]."""
        q, v, a = motion.positions, motion.velocities, motion.accelerations
        parts = self.dynamics.torque_terms(q, v, a)
        slips = None
        if self._gives:
            self._slips = self._friction.slips() if motion.begins else self._slips
            slips = self._slips.along(q)
        load = parts.sum(axis=1) - self._friction.rotors * a
        friction = self._friction.torque(v, load=load, slips=slips) + self._offsets
        return np.stack([parts[:, 0], parts[:, 1], parts[:, 2], friction])
