"""Batches of what is not a compiled program: one sample after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from ..checks import Array, checked_rows, common_rows, has_rows
from ..errors import StateError

Result = TypeVar('Result')


def for_each_sample(
    call: Callable[..., Result], **inputs: tuple[Any, Sequence[str]]
) -> tuple[Result, ...] | None:
    """The result of every sample of a batch; None if no input has rows.

    Args:
        call: takes one sample: a vector of each input.
        inputs: vectors (n,), which hold for all samples, or rows (N, n), by their names, each
            with the labels of its entries.

    Raises:
        StateError: an input has another shape, inputs have different numbers of rows, or `call`
            raises it; it names the row.
    """
    if not any(has_rows(value) for value, _ in inputs.values()):
        return None
    # Also where there is no sample: `call` checks nothing then.
    arrays = {name: checked_rows(name, *given) for name, given in inputs.items()}
    rows = {name: len(array) for name, array in arrays.items() if array.ndim == 2}
    results = []
    for row in range(common_rows(rows)):
        sample = [array[row] if name in rows else array for name, array in arrays.items()]
        try:
            results.append(call(*sample))
        except StateError as error:
            raise type(error)(f'row {row}: {error}') from None
    return tuple(results)


def stacked(results: tuple[Any, ...], shape: tuple[int, ...]) -> Array:
    """Results of that shape as one array (N, ...)."""
    array: Array = np.array(results, np.float64).reshape(len(results), *shape)
    return array


def number_or_rows(result: Any) -> Any:
    """A float of one sample, as it is a number; the array (N,) of a batch."""
    return result if result.ndim else float(result)
