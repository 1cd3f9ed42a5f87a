"""Machine code of a program that one process compiles, and another one loads.

It holds no address of the process that compiled it. It is for the same processor.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...checks import Array
from ...errors import NativeCodeError
from ..program import Program, Signature
from .llvm import emit_object, load_object
from .llvm_kernel import DONE, kernel_ir
from .native_kernel import NativeKernel, level_of
from .self_check import SIZES, check_kernel


@dataclass(frozen=True)
class ObjectCode:
    """A compiled program, as bytes.

    Attributes:
        signature: of the program.
        code: object file with the function `kernel`.
        sample: inputs, and the result that the code gave there where it was compiled; empty if it
            gave none.
    """

    signature: Signature
    code: bytes
    sample: tuple[Array, ...]

    @classmethod
    def of(cls, program: Program) -> ObjectCode:
        """Compile a program, and compare the code with it.

        Raises:
            NativeCodeError: the machine code computes other values than the program.
        """
        code = emit_object(kernel_ir(program), level_of(program))
        kernel = NativeKernel(load_object(code), program.signature)
        check_kernel(program, kernel.outcome)
        return cls(program.signature, code, _sample(kernel, program.signature))

    def load(self) -> NativeKernel:
        """The machine code in this process, if it computes what it did in the other one.

        Raises:
            NativeCodeError: it computes something else.
        """
        kernel = NativeKernel(load_object(self.code), self.signature)
        if self.sample:
            *inputs, expected = self.sample
            result = np.full(self.signature.shape, np.nan)
            code = kernel.outcome(*inputs, result)
            if code != DONE or not np.array_equal(result, expected):
                raise NativeCodeError(
                    f'{self.signature.name}: native code that another process compiled computes '
                    f'other values here (outcome {code}): compile it in this process'
                )
        return kernel


def _sample(kernel: NativeKernel, signature: Signature) -> tuple[Array, ...]:
    """Inputs and result, where there is one at one of the sizes of `check_kernel`."""
    random = np.random.default_rng(0)
    for largest in SIZES:
        inputs = [random.uniform(-largest, largest, size) for size in signature.inputs.values()]
        result = np.full(signature.shape, np.nan)
        if kernel.outcome(*inputs, result) == DONE and np.isfinite(result).all():
            return (*inputs, result)
    return ()
