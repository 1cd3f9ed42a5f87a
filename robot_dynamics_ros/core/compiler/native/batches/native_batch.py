"""The native back end of batches: a program as machine code that computes many samples at once."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache

import numpy as np

from ....checks import Array
from ...program import Program
from ..llvm import compile_ir, provide, vector_lanes
from ..llvm_kernel import DONE, OUT_OF_MEMORY
from ..native_kernel import level_of
from ..self_check import check_kernel
from . import llvm_stream, llvm_vector_sine
from .llvm_batch import batch_ir
from .llvm_batch_loop import UNREADABLE

# It gives back the interpreter's lock while it computes.
PROTOTYPE = ctypes.CFUNCTYPE(
    ctypes.c_int64,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.c_bool,
    ctypes.c_void_p,
)

# A result from this size on is written past the caches. Measured with 32 MiB of the third cache:
# at 2 MiB that is 10 % slower, at 8 MiB a third faster.
PAST_CACHES = 8 * 2**20


class NativeBatch:
    """A program as machine code for batches.

    Attributes:
        lanes: samples that are computed together.
    """

    def __init__(self, program: Program) -> None:
        """Compile a program, and compare the result with it.

        Raises:
            NativeCodeError: the machine code computes other values than the program.
        """
        self.lanes = vector_lanes()
        _provide_routines(self.lanes)
        # A function of it is called with this object alive alone, which keeps it alive.
        self._engine = compile_ir(batch_ir(program, self.lanes), level_of(program))
        self._batch = PROTOTYPE(self._engine.get_function_address('batch'))
        # Angles that are very large multiples of an input, those of a mimic joint, are for single
        # calls.
        with suppress(OverflowError):
            check_kernel(program, self._evaluate)

    def bound(self, inputs: Sequence[Array], output: Array) -> Callable[[int, int], int]:
        """A function that computes rows from a first one up to, but not with, another.

        It returns the row from which on nothing is written: the other, or the first of a block of
        `lanes` samples, one of which has no result or needs the checks of single calls. It raises
        MemoryError where there is no scratch memory. The caller keeps the arrays alive.

        Args:
            inputs: float64 arrays (n,), or (N, n) that `can_read` accepts.
            output: contiguous float64 array (N, ...), which overlaps none of them.
        """
        run = self._bound(inputs, output, past_caches=output.nbytes >= PAST_CACHES)

        def rows(first: int, last: int) -> int:
            code, written = run(first, last)
            if code == OUT_OF_MEMORY:
                raise MemoryError('no scratch memory for native code')
            return written

        return rows

    @staticmethod
    def can_read(rows: Array) -> bool:
        """Whether `bound` reads this array (N, n) where it lies."""
        across, along = rows.strides
        return (
            rows.dtype == np.float64
            and rows.flags.aligned
            and (along == rows.itemsize or rows.shape[1] == 1)
            and across % rows.itemsize == 0
        )

    def _bound(
        self, inputs: Sequence[Array], output: Array, *, past_caches: bool
    ) -> Callable[[int, int], tuple[int, int]]:
        """`bound`; the function returns what the machine code returns, too."""
        strides = (ctypes.c_int64 * len(inputs))(*map(_row_stride, inputs))
        places = [(_address(array), 8 * step) for array, step in zip(inputs, strides, strict=True)]
        result, row_size = _address(output), 8 * math.prod(output.shape[1:])
        pointers_type = ctypes.c_void_p * len(inputs)

        def run(first: int, last: int) -> tuple[int, int]:
            pointers = pointers_type(*(place + first * step for place, step in places))
            row = ctypes.c_int64()
            code = self._batch(
                ctypes.addressof(pointers),
                ctypes.addressof(strides),
                result + first * row_size,
                last - first,
                past_caches,
                ctypes.addressof(row),
            )
            return code, last if code == DONE else first + row.value

        return run

    def _evaluate(self, *arrays: Array) -> int:
        """As a kernel: one sample, in every lane, written in both ways.

        Raises:
            OverflowError: an angle is beyond the range of batches.
        """
        *inputs, out = arrays
        rows = np.full((2, self.lanes, *out.shape), np.nan)
        tiled = [np.tile(vector, (self.lanes, 1)) for vector in inputs]
        for past_caches in (False, True):
            run = self._bound(tiled, rows[int(past_caches)], past_caches=past_caches)
            code = run(0, self.lanes)[0]
        if code == UNREADABLE:
            raise OverflowError('an angle is beyond the range of batches')
        # A lane that differs from the others is as wrong as a NaN.
        out[...] = np.where((rows == rows[0, 0]).all(axis=(0, 1)), rows[0, 0], np.nan)
        return code


def _address(array: Array) -> int:
    return int(array.__array_interface__['data'][0])


def _row_stride(array: Array) -> int:
    """Doubles from a row to the next; 0 where one row holds for all samples."""
    return 0 if array.ndim == 1 else array.strides[0] // array.itemsize


@cache
def _provide_routines(lanes: int) -> None:
    """Compile what all kernels with so many lanes share."""
    provide(llvm_stream.ROUTINE, llvm_stream.copy_ir())
    provide(llvm_vector_sine.routine(lanes), llvm_vector_sine.sines_ir(lanes))
