"""The native back end of batches: a program as machine code that computes many samples at once."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

from ..checks import Array
from .llvm import compile_ir, vector_lanes
from .llvm_batch import batch_ir
from .llvm_kernel import DONE, OUT_OF_MEMORY
from .native_kernel import level_of
from .program import Program
from .self_check import check_kernel

# It gives back the interpreter's lock while it computes.
PROTOTYPE = ctypes.CFUNCTYPE(
    ctypes.c_int64,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.c_void_p,
)


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
        # A function of it is called with this object alive alone, which keeps it alive.
        self._engine = compile_ir(batch_ir(program, self.lanes), level_of(program))
        self._batch = PROTOTYPE(self._engine.get_function_address('batch'))
        check_kernel(program, self._evaluate)

    def run(self, inputs: Sequence[Array], output: Array) -> int:
        """Compute until a block of samples has no result, or needs plain Python's checks.

        Args:
            inputs: float64 arrays (n,), or (N, n) with contiguous rows at any distance.
            output: contiguous float64 array (N, ...), which overlaps none of them.

        Returns:
            How many samples are written: N, or the first of a block that is not, a multiple of
            `lanes`.

        Raises:
            MemoryError: there is no scratch memory.
        """
        return self._run(inputs, output)[1]

    @staticmethod
    def can_read(rows: Array) -> bool:
        """Whether `run` reads this array (N, n) where it lies."""
        across, along = rows.strides
        return (
            rows.dtype == np.float64
            and rows.flags.aligned
            and (along == rows.itemsize or rows.shape[1] == 1)
            and across % rows.itemsize == 0
        )

    def _run(self, inputs: Sequence[Array], output: Array) -> tuple[int, int]:
        """What the machine code returns, and how many samples are written."""
        count, samples = len(inputs), len(output)
        pointers = (ctypes.c_void_p * count)(*map(_address, inputs))
        strides = (ctypes.c_int64 * count)(*map(_row_stride, inputs))
        row = ctypes.c_int64()
        code = int(
            self._batch(
                ctypes.addressof(pointers),
                ctypes.addressof(strides),
                _address(output),
                samples,
                ctypes.addressof(row),
            )
        )
        if code == OUT_OF_MEMORY:
            raise MemoryError('no scratch memory for native code')
        return code, samples if code == DONE else row.value

    def _evaluate(self, *arrays: Array) -> int:
        """As a kernel: one sample, in every lane."""
        *inputs, out = arrays
        rows = np.full((self.lanes, *out.shape), np.nan)
        code = self._run([np.tile(vector, (self.lanes, 1)) for vector in inputs], rows)[0]
        # A lane that differs from the others is as wrong as a NaN.
        out[...] = np.where((rows == rows[0]).all(axis=0), rows[0], np.nan)
        return code


def _address(array: Array) -> int:
    return int(array.__array_interface__['data'][0])


def _row_stride(array: Array) -> int:
    """Doubles from a row to the next; 0 where one row holds for all samples."""
    return 0 if array.ndim == 1 else array.strides[0] // array.itemsize
