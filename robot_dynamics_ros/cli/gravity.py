"""One gravity: that of --gravity, or of a parameter file of dynamics_node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from robot_dynamics_ros.core.checks import checked_gravity
from robot_dynamics_ros.core.errors import ParameterError, StateError

from .output import Command

Vector = tuple[float, ...]


def gravity_of(name: str, value: Any) -> Vector:
    """The three numbers of an option or a parameter of that name [m/s^2]."""
    try:
        return tuple(checked_gravity([float(each) for each in value]).tolist())
    except (StateError, TypeError, ValueError) as error:
        why = error if isinstance(error, StateError) else f'{value!r}'
        raise ParameterError(f'{name}: {why}: three numbers are needed, in m/s^2') from None


def gravity_option(
    default: str | None = '0,0,-9.81', words: str = ''
) -> Callable[[Command], Command]:
    """The option --gravity: an argument `gravity`, None where there is no default."""
    return click.option(
        '--gravity', metavar='X,Y,Z', default=default, show_default=True,
        help=f'Gravity in the axes of the root link [m/s^2].{words}',
        callback=lambda _, option, value: value and gravity_of(option.opts[0], value.split(',')),
    )  # fmt: skip
