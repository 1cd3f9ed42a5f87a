"""The parameters of a node: declared, checked, and read as what they configure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node

from robot_dynamics_ros.control.guards.settings import GuardSettings, per_joint
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.friction import JointFriction
from robot_dynamics_ros.core.model.robot import RobotModel

from .table import ROWS, TABLE, Row

# What a value may be, by the type of the default. A whole number will do for a float.
KINDS: dict[type, tuple[str, type | tuple[type, ...]]] = {
    bool: ('a bool', bool),
    int: ('an integer', int),
    float: ('a number', (int, float)),
    str: ('a string', str),
}


def declare(node: Node) -> None:
    """Declare every row.

    Types are left open, and checked by `checked`: a wrong one in a parameter file then makes the
    node refuse to configure, with the reason, where rclpy would end the process.
    """
    for row in TABLE:
        description = row.description if row.live else f'{row.description}. Read on configure'
        descriptor = ParameterDescriptor(description=description, dynamic_typing=True)
        node.declare_parameter(row.name, row.default, descriptor)


def checked(name: str, value: Any) -> Any:
    """The value of a parameter, lists as lists without empty strings.

    Raises:
        RobotDynamicsError: it has the wrong type, or is not allowed.
    """
    row = ROWS[name]
    if row.entry is not None:
        value = _checked_list(row, row.entry, value)
    else:
        value = _checked_kind(name, value, type(row.default))
    if row.check is not None:
        row.check(value)
    return value


def read(node: Node, changes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Every parameter, checked, with these changes.

    Raises:
        RobotDynamicsError: one has the wrong type, or is not allowed.
    """
    changes = changes or {}
    return {
        row.name: checked(row.name, changes.get(row.name, node.get_parameter(row.name).value))
        for row in TABLE
    }


def guard_settings(values: Mapping[str, Any]) -> GuardSettings:
    """What the guards go by."""
    chosen = {field.name: values[field.name] for field in fields(GuardSettings)}
    return GuardSettings(
        **{name: tuple(v) if isinstance(v, list) else v for name, v in chosen.items()}
    )


def friction(values: Mapping[str, Any], model: RobotModel, joints: Iterable[str]) -> JointFriction:
    """The friction of the joints.

    Raises:
        ParameterError: the number of values is not that of the commanded joints.
    """
    return JointFriction(
        model,
        viscous=by_joint('friction_viscous', values, joints),
        coulomb=by_joint('friction_coulomb', values, joints),
        smoothing=values['friction_smoothing'],
    )


def by_joint(name: str, values: Mapping[str, Any], joints: Iterable[str]) -> dict[str, float]:
    """A parameter with one value for each commanded joint, by joint; none if it is empty.

    Raises:
        ParameterError: the number of values is not that of the joints.
    """
    names = tuple(joints)
    given = per_joint(name, values[name], names)
    return {} if given is None else dict(zip(names, given.tolist(), strict=True))


def unknown(node: Node) -> str:
    """Parameters that were given to the node and are none of its own, and what may be meant."""
    # rclpy keeps them for the declarations, and has no public way to ask.
    given = getattr(node, '_parameter_overrides', {})
    words = []
    for name in sorted(name for name in given if not node.has_parameter(name)):
        near = get_close_matches(name, ROWS, n=1)
        words.append(f'{name} (did you mean {near[0]}?)' if near else name)
    return ', '.join(words)


def _checked_list(row: Row, kind: type, value: Any) -> list[Any]:
    # An empty list in a parameter file arrives as None.
    if value is None:
        value = []
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ParameterError(f'{row.name} is {value!r}, a list is needed')
    return [_checked_kind(f'{row.name}: entry', e, kind) for e in value if e != '']


def _checked_kind(name: str, value: Any, kind: type) -> Any:
    words, allowed = KINDS[kind]
    # In Python a bool is an integer, in ROS it is not.
    if not isinstance(value, allowed) or (isinstance(value, bool) and kind is not bool):
        raise ParameterError(f'{name} is {value!r}, {words} is needed')
    return value
