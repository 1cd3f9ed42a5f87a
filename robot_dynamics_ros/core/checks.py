"""Checks of the numbers and names that users hand over: right type, right size, finite."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import ParameterError, StateError

Array = npt.NDArray[np.float64]

# [m/s^2]: four times Jupiter's. What exceeds it is a mistake, such as a unit of mm/s^2.
STRONGEST_GRAVITY = 100.0

# By which a rotation may miss orthonormality: what printed rotations of six digits have.
ORTHONORMAL = 1e-5

# What to do with a masked array, whose hidden values would count.
UNMASK = 'pass its .filled() array, or its .data if no value is masked'


def all_finite(values: Array) -> bool:
    """Whether all values (n,) are finite."""
    # The norm takes a third of the time. It may overflow: then each value is looked at.
    return math.isfinite(math.hypot(*values.tolist())) or bool(np.isfinite(values).all())


def checked_vector(name: str, value: Any, labels: Sequence[str]) -> Array:
    """A float64 copy of `value`, one finite number per label.

    Raises:
        StateError: it is not that; see `real_array`.
    """
    array = real_array(name, value)
    if array.ndim != 1:
        raise StateError(f'{name} has shape {array.shape}, ({len(labels)},) is needed')
    if array.size != len(labels):
        needed = f'{len(labels)} are needed: {_list(labels)}'
        raise StateError(f'{name} has {array.size} values, {needed}')
    # A new array: compiled code gives back whatever it cannot read, and strides, alignment and
    # dtype that came with the value might never suit it.
    result: Array = np.empty(array.size, np.float64)
    result[:] = array
    bad = np.flatnonzero(~np.isfinite(result))
    if bad.size:
        index = int(bad[0])
        raise StateError(f'{name} is {result[index]} at {labels[index]!r}, it must be finite')
    return result


def has_rows(value: Any) -> bool:
    """Whether it is meant as rows, one for each sample of a batch, and not as one vector."""
    if hasattr(value, 'ndim'):
        return bool(value.ndim > 1)
    if isinstance(value, str) or not isinstance(value, Sequence) or not value:
        return False
    # Arrays without an axis have a length too, which they refuse to give.
    return hasattr(value[0], '__len__') and getattr(value[0], 'ndim', 1) > 0


def check_one_state(method: str, **inputs: Any) -> None:
    """StateError: an input of a method that takes one state has rows."""
    for name, value in inputs.items():
        if has_rows(value):
            raise StateError(
                f'{method} takes one state: {name} has shape {np.shape(value)}, a vector is needed'
            )


def checked_rows(name: str, value: Any, labels: Sequence[str]) -> Array:
    """Rows (N, n) with one real number per label, as they are; or a copy of a vector (n,).

    Rows have any dtype and layout, and their values are not looked at.

    Raises:
        StateError: it is not that; see `real_array` and, of a vector, `checked_vector`.
    """
    array = real_array(name, value)
    if array.ndim == 1:
        return checked_vector(name, array, labels)
    if array.ndim != 2 or array.shape[1] != len(labels):
        needed = f'({len(labels)},) or (N, {len(labels)}) is needed: {_list(labels)}'
        raise StateError(f'{name} has shape {array.shape}, {needed}')
    return array


def common_rows(rows: Mapping[str, int]) -> int:
    """The number of samples of a batch, from that of each input; StateError: they differ."""
    (first, samples), *others = rows.items()
    for name, count in others:
        if count != samples:
            raise StateError(
                f'{first} has {samples} rows and {name} has {count}: as many are needed, or a '
                'single vector, which holds for all samples'
            )
    return samples


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


def checked_numbers(name: str, value: Any) -> Array:
    """Finite real numbers of any shape, as float64; StateError: it is not that."""
    array: Array = np.asarray(real_array(name, value), np.float64)
    if not np.isfinite(array).all():
        raise StateError(f'{name} must be finite')
    return array


def checked_rotation(name: str, value: Any) -> Array:
    """A rotation (3, 3), or rows of them (N, 3, 3), as float64.

    Raises:
        StateError: as for `checked_numbers`, the shape is another one, or a matrix is not
            orthonormal and right-handed.
    """
    R = checked_numbers(name, value)
    if R.ndim not in (2, 3) or R.shape[-2:] != (3, 3):
        raise StateError(f'{name} has shape {R.shape}, (3, 3) or (N, 3, 3) is needed')
    off = np.abs(np.swapaxes(R, -2, -1) @ R - np.eye(3)).max(initial=0.0)
    determinants = np.linalg.det(R).ravel().tolist()
    determinant = max(determinants, key=lambda value: abs(value - 1.0), default=1.0)
    if off > ORTHONORMAL or determinant < 0.0:
        raise StateError(
            f'{name} is none: R^T R - 1 is up to {off:.2g}, at most {ORTHONORMAL:g} is allowed; '
            f'its determinant is {determinant:.3g}, 1 is needed'
        )
    return R


def is_finite(value: Any, shape: tuple[int, ...] = ()) -> bool:
    """Whether it is an array of finite real numbers of that shape; by default one number."""
    try:
        return bool(np.isfinite(array := real_array('', value)).all()) and array.shape == shape
    except StateError:
        return False


def checked_name(name: str, value: Any) -> str:
    """The value, if it is a str; ParameterError: it is not."""
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
    """StateError: a result of that shape cannot be written into `out`."""
    if isinstance(out, np.ma.MaskedArray):
        raise StateError(f'out is a masked array: {UNMASK}')
    if not isinstance(out, np.ndarray) or out.dtype != np.float64:
        raise StateError(f'out is a {_kind(out)}, a float64 array of shape {shape} is needed')
    if out.shape != shape:
        raise StateError(f'out has shape {out.shape}, {shape} is needed')
    if not out.flags.writeable:
        raise StateError('out is read-only: a writeable array is needed')
    if _overlaps_itself(out):
        raise StateError(
            f'out has strides {out.strides}, with which its entries share memory: pass an array '
            'of its own'
        )


def check_bindable(inputs: dict[str, Any], sizes: dict[str, int], out: Any) -> None:
    """StateError: a program cannot read and write these arrays where they lie.

    One of them would have to be converted or copied, or is of a subclass such as a masked array;
    or `out` overlaps an input.

    Args:
        inputs: (n,) or (N, n).
        sizes: n of each.
        out: of the result.
    """
    for name, array in {**inputs, 'out': out}.items():
        if type(array) is not np.ndarray or array.dtype != np.float64:
            raise StateError(f'bind: {name} must be a float64 NumPy array, not {_kind(array)}')
        if not (array.flags.c_contiguous and array.flags.aligned):
            raise StateError(f'bind: {name} must be contiguous in memory: pass a copy of it')
    for name, size in sizes.items():
        if inputs[name].ndim > 2 or inputs[name].shape[-1:] != (size,):
            raise StateError(f'bind: {name} has shape {inputs[name].shape}, ({size},) is needed')
        if np.may_share_memory(inputs[name], out):
            raise StateError(f'bind: out shares memory with {name}: pass an array of its own')


def real_array(name: str, value: Any) -> Any:
    """An array of real numbers, of whatever NumPy makes one from.

    Raises:
        StateError: it is none, or a masked array, whose hidden values would count.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise StateError(f'{name} is a masked array: {UNMASK}')
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise StateError(f'{name} is not an array of numbers: {error}') from None
    rows = value if array.ndim > 1 and isinstance(value, Sequence) else ()
    if any(isinstance(row, np.ma.MaskedArray) for row in rows):
        raise StateError(f'{name} has a row that is a masked array: {UNMASK}')
    if array.dtype.kind not in 'iuf':
        raise StateError(f'{name} holds {array.dtype} values, real numbers are needed')
    return array


def _overlaps_itself(array: Array) -> bool:
    """Whether two entries may share memory, as rows do whose stride is 0.

    Each axis must step over all that the axes with smaller strides cover; views that NumPy gives
    by indexing and transposing do.
    """
    if array.flags.c_contiguous:
        return False
    covered = array.itemsize
    steps = zip(map(abs, array.strides), array.shape, strict=True)
    for stride, count in sorted(step for step in steps if step[1] > 1):
        if stride < covered:
            return True
        covered += stride * (count - 1)
    return False


def _kind(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return type(value).__name__
    return f'{value.dtype} {"array" if type(value) is np.ndarray else type(value).__name__}'


def _list(labels: Sequence[str], most: int = 8) -> str:
    shown = ', '.join(labels[:most])
    return f'{shown}, ...' if len(labels) > most else shown
