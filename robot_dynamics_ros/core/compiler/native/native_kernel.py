"""The native back end: a program as machine code that can be called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..program import Program
from .entry import make_entry
from .llvm import compile_ir
from .llvm_kernel import ANGLE_NOT_FINITE, OUT_OF_MEMORY, UNREADABLE, kernel_ir
from .self_check import check_kernel

# Steps from which on compiling in good time matters more than the last microsecond: at level 0
# the code compiles ten times as fast and runs half as fast.
LARGE = 100_000


def level_of(program: Program) -> int:
    """With which level of the code generator to compile a program."""
    return 1 if len(program.steps()) < LARGE else 0


class NativeKernel:
    """A program as machine code.

    It holds none of the functions that it makes, and none of them holds it: no cycle
    keeps machine code in memory, and no attribute that is changed frees what a function needs.
    """

    def __init__(self, program: Program) -> None:
        """Compile a program, and compare the result with it.

        Raises:
            NativeCodeError: the machine code computes other values than the program.
        """
        engine = compile_ir(kernel_ir(program), level_of(program))
        address = engine.get_function_address('kernel')
        sizes = tuple(program.inputs.values())
        # What it returns at (input..., out).
        self.outcome = make_entry(address, engine, sizes, program.shape)
        check_kernel(program, self.outcome)

    def callable(self, fallback: Callable[..., Any]) -> Callable[..., Any]:
        """`call(input..., out)`; `out` is None for a new array.

        Args:
            fallback: gets the arguments of every call that is not plain float64 arrays in range,
                or has no result, and answers in its place.
        """
        call: Callable[..., Any] = self.outcome.with_fallback(fallback)
        return call

    def bind(
        self, fallback: Callable[[], None], inputs: Sequence[Any], output: Any
    ) -> Callable[[], None]:
        """A function that computes from `inputs` into `output`.

        Args:
            fallback: is called in its place when an array is not contiguous float64 of the right
                size any more, a value is out of range, or there is no result.
            inputs: contiguous float64 vectors.
            output: contiguous writeable float64 array that overlaps none of them.
        """
        arrays = (*inputs, output)
        step: Callable[[], None] = self.outcome.with_fallback(fallback, arrays)
        return step

    def evaluate(self, inputs: Sequence[Any], output: Any) -> int:
        """Compute from finite inputs of any size; the output need not be finite then.

        Args:
            inputs: contiguous float64 vectors.
            output: contiguous writeable float64 array that overlaps none of them.

        Returns:
            0, or the number of the condition of the program that does not hold, from 1; the
            output is as it was then.

        Raises:
            OverflowError: an angle is too large for a double.
            MemoryError: there is no scratch memory.
        """
        outcome = int(self.outcome(*inputs, output))
        if outcome == ANGLE_NOT_FINITE:
            raise OverflowError('an angle is too large for a double')
        if outcome == OUT_OF_MEMORY:
            raise MemoryError('no scratch memory for native code')
        if outcome == UNREADABLE:
            raise AssertionError('arrays that were checked cannot be read')
        return outcome
