"""A program for batches: rows of inputs checked, computed in chunks by threads, errors by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..checks import Array, check_output, checked_rows, checked_vector
from ..errors import InertiaError, StateError
from .program import Program
from .threads import Chunks

# Steps and entries of the result that a chunk computes: some 0.1 ms.
CHUNK = 4_000_000
# Chunks are larger where a batch has many of them for each thread, and nothing is copied.
LARGEST_CHUNK = 16
CHUNKS_OF_A_THREAD = 8


class Batch:
    """A program that takes rows (N, n) of inputs beside vectors (n,), which hold for all samples.

    The working memory does not grow with N: what native code cannot read where it lies is copied
    chunk by chunk. The results do not depend on the number of threads, and those of a sample do
    not depend on other samples.
    """

    def __init__(
        self,
        program: Program,
        labels: Mapping[str, Sequence[str]],
        single: Callable[[list[Array]], Array],
        native: Any,
        threads: int,
    ) -> None:
        """Compile nothing.

        Args:
            program: to compute.
            labels: of the entries of each input, for messages.
            single: the finite result of one sample; raises StateError.
            native: a `NativeBatch`; None for plain Python.
            threads: at most so many.
        """
        self._program = program
        self._labels = labels
        self._single = single
        self._native = native
        self._threads = threads
        self._lanes = 1 if native is None else native.lanes
        steps = len(program.steps()) + len(program.outputs)
        self._chunk = max(1, CHUNK // steps // self._lanes) * self._lanes

    def __call__(self, values: Sequence[Any], out: Any) -> Array:
        """The results (N, ...), in `out` or in a new array.

        Raises:
            StateError: the inputs are not what is needed, or a sample has no result. It names the
                first such row; `out` may hold results of other rows then.
        """
        inputs = self._checked(values)
        result = out
        if out is None:
            result = np.empty(self._shape(inputs), np.float64)
        else:
            check_output(out, self._shape(inputs))
            # Rows that are written must not be read later.
            inputs = [x.copy() if np.may_share_memory(x, out) else x for x in inputs]
        try:
            self._compute(inputs, result)
        except (StateError, InertiaError) as error:
            if out is None:
                raise
            raise type(error)(f'{error} (out holds the results of some other rows)') from None
        return result

    def check(self, values: Sequence[Any], out: Any) -> None:
        """Whether sizes and types are right.

        Raises:
            StateError: they are not.
        """
        check_output(out, self._shape(self._checked(values)))

    def _checked(self, values: Sequence[Any]) -> list[Array]:
        return [
            checked_rows(name, value, self._labels[name])
            for name, value in zip(self._program.inputs, values, strict=True)
        ]

    def _shape(self, inputs: list[Array]) -> tuple[int, ...]:
        """Of the result."""
        rows = {
            name: len(array)
            for name, array in zip(self._program.inputs, inputs, strict=True)
            if array.ndim == 2
        }
        (first, samples), *others = rows.items()
        for name, count in others:
            if count != samples:
                raise StateError(
                    f'{first} has {samples} rows and {name} has {count}: as many are needed, or '
                    'a single vector, which holds for all samples'
                )
        return samples, *self._program.shape

    def _compute(self, inputs: list[Array], result: Array) -> None:
        samples = len(result)
        from_memory = self._native is not None and all(
            array.ndim == 1 or self._native.can_read(array) for array in inputs
        )
        contiguous = result.flags.c_contiguous and result.flags.aligned
        size = self._chunk
        if from_memory and contiguous:
            share = samples // (self._threads * CHUNKS_OF_A_THREAD)
            size *= max(1, min(share // size, LARGEST_CHUNK))

        def work(first: int, last: int) -> None:
            chunk = [array if array.ndim == 1 else array[first:last] for array in inputs]
            rows = result[first:last]
            if contiguous:
                self._fill(chunk, rows, first)
            else:
                made = np.empty(rows.shape)
                self._fill(chunk, made, first)
                rows[...] = made

        Chunks(work, samples, size).run(self._threads)

    def _fill(self, inputs: list[Array], rows: Array, first: int) -> None:
        """Compute rows of contiguous memory, the first of which has number `first`."""
        samples, done = len(rows), 0
        if self._native is not None:
            inputs = [self._readable(array) for array in inputs]
            done = self._native.run(inputs, rows)
        while done < samples:
            # One block, or every row of plain Python.
            last = samples if self._native is None else min(done + self._lanes, samples)
            for row in range(done, last):
                self._fill_row(inputs, rows, row, first + row)
            done = last
            if done < samples:
                done += self._native.run(_from(inputs, done), rows[done:])

    def _fill_row(self, inputs: list[Array], rows: Array, row: int, number: int) -> None:
        """Compute one row, `number` in the batch, whatever the others are like."""
        if self._native is not None:
            alone = [x if x.ndim == 1 else x[row : row + 1] for x in inputs]
            if self._native.run(alone, rows[row : row + 1]):
                return
        vectors = [
            x if x.ndim == 1 else checked_vector(f'{name}[{number}]', x[row], self._labels[name])
            for name, x in zip(self._program.inputs, inputs, strict=True)
        ]
        try:
            rows[row] = self._single(vectors)
        except (StateError, InertiaError) as error:
            raise type(error)(f'row {number}: {error}') from None

    def _readable(self, array: Array) -> Array:
        """Float64 rows that native code can read."""
        if array.ndim == 1 or self._native.can_read(array):
            return array
        return np.ascontiguousarray(array, np.float64)


def _from(inputs: list[Array], row: int) -> list[Array]:
    return [array if array.ndim == 1 else array[row:] for array in inputs]
