"""What a URDF cannot say of joints: friction of each direction, offsets, rotors; friction.yaml.

`robot_dynamics identify` writes the file, `dynamics_node` takes it as parameter `joint_model`, and
other subcommands with `--parameters`::

    joints:
      shoulder: {viscous: 1.2, coulomb: 4.0, viscous_negative: 1.3, coulomb_negative: 4.1,
                 load: 0.05, presliding: 2.0, displacement: 0.03,
                 torque_offset: 0.2, armature: 0.9, smoothing: 0.02, max_velocity: 1.5,
                 viscous_lower: 1.1, viscous_negative_lower: 1.2}
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from robot_dynamics_ros.core import JointFriction, RobotModel
from robot_dynamics_ros.core.algorithms.friction import CONSTANTS, KINDS
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.parameter_yaml import (
    errors_in,
    finite_number,
    node_parameters,
    parameter_blocks,
    read_yaml,
    values_by_joint,
)

# Values by the name of the joint, as pairs: hashable, and plain data for other processes.
ByJoint = tuple[tuple[str, float], ...]
# Of dynamics_node: the path of a file.
PARAMETER = 'joint_model'
KIND = 'friction.yaml of robot_dynamics identify, or parameters of dynamics_node,'


@dataclass(frozen=True)
class JointModel:
    """Values of joints in place of those of the URDF; the fields are the keys of the file.

    Joints without a value have that of the URDF; without one in the negative direction,
    that of the positive one. The terms of friction: `core.algorithms.friction`.

    Attributes:
        viscous: at positive velocity [N m s/rad or N s/m].
        coulomb: at positive velocity [N m or N].
        viscous_negative: at negative velocity [N m s/rad or N s/m].
        coulomb_negative: at negative velocity, not negative itself [N m or N].
        gradual: Coulomb friction that is full at higher speeds only [N m or N].
        stribeck: additional friction at slow speeds [N m or N].
        load: share of the transmitted torque [-].
        presliding: friction that a contact builds up after a reversal [N m or N].
        presliding_long: the same over a longer way [N m or N].
        smoothing: v_0 of Coulomb friction [rad/s or m/s].
        gradual_smoothing: v_0 of `gradual` [rad/s or m/s].
        stribeck_velocity: at which `stribeck` has fallen to a half [rad/s or m/s].
        displacement: way over which `presliding` builds up [rad or m].
        displacement_long: that of `presliding_long` [rad or m].
        torque_offset: constant torque [N m or N].
        armature: rotor inertia at the joint [kg m^2 or kg].
        max_velocity: largest speed at which the friction is known [rad/s or m/s]; without a value
            the velocity limit.
        viscous_lower: least value that `viscous` may have [N m s/rad or N s/m]; without a value
            `viscous` itself.
        viscous_negative_lower: that of `viscous_negative`.
    """

    viscous: ByJoint = ()
    coulomb: ByJoint = ()
    viscous_negative: ByJoint = ()
    coulomb_negative: ByJoint = ()
    gradual: ByJoint = ()
    stribeck: ByJoint = ()
    load: ByJoint = ()
    presliding: ByJoint = ()
    presliding_long: ByJoint = ()
    smoothing: ByJoint = ()
    gradual_smoothing: ByJoint = ()
    stribeck_velocity: ByJoint = ()
    displacement: ByJoint = ()
    displacement_long: ByJoint = ()
    torque_offset: ByJoint = ()
    armature: ByJoint = ()
    max_velocity: ByJoint = ()
    viscous_lower: ByJoint = ()
    viscous_negative_lower: ByJoint = ()

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of all joints with a value."""
        return tuple(dict.fromkeys(name for key in KEYS for name, _ in getattr(self, key)))

    def check_joints(self, robot: RobotModel, needed: Collection[str] = ()) -> None:
        """Check that these are joints of a robot.

        Args:
            robot: the whole robot; a joint that mimics another one has no values of its own.
            needed: joints that must be there.

        Raises:
            ParameterError: it has no such independent joint, or one that is needed has no value.
        """
        for name in self.joints:
            if name not in robot.joint_names:
                raise ParameterError(
                    f'the joint model names joint {name!r}, the robot {robot.name} has '
                    f'{", ".join(robot.joint_names)}: take the file of this robot'
                )
        if missing := [name for name in needed if name not in self.joints]:
            raise ParameterError(
                f'the joint model has no values of {", ".join(missing)}, it has '
                f'{", ".join(self.joints)}: give values of each commanded joint'
            )

    def with_rotors(self, model: RobotModel) -> RobotModel:
        """The model with these rotors; values of joints that it does not have are left out."""
        armature = _of(model, self.armature)
        return model.with_armature(armature) if armature else model

    def friction(self, model: RobotModel) -> JointFriction:
        """The friction of the joints of a model."""
        return JointFriction(
            model, **{kind: _of(model, getattr(self, kind)) for kind in (*KINDS, *SAFE)}
        )

    def offsets(self, model: RobotModel) -> Array:
        """The constant torques (n,) of the independent joints of a model [N m or N]."""
        given = dict(self.torque_offset)
        return np.array([given.get(name, 0.0) for name in model.joint_names])


# What is known of the friction beside its values.
SAFE = ('max_velocity', 'viscous_lower', 'viscous_negative_lower')
KEYS = tuple(field.name for field in fields(JointModel))
AS_DESCRIBED = JointModel()


def _of(model: RobotModel, pairs: ByJoint) -> dict[str, float]:
    """Values of the joints that a model has: others were not recorded."""
    return {name: value for name, value in pairs if name in model.joint_names}


def read_joint_model(file: Path) -> JointModel:
    """What a file says of joints.

    Args:
        file: friction.yaml, or parameters of dynamics_node with `joint_model`, whose path is
            relative to this file.

    Raises:
        ParameterError: the file cannot be read, is neither, or a value cannot be meant.
    """
    content = read_yaml(file)
    if blocks := parameter_blocks(content):
        with errors_in(file):
            named = node_parameters(blocks, [PARAMETER]).get(PARAMETER)
            if not isinstance(named, str) or not named:
                raise ParameterError(f'{PARAMETER} is {named!r}, the path of a file is needed')
        content = read_yaml(file := file.parent / named)
    found: dict[str, list[tuple[str, float]]] = {key: [] for key in KEYS}
    with errors_in(file):
        for joint, values in values_by_joint(content, KIND).items():
            for key, value in values.items():
                if key not in KEYS:
                    allowed = ', '.join(KEYS)
                    raise ParameterError(f'joint {joint} has {key!r}, allowed are {allowed}')
                found[key].append((joint, _number(f'{key} of {joint}', key, value)))
    return JointModel(**{key: tuple(pairs) for key, pairs in found.items()})


def _number(name: str, key: str, value: object) -> float:
    number = finite_number(name, value)
    if number < 0.0 and key != 'torque_offset':
        raise ParameterError(f'{name} is {number:g}, it must not be negative')
    if number == 0.0 and key in CONSTANTS:
        raise ParameterError(f'{name} is {number:g}, it must be above 0')
    return number
