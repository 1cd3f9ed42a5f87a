"""Every parameter of the node: one row each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from robot_dynamics_ros.control.feedforward import (
    DEFAULT_TERMS,
    EVALUATION_POINTS,
    TERMS,
    check_choices,
)
from robot_dynamics_ros.control.guards.settings import GuardSettings
from robot_dynamics_ros.control.guards.supervisor import OnStale, OnStop
from robot_dynamics_ros.core.checks import checked_gravity
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.friction import SMOOTHING
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY

Check = Callable[[Any], None]

# The comparison takes some 0.3 ms a sample, and holds up the other services meanwhile.
MOST_SAMPLES = 1000
# Beyond it no disagreement would be found.
LARGEST_TOLERANCE = 1e-3
DEFAULT = GuardSettings()


@dataclass(frozen=True)
class Row:
    """A parameter.

    Attributes:
        name: of the parameter.
        default: its type is the type of the parameter.
        description: with the unit.
        live: whether a change takes effect at once; else only on configure.
        check: raises RobotDynamicsError if a value is not allowed.
        entry: type of the entries, where the default is a list.
    """

    name: str
    default: Any
    description: str
    live: bool = False
    check: Check | None = None
    entry: type | None = None


def check_sample_count(name: str, count: int) -> None:
    """Whether that many samples can be compared while others wait.

    Raises:
        ParameterError: they cannot.
    """
    if not 1 <= count <= MOST_SAMPLES:
        raise ParameterError(f'{name} is {count}, allowed are 1 to {MOST_SAMPLES}')


def _each_of(name: str, allowed: Sequence[str] | None = None) -> Check:
    return lambda value: check_choices(name, value, allowed)


def _one_of(name: str, allowed: Sequence[str]) -> Check:
    return lambda value: check_choices(name, [value], allowed)


def _within(name: str, least: float, most: float = math.inf, *, open_below: bool = False) -> Check:
    """Finite, and within bounds that may be reached, but for the lower one if it is open."""
    bounds = [f'greater than {least:g}' if open_below else f'at least {least:g}']
    bounds += [f'at most {most:g}'] if math.isfinite(most) else ['finite']

    def check(value: float) -> None:
        above = value > least if open_below else value >= least
        if not (above and value <= most and math.isfinite(value)):
            raise ParameterError(f'{name} is {value}, it must be {" and ".join(bounds)}')

    return check


def _each_within(name: str, least: float, *, open_below: bool = False) -> Check:
    check = _within(name, least, open_below=open_below)

    def check_each(values: Sequence[float]) -> None:
        for value in values:
            check(value)

    return check_each


TABLE = (
    Row('robot_description', '', 'URDF of the robot; if empty, topic robot_description gives it'),
    Row('autostart', True, 'configure and activate as soon as there is a description'),
    Row(
        'joints',
        [''],
        'joints to command, in the order of ~/commands; empty: all, in the order of the URDF',
        check=_each_of('joints'),
        entry=str,
    ),
    Row(
        'terms',
        list(DEFAULT_TERMS),
        f'parts of the torque to command: {", ".join(TERMS)}; leave out what the driver adds '
        'itself',
        live=True,
        check=_each_of('terms', TERMS),
        entry=str,
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
        check=checked_gravity,
        entry=float,
    ),
    Row(
        'friction_viscous',
        [],
        'viscous friction of each commanded joint, or one for all [N m s/rad or N s/m]; empty: '
        'that of the URDF',
        live=True,
        check=_each_within('friction_viscous', 0.0),
        entry=float,
    ),
    Row(
        'friction_coulomb',
        [],
        'Coulomb friction of each commanded joint, or one for all [N m or N]; empty: that of the '
        'URDF',
        live=True,
        check=_each_within('friction_coulomb', 0.0),
        entry=float,
    ),
    Row(
        'friction_smoothing',
        SMOOTHING,
        'speed around which Coulomb friction changes its sign [rad/s or m/s]',
        live=True,
        check=_within('friction_smoothing', 0.0, open_below=True),
    ),
    Row(
        'armature',
        [],
        'inertia of the rotor of each commanded joint, or one for all, times the gear ratio '
        'squared [kg m^2 or kg]; empty: none',
        check=_each_within('armature', 0.0),
        entry=float,
    ),
    Row(
        'acceleration_cutoff',
        DEFAULT.acceleration_cutoff,
        'without a reference, the inertial term takes the measured acceleration, filtered with '
        'this cutoff [Hz]; 0: it is zero',
        live=True,
        check=_within('acceleration_cutoff', 0.0),
    ),
    Row(
        'state_timeout',
        DEFAULT.state_timeout,
        'without a good joint state until it is stale [s]',
        live=True,
        check=_within('state_timeout', 0.0, open_below=True),
    ),
    Row(
        'on_stale',
        DEFAULT.on_stale,
        'what is commanded then: hold (gravity at the last state), zero, or stop (nothing)',
        live=True,
        check=_one_of('on_stale', get_args(OnStale)),
    ),
    Row(
        'reference_timeout',
        DEFAULT.reference_timeout,
        'after the end of a reference until it is dropped [s]',
        live=True,
        check=_within('reference_timeout', 0.0),
    ),
    Row(
        'fade_time',
        DEFAULT.fade_time,
        'of every change of what is commanded [s]',
        live=True,
        check=_within('fade_time', 0.0, 60.0),
    ),
    Row(
        'on_stop',
        DEFAULT.on_stop,
        'the last command on deactivate, disable, shutdown and fault: zero, or hold (gravity at '
        'the last state)',
        live=True,
        check=_one_of('on_stop', get_args(OnStop)),
    ),
    Row(
        'effort_limits',
        list(DEFAULT.effort_limits),
        'largest command of each commanded joint, or one for all [N m or N]; empty: that of the '
        'URDF',
        live=True,
        check=_each_within('effort_limits', 0.0),
        entry=float,
    ),
    Row(
        'effort_scale',
        DEFAULT.effort_scale,
        'share of the effort limits that may be commanded [-]',
        live=True,
        check=_within('effort_scale', 0.0, 1.0, open_below=True),
    ),
    Row(
        'effort_rate_limits',
        list(DEFAULT.effort_rate_limits),
        'largest change of the command of each commanded joint, or one for all [N m/s or N/s]; '
        'empty: ten times its effort limit, 1000 where there is none',
        live=True,
        check=_each_within('effort_rate_limits', 0.0, open_below=True),
        entry=float,
    ),
    Row(
        'jump_tolerance',
        DEFAULT.jump_tolerance,
        'by which a position may step more than its velocity limit explains [rad or m]',
        live=True,
        check=_within('jump_tolerance', 0.0),
    ),
    Row(
        'exclusive_commands',
        'refuse',
        'another publisher on the command topic: refuse (do not begin), warn, or ignore',
        live=True,
        check=_one_of('exclusive_commands', ('refuse', 'warn', 'ignore')),
    ),
    Row(
        'driver_gravity_check',
        True,
        'warn where the measured effort shows that the driver adds gravity too',
        live=True,
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
        check=_within('cross_check_tolerance', 0.0, LARGEST_TOLERANCE, open_below=True),
    ),
    Row(
        'cross_check_rate',
        1.0,
        'how often the live torque is compared with Pinocchio [Hz]; 0: never',
        live=True,
        check=_within('cross_check_rate', 0.0, 100.0),
    ),
    Row(
        'on_disagreement',
        'stop',
        'then: stop (as on_stop says, until enabled again), or warn',
        live=True,
        check=_one_of('on_disagreement', ('stop', 'warn')),
    ),
)
ROWS = {row.name: row for row in TABLE}
