"""A program for batches: rows of inputs checked, computed in chunks by threads, errors by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..checks import Array, check_output, checked_rows, checked_vector, common_rows
from ..errors import StateError
from .program import Program
from .threads import Chunks

# Steps and entries of the result that a chunk computes: some 0.1 ms.
CHUNK = 3_000_000
# Chunks are larger where a batch has many of them for each thread, and nothing is copied.
LARGEST_CHUNK = 16
CHUNKS_OF_A_THREAD = 8


class Batch:
    """A program that takes rows (N, n) of inputs beside vectors (n,), which hold for all samples.

    The working memory does not grow with N: what native code cannot read where it lies is copied
    chunk by chunk. The results do not depend on the number of threads, and those of a sample do
    not depend on other samples.

    Attributes:
        native: a `NativeBatch`; None for plain Python.
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
        self._threads = threads
        self.native = native
        lanes = 1 if native is None else native.lanes
        steps = len(program.steps()) + len(program.outputs)
        self._chunk = max(1, CHUNK // steps // lanes) * lanes

    def __call__(self, values: Sequence[Any], out: Any) -> Array:
        """The results (N, ...), in `out` or in a new array.

        Raises:
            StateError: the inputs are not what is needed, or a sample has no result. It names the
                first such row; `out` may hold results of other rows then.
        """
        inputs = self._checked(values)
        result: Array = out
        if out is None:
            result = np.empty(self._shape(inputs), np.float64)
        else:
            check_output(out, self._shape(inputs))
            # Rows that are written must not be read later.
            inputs = [x.copy() if np.may_share_memory(x, out) else x for x in inputs]
        try:
            self._compute(inputs, result)
        except StateError as error:
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
        return common_rows(rows), *self._program.shape

    def _compute(self, inputs: list[Array], result: Array) -> None:
        readable = all(map(self._is_readable, inputs))
        in_place = readable and result.flags.c_contiguous and result.flags.aligned

        def work_on_copies(first: int, last: int) -> None:
            rows = [self._readable(x if x.ndim == 1 else x[first:last]) for x in inputs]
            made = np.empty((last - first, *self._program.shape))
            Rows(self, rows, made, first).fill(0, last - first)
            result[first:last] = made

        work = Rows(self, inputs, result, 0).fill if in_place else work_on_copies
        size = self._size_of_chunks(len(result)) if in_place else self._chunk
        if len(result) <= size:
            work(0, len(result))
        else:
            Chunks(work, len(result), size).run(self._threads)

    def _size_of_chunks(self, samples: int) -> int:
        """Of a batch that is not copied, in rows."""
        share = samples
        if self._threads > 1:
            share //= self._threads * CHUNKS_OF_A_THREAD
        return self._chunk * max(1, min(share // self._chunk, LARGEST_CHUNK))

    def _is_readable(self, array: Array) -> bool:
        return self.native is not None and (array.ndim == 1 or self.native.can_read(array))

    def _readable(self, array: Array) -> Array:
        """Rows that native code can read; plain Python reads any."""
        if self.native is None or self._is_readable(array):
            return array
        return np.ascontiguousarray(array, np.float64)

    def checked_row(self, inputs: list[Array], row: int, number: int) -> Array:
        """The result of a row, by a single call; `number` is its number in the batch."""
        vectors = [
            x if x.ndim == 1 else checked_vector(f'{name}[{number}]', x[row], self._labels[name])
            for name, x in zip(self._program.inputs, inputs, strict=True)
        ]
        try:
            return self._single(vectors)
        except StateError as error:
            raise type(error)(f'row {number}: {error}') from None


class Rows:
    """Rows of a batch in memory, whose results are written block by block."""

    def __init__(self, batch: Batch, inputs: list[Array], output: Array, shift: int) -> None:
        """Compute nothing.

        Args:
            batch: to which they belong.
            inputs: that native code can read, if there is any.
            output: contiguous float64 rows, for native code.
            shift: number of the first row in the batch.
        """
        self._batch = batch
        self._inputs = inputs
        self._output = output
        self._shift = shift
        native = batch.native
        self._run = None if native is None else native.bound(inputs, output)
        self._lanes = 1 if native is None else native.lanes

    def fill(self, first: int, last: int) -> None:
        """Compute rows from a first one up to, but not with, another.

        Raises:
            StateError: a row has no result.
        """
        done = first
        while done < last:
            if self._run is not None:
                done = self._run(done, last)
            end = min(done + self._lanes, last)
            for row in range(done, end):
                self._fill_alone(row)
            done = end

    def _fill_alone(self, row: int) -> None:
        """Compute a row whatever the others are like."""
        if self._run is None or self._run(row, row + 1) == row:
            self._output[row] = self._batch.checked_row(self._inputs, row, self._shift + row)
