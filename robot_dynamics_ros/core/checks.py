"""Checks of the numbers and names that users hand over: right type, right size, finite."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import ParameterError, StateError

Array = npt.NDArray[np.float64]

# [m/s^2]: nobody's planet. What exceeds it is a mistake, such as a unit of mm/s^2.
STRONGEST_GRAVITY = 100.0


def checked_vector(name: str, value: Any, labels: Sequence[str]) -> Array:
    """A float64 copy of `value`, one finite number per label.

    Args:
        name: of the vector, for messages.
        value: anything that NumPy makes an array of real numbers from.
        labels: of its entries, for messages.

    Raises:
        StateError: it is not numeric, not a vector, of the wrong size, or not finite.
    """
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise StateError(f'{name} is not an array of numbers: {error}') from None
    if array.dtype.kind not in 'iuf':
        raise StateError(f'{name} holds {array.dtype} values, real numbers are needed')
    if array.ndim != 1:
        raise StateError(f'{name} has shape {array.shape}, ({len(labels)},) is needed')
    if array.size != len(labels):
        needed = f'{len(labels)} are needed: {_list(labels)}'
        raise StateError(f'{name} has {array.size} values, {needed}')
    # Into an array of our own: whatever strides, alignment or instance of dtype were kept, the
    # compiled code might hand it back to us for ever.
    result: Array = np.empty(array.size, np.float64)
    result[:] = array
    bad = np.flatnonzero(~np.isfinite(result))
    if bad.size:
        index = int(bad[0])
        raise StateError(f'{name} is {result[index]} at {labels[index]!r}, it must be finite')
    return result


def checked_gravity(value: Any) -> Array:
    """A float64 copy of a gravity (3,) [m/s^2].

    Raises:
        StateError: it is not three finite numbers, or stronger than `STRONGEST_GRAVITY`.
    """
    gravity = checked_vector('gravity', value, ('x', 'y', 'z'))
    strength = math.hypot(*gravity)
    if strength > STRONGEST_GRAVITY:
        raise StateError(
            f'gravity is {gravity.tolist()}, {strength:g} m/s^2 strong: at most '
            f'{STRONGEST_GRAVITY:g} m/s^2 is allowed, look for a wrong unit'
        )
    return gravity


def is_finite(value: Any, shape: tuple[int, ...] = ()) -> bool:
    """Whether it is an array of finite real numbers of that shape; by default one number."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):
        return False
    return array.dtype.kind in 'iuf' and array.shape == shape and bool(np.isfinite(array).all())


def checked_name(name: str, value: Any) -> str:
    """The value, if it is a str.

    Raises:
        ParameterError: it is not.
    """
    if not isinstance(value, str):
        raise ParameterError(f'{name} is {value!r}, one name is needed (a str)')
    return value


def checked_names(name: str, value: Any) -> tuple[str, ...]:
    """Every name of a sequence or another iterable, which is read once.

    Raises:
        ParameterError: it is a single str, not iterable, or holds what is not a str.
    """
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ParameterError(f'{name} is {value!r}, a sequence of names is needed')
    return tuple(checked_name(f'an entry of {name}', entry) for entry in value)


def check_output(out: Any, shape: tuple[int, ...]) -> None:
    """Whether a result of that shape can be written into `out`.

    Raises:
        StateError: it is no writeable float64 array of that shape.
    """
    if not isinstance(out, np.ndarray) or out.dtype != np.float64:
        kind = f'{out.dtype} array' if isinstance(out, np.ndarray) else type(out).__name__
        raise StateError(f'out is a {kind}, a float64 array of shape {shape} is needed')
    if out.shape != shape:
        raise StateError(f'out has shape {out.shape}, {shape} is needed')
    if not out.flags.writeable:
        raise StateError('out is read-only')


def check_bindable(inputs: dict[str, Any], sizes: dict[str, int], out: Any) -> None:
    """Whether a program can read these arrays, and write that one, where they lie.

    Raises:
        StateError: one of them would have to be converted or copied, or `out` overlaps an input.
    """
    for name, array in {**inputs, 'out': out}.items():
        if type(array) is not np.ndarray or array.dtype != np.float64:
            raise StateError(f'bind: {name} must be a float64 NumPy array, not {_kind(array)}')
        if not (array.flags.c_contiguous and array.flags.aligned):
            raise StateError(f'bind: {name} must be contiguous in memory')
    for name, size in sizes.items():
        if inputs[name].shape != (size,):
            raise StateError(f'bind: {name} has shape {inputs[name].shape}, ({size},) is needed')
        if np.may_share_memory(inputs[name], out):
            raise StateError(f'bind: out shares memory with {name}')


def _kind(value: Any) -> str:
    return f'{value.dtype} array' if isinstance(value, np.ndarray) else type(value).__name__


def _list(labels: Sequence[str], most: int = 8) -> str:
    shown = ', '.join(labels[:most])
    return f'{shown}, ...' if len(labels) > most else shown
