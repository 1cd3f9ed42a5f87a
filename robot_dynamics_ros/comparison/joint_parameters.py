"""Friction, constant torques and rotors of joints in place of those of the description."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core import JointFriction, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.friction import SMOOTHING

# Values by the name of the joint, as pairs: hashable, and plain data for other processes.
ByJoint = tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class JointParameters:
    """What a parameter file says of joints, as `dynamics_node` uses it; plain data.

    Joints without a value have that of the description; without one in the negative direction,
    that of the positive one.

    Attributes:
        viscous: at positive velocity [N m s/rad or N s/m].
        coulomb: at positive velocity [N m or N].
        viscous_negative: at negative velocity [N m s/rad or N s/m].
        coulomb_negative: at negative velocity, not negative itself [N m or N].
        torque_offset: constant torque [N m or N].
        armature: rotor inertia at the joint [kg m^2 or kg].
        smoothing: v_0 of the friction law [rad/s or m/s].
        smoothings: v_0 of joints where it is not `smoothing` [rad/s or m/s].
    """

    viscous: ByJoint = ()
    coulomb: ByJoint = ()
    viscous_negative: ByJoint = ()
    coulomb_negative: ByJoint = ()
    torque_offset: ByJoint = ()
    armature: ByJoint = ()
    smoothing: float = SMOOTHING
    smoothings: ByJoint = ()

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of all joints with a value."""
        pairs = (
            self.viscous, self.coulomb, self.viscous_negative, self.coulomb_negative,
            self.torque_offset, self.armature, self.smoothings,
        )  # fmt: skip
        return tuple(dict.fromkeys(name for each in pairs for name, _ in each))

    def check_joints(self, robot: RobotModel) -> None:
        """Check that the whole robot has all these joints, and that none of them mimics another.

        Raises:
            ParameterError: it has no such independent joint.
        """
        for name in self.joints:
            if name not in robot.joint_names:
                raise ParameterError(
                    f'the parameters name joint {name!r}, the robot {robot.name} has '
                    f'{", ".join(robot.joint_names)}: take the parameters of this robot'
                )

    def with_rotors(self, model: RobotModel) -> RobotModel:
        """The model with these rotors; values of joints that it does not have are left out."""
        armature = _of(model, self.armature)
        return model.with_armature(armature) if armature else model

    def friction(self, model: RobotModel) -> JointFriction:
        """The friction of the joints of a model."""
        common = {joint.name: self.smoothing for joint in model.joints}
        return JointFriction(
            model,
            viscous=_of(model, self.viscous),
            coulomb=_of(model, self.coulomb),
            viscous_negative=_of(model, self.viscous_negative),
            coulomb_negative=_of(model, self.coulomb_negative),
            smoothing={**common, **_of(model, self.smoothings)},
        )

    def offsets(self, model: RobotModel) -> Array:
        """The constant torques (n,) of the independent joints of a model [N m or N]."""
        given = dict(self.torque_offset)
        return np.array([given.get(name, 0.0) for name in model.joint_names])


def _of(model: RobotModel, pairs: ByJoint) -> dict[str, float]:
    """Values of the joints that a model has: others were not recorded."""
    return {name: value for name, value in pairs if name in model.joint_names}


AS_DESCRIBED = JointParameters()
