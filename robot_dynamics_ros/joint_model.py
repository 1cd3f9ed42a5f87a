"""What a URDF cannot say of joints: friction of each direction, offsets, rotors; friction.yaml.

`robot_dynamics identify` writes the file, `dynamics_node` takes it as parameter `joint_model`, and
other subcommands with `--parameters`::

    joints:
      shoulder: {viscous: 1.2, coulomb: 4.0, torque_offset: 0.2, armature: 0.9}
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from robot_dynamics_ros.core import JointFriction, RobotModel
from robot_dynamics_ros.core.algorithms.friction import CONSTANTS, KINDS
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.parameter_yaml import errors_in, finite_number, read_yaml, values_by_joint

# Values by the name of the joint, as pairs: hashable, and plain data for other processes.
ByJoint = tuple[tuple[str, float], ...]
# Of dynamics_node: the path of a file.
PARAMETER = 'joint_model'
# What is known of the friction beside its values: the largest speed at which it was identified
# [rad/s or m/s], else the velocity limit; lower ends of intervals, else the value itself.
SAFE = ('max_velocity', 'viscous_lower', 'viscous_negative_lower')
# Of the file; with the constant torque [N m or N], and the rotor at the joint [kg m^2 or kg].
KEYS = (*KINDS, 'torque_offset', 'armature', *SAFE)


@dataclass(frozen=True, init=False)
class JointModel:
    """Values of joints in place of those of the URDF, by `KEYS`.

    Terms and constants of friction are those of `core.algorithms.friction`, which has their
    units. Joints without a value have that of the URDF; without one in the negative direction,
    that of the positive one.
    """

    values: tuple[tuple[str, ByJoint], ...]

    def __init__(self, **values: ByJoint) -> None:
        """Take values of joints by key, such as `viscous=(('elbow', 0.3),)`."""
        object.__setattr__(self, 'values', tuple(values.items()))

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of all joints with a value."""
        return tuple(dict.fromkeys(name for _, values in self.values for name, _ in values))

    def check_joints(self, robot: RobotModel, needed: Collection[str] = ()) -> None:
        """Check that these are independent joints of a whole robot, and that none is missing.

        Raises:
            ParameterError: one is not, or one that is `needed` has no value.
        """
        if unknown := [name for name in self.joints if name not in robot.joint_names]:
            has = ', '.join(robot.joint_names)
            raise ParameterError(
                f'joint model: joint {unknown[0]!r}, but robot {robot.name} has {has}'
            )
        if missing := [name for name in needed if name not in self.joints]:
            has = ', '.join(self.joints)
            raise ParameterError(f'no values of {", ".join(missing)}: the joint model has {has}')

    def with_rotors(self, model: RobotModel) -> RobotModel:
        """The model with these rotors."""
        armature = self._of(model, 'armature')
        return model.with_armature(armature) if armature else model

    def friction(self, model: RobotModel) -> JointFriction:
        """The friction of the joints of a model."""
        return JointFriction(model, **{key: self._of(model, key) for key in (*KINDS, *SAFE)})

    def offsets(self, model: RobotModel) -> Array:
        """The constant torques (n,) of the independent joints of a model [N m or N]."""
        given = self._of(model, 'torque_offset')
        return np.array([given.get(name, 0.0) for name in model.joint_names])

    def _of(self, model: RobotModel, key: str) -> dict[str, float]:
        """Values of the joints that a model has: others were not recorded."""
        values = dict(self.values).get(key, ())
        return {name: value for name, value in values if name in model.joint_names}


AS_DESCRIBED = JointModel()


def read_joint_model(file: Path) -> JointModel:
    """What friction.yaml says of joints.

    Raises:
        ParameterError: the file cannot be read, is another one, or a value cannot be meant.
    """
    content, found = read_yaml(file), dict[str, ByJoint]()
    with errors_in(file):
        kind = 'friction.yaml of robot_dynamics identify'
        for joint, values in values_by_joint(content, kind).items():
            for key, value in values.items():
                found[key] = *found.get(key, ()), (joint, _number(joint, key, value))
    return JointModel(**found)


def _number(joint: str, key: str, value: object) -> float:
    if key not in KEYS:
        raise ParameterError(f'joint {joint} has {key!r}, allowed are {", ".join(KEYS)}')
    number = finite_number(f'{key} of {joint}', value)
    if number <= 0.0 if key in CONSTANTS else number < 0.0 and key != 'torque_offset':
        must = 'be above 0' if key in CONSTANTS else 'not be negative'
        raise ParameterError(f'{key} of {joint} is {number:g}, it must {must}')
    return number
