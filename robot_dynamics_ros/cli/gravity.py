"""One gravity: that of --gravity, or of a parameter file of dynamics_node."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from robot_dynamics_ros.core.checks import checked_gravity
from robot_dynamics_ros.core.errors import ParameterError, StateError
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY

GRAVITY = 'gravity'  # parameter of dynamics_node
Vector = tuple[float, ...]


def gravity_option(words: str = '') -> Any:
    """The option --gravity; its value is given to `one_gravity`.

    Args:
        words: what the default is before 0,0,-9.81.
    """
    return click.option(
        '--gravity', metavar='X,Y,Z',
        help=f'Gravity in the axes of the root link [m/s^2]. [default: {words}0,0,-9.81]',
    )  # fmt: skip


def one_gravity(
    option: str | None, file: Path | None = None, values: Mapping[str, Any] | None = None
) -> Vector:
    """That (3,) of the option or of a file of parameters [m/s^2]; `STANDARD_GRAVITY` without both.

    Args:
        option: value of --gravity; None where it is not given.
        file: of parameters; None where none is given.
        values: of the node in this file, by the name of the parameter.

    Raises:
        ParameterError: it is not three numbers, is too strong to be meant, or both are given and
            differ.
    """
    found = {} if option is None else {'--gravity': option.split(',')}
    if values and GRAVITY in values:
        found[f'{GRAVITY} of {file}'] = values[GRAVITY]
    numbers = [_numbers(name, value) for name, value in found.items()]
    if len(set(numbers)) > 1:
        named = [f'{name} is {list(one)}' for name, one in zip(found, numbers, strict=True)]
        raise ParameterError(f'{" and ".join(named)} m/s^2: give one of them, or the same')
    return numbers[0] if numbers else STANDARD_GRAVITY


def _numbers(name: str, value: Any) -> Vector:
    try:
        return tuple(checked_gravity([float(each) for each in value]).tolist())
    except (StateError, TypeError, ValueError) as error:
        why = error if isinstance(error, StateError) else f'{value!r}'
        raise ParameterError(f'{name}: {why}: three numbers are needed, in m/s^2') from None
