"""A program for batches: rows of inputs checked, computed in chunks by threads, errors by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..checks import Array, check_output, checked_rows, checked_vector, common_rows
from ..errors import StateError
from .program import Program
from .threads import share

# Steps and entries of the result that a chunk computes at least: some 0.1 ms; and at most so many
# times as many, where each thread has so many chunks, and nothing is copied.
CHUNK, LARGEST_CHUNK, CHUNKS_OF_A_THREAD = 3_000_000, 16, 8
# A result from this size on is written past the caches [bytes].
PAST_CACHES = 8 * 2**20


@dataclass
class Batch:
    """A program that takes rows (N, n) of inputs beside vectors (n,), which hold for all samples.

    The working memory does not grow with N: what native code cannot read where it lies is copied
    chunk by chunk. The results do not depend on the number of threads, and those of a sample do
    not depend on other samples.

    Attributes:
        program: to compute.
        labels: of the entries of each input, for messages.
        single: `single(input..., None)`, the finite result of one sample; raises StateError.
        native: the `Entry` of native code; None for plain Python.
        lanes: samples that native code computes together.
        threads: at most so many.
    """

    program: Program
    labels: Mapping[str, Sequence[str]]
    single: Callable[..., Array]
    native: Any
    lanes: int
    threads: int

    def __post_init__(self) -> None:
        steps = len(self.program.steps()) + len(self.program.outputs)
        self._chunk = max(1, CHUNK // steps // self.lanes) * self.lanes

    def __call__(self, values: Sequence[Any], out: Any) -> Array:
        """The results (N, ...), in `out` or in a new array.

        Raises:
            StateError: the inputs are not what is needed, or a sample has no result. It names the
                first such row; `out` may hold results of other rows then.
        """
        inputs, shape = self.check(values, out)
        result: Array = np.empty(shape, np.float64) if out is None else out
        if out is not None:
            # Rows that are written must not be read later.
            inputs = [x.copy() if np.may_share_memory(x, out) else x for x in inputs]
        samples, size = len(result), self._chunk
        if _is_writeable(result) and all(x.ndim == 1 or _is_readable(x) for x in inputs):
            chunks = self.threads * CHUNKS_OF_A_THREAD if self.threads > 1 else 1
            size *= max(1, min(samples // chunks // size, LARGEST_CHUNK))
        try:
            share(partial(self._compute, inputs, result), samples, size, self.threads)
        except StateError as error:
            if out is None:
                raise
            raise type(error)(f'{error} (out holds the results of some other rows)') from None
        return result

    def check(self, values: Sequence[Any], out: Any) -> tuple[list[Array], tuple[int, ...]]:
        """The inputs as arrays, and the shape of the result.

        Raises:
            StateError: sizes or types are not what is needed, `out` being None for a new array.
        """
        inputs = {
            name: checked_rows(name, value, self.labels[name])
            for name, value in zip(self.program.inputs, values, strict=True)
        }
        rows = {name: len(array) for name, array in inputs.items() if array.ndim == 2}
        shape = common_rows(rows), *self.program.shape
        if out is not None:
            check_output(out, shape)
        return [*inputs.values()], shape

    def _compute(self, inputs: list[Array], result: Array, first: int, last: int) -> None:
        """Fill some rows of the result.

        Raises:
            StateError: a row has no result; the first such row is named.
        """
        inputs = [x if x.ndim == 1 else x[first:last] for x in inputs]
        inputs = [
            x if x.ndim == 1 or _is_readable(x) else np.array(x, np.float64, order='C')
            for x in inputs
        ]
        target = made = result[first:last]
        if not _is_writeable(target):
            made = np.empty(made.shape)
        past_caches = made is target and result.nbytes >= PAST_CACHES
        done = 0
        while done < len(made):
            done += self._fill(inputs, made, done, len(made), past_caches)
            for row in range(done, min(done + self.lanes, len(made))):
                # The others of a block are computed as they would be without this one.
                if not self._fill(inputs, made, row, row + 1, past_caches):
                    made[row] = self._alone(inputs, row, first + row)
                done = row + 1
        if made is not target:
            target[...] = made

    def _fill(
        self, inputs: list[Array], result: Array, first: int, last: int, past_caches: bool
    ) -> int:
        """Fill some rows by native code; the number of those before one without a result."""
        if self.native is None:
            return 0
        rows: Array = result[first:last]
        places: Any = slice(first, last)
        padded = len(rows) < self.lanes
        if padded:
            # No block has fewer: the last row stands for those behind it.
            rows = np.empty((self.lanes, *result.shape[1:]))
            places = np.minimum(np.arange(first, first + self.lanes), last - 1)
        read = tuple(x if x.ndim == 1 else x[places] for x in inputs)
        written: int = self.native.rows(read, rows, past_caches)
        if padded and written:
            written = last - first
            result[first:last] = rows[:written]
        return written

    def _alone(self, inputs: list[Array], row: int, number: int) -> Array:
        """The result of a row, by a single call; `number` is its number in the batch."""
        vectors = [
            x if x.ndim == 1 else checked_vector(f'{name}[{number}]', x[row], self.labels[name])
            for name, x in zip(self.program.inputs, inputs, strict=True)
        ]
        try:
            return self.single(*vectors, None)
        except StateError as error:
            raise type(error)(f'row {number}: {error}') from None


def _is_readable(rows: Array) -> bool:
    """Whether native code reads rows where they lie."""
    across, along = rows.strides
    return (
        type(rows) is np.ndarray
        and rows.dtype == np.float64
        and rows.flags.aligned
        and (along == rows.itemsize or rows.shape[1] == 1)
        and across % rows.itemsize == 0
    )


def _is_writeable(result: Array) -> bool:
    """Whether native code writes a result where it lies."""
    return type(result) is np.ndarray and result.flags.c_contiguous and result.flags.aligned
