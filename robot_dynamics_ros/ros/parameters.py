"""Every parameter of the node: one row each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node

from robot_dynamics_ros.core.checks import checked_vector
from robot_dynamics_ros.core.dynamics import STANDARD_GRAVITY
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.feedforward import EVALUATION_POINTS, TERMS, check_choices

Check = Callable[[Any], None]


def _each_of(name: str, allowed: Sequence[str] | None = None) -> Check:
    return lambda value: check_choices(name, value, allowed)


def _one_of(name: str, allowed: Sequence[str]) -> Check:
    return lambda value: check_choices(name, [value], allowed)


def _at_least(name: str, least: float) -> Check:
    def check(value: float) -> None:
        if not value >= least:
            raise ParameterError(f'{name} is {value}, it must be at least {least}')

    return check


# The comparison takes some 0.3 ms a sample, and holds up the other services meanwhile.
MOST_SAMPLES = 1000


def check_sample_count(name: str, count: int) -> None:
    """Whether that many samples can be compared while others wait.

    Raises:
        ParameterError: they cannot.
    """
    if not 1 <= count <= MOST_SAMPLES:
        raise ParameterError(f'{name} is {count}, allowed are 1 to {MOST_SAMPLES}')


@dataclass(frozen=True)
class Row:
    """A parameter.

    Attributes:
        name: of the parameter.
        default: its type is the type of the parameter.
        description: with the unit.
        live: whether a change takes effect at once; else only on configure.
        check: raises RobotDynamicsError if a value is not allowed.
    """

    name: str
    default: Any
    description: str
    live: bool = False
    check: Check | None = None


TABLE = (
    Row('robot_description', '', 'URDF of the robot; if empty, topic robot_description gives it'),
    Row('autostart', True, 'configure and activate as soon as there is a description'),
    Row(
        'joints',
        [''],
        'joints to command, in the order of ~/commands; empty: all, in the order of the URDF',
        check=_each_of('joints'),
    ),
    Row(
        'terms',
        list(TERMS),
        'parts of the torque to command: gravity, coriolis, inertial; leave out what the driver '
        'adds itself',
        live=True,
        check=_each_of('terms', TERMS),
    ),
    Row(
        'evaluate_at',
        'reference',
        'where the feedforward is evaluated: reference, or state (the measured q and v)',
        live=True,
        check=_one_of('evaluate_at', EVALUATION_POINTS),
    ),
    Row(
        'trajectory_out_efforts',
        True,
        'fill in the efforts on ~/trajectory_out, by the parts that terms selects; false: leave '
        'them empty, for controllers without an effort interface',
        live=True,
    ),
    Row(
        'gravity',
        list(STANDARD_GRAVITY),
        'acceleration of free fall, in the frame of the root link [m/s^2]',
        live=True,
        check=lambda value: checked_vector('gravity', value, ('x', 'y', 'z')),
    ),
    Row(
        'backend',
        'auto',
        'how the dynamics is compiled: native, python, or auto (native where llvmlite is)',
        check=_one_of('backend', ('auto', 'native', 'python')),
    ),
    Row(
        'cross_check',
        True,
        'refuse to configure unless Pinocchio computes the same from the same description',
    ),
    Row(
        'cross_check_samples',
        100,
        f'random states of that comparison [-], at most {MOST_SAMPLES}',
        check=lambda value: check_sample_count('cross_check_samples', value),
    ),
    Row(
        'cross_check_tolerance',
        1e-10,
        'largest error that counts as agreement, relative to the largest entry [-]',
        live=True,
        check=_at_least('cross_check_tolerance', 0.0),
    ),
)
ROWS = {row.name: row for row in TABLE}

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
    if isinstance(row.default, list):
        value = _checked_list(row, value)
    else:
        value = _checked_kind(name, value, type(row.default))
    if row.check is not None:
        row.check(value)
    return value


def read(node: Node) -> dict[str, Any]:
    """Every parameter, checked.

    Raises:
        RobotDynamicsError: one has the wrong type, or is not allowed.
    """
    return {row.name: checked(row.name, node.get_parameter(row.name).value) for row in TABLE}


def _checked_list(row: Row, value: Any) -> list[Any]:
    # An empty list in a parameter file arrives as None.
    if value is None:
        value = []
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ParameterError(f'{row.name} is {value!r}, a list is needed')
    kind = type(row.default[0])
    return [_checked_kind(row.name, entry, kind) for entry in value if entry != '']


def _checked_kind(name: str, value: Any, kind: type) -> Any:
    words, allowed = KINDS[kind]
    # In Python a bool is an integer, in ROS it is not.
    if not isinstance(value, allowed) or (isinstance(value, bool) and kind is not bool):
        raise ParameterError(f'{name} is {value!r}, {words} is needed')
    return value
