"""The native back end: programs become machine code, in process, through llvmlite."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from .llvm_ir import address
from .llvm_kernel import ANGLE_NOT_FINITE, OUT_OF_MEMORY, kernel_ir
from .llvm_sine import sines_ir
from .ndarray import reader_ir
from .numpy_compute import UNREADABLE
from .numpy_entry import entry_ir
from .program import Program

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()

VERSION = f'llvmlite {llvmlite.__version__}, LLVM {".".join(map(str, llvm.llvm_version_info))}'

# Steps from which on compiling in good time matters more than the last microsecond: at level 0
# the code compiles ten times as fast and runs half as fast.
LARGE = 100_000

# Prototypes of our own: those that ctypes.pythonapi keeps are shared with the whole process.
_new_builtin = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p
)(('PyCFunction_NewEx', ctypes.pythonapi))
_new_capsule = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.py_object, ctypes.c_char_p, ctypes.c_void_p
)(('PyCapsule_New', ctypes.pythonapi))
_increment = ctypes.PYFUNCTYPE(None, ctypes.py_object)(('Py_IncRef', ctypes.pythonapi))


class NativeKernel:
    """A program as machine code, with the entry points of `numpy_entry`.

    It holds none of the functions that it makes, and none of them holds it: no cycle keeps
    machine code in memory, and no attribute that is changed frees what a function needs.
    """

    def __init__(self, program: Program) -> None:
        """Compile a program."""
        sines, read = (address(SHARED.get_function_address(name)) for name in ('sines', 'read'))
        source = kernel_ir(program, sines) + entry_ir(program, read)
        engine = _compile(source, level=1 if len(program.steps()) < LARGE else 0)
        self._code = _capsule(engine)
        self._evaluate = _builtin(engine, 'evaluate', self._code)
        self._make_call = _builtin(engine, 'make_call', self._code)
        self._make_step = _builtin(engine, 'make_step', self._code)

    def callable(self, fallback: Callable[..., Any]) -> Callable[..., Any]:
        """`call(input..., out)`, a builtin; `out` is None for a new array.

        Args:
            fallback: gets the arguments of every call that is not plain float64 arrays in range,
                or has no result, and answers in its place.
        """
        call: Callable[..., Any] = self._make_call((self._code, fallback))
        return call

    def bind(
        self, fallback: Callable[[], None], inputs: Sequence[Any], output: Any
    ) -> Callable[[], None]:
        """A builtin that computes from `inputs` into `output`.

        Args:
            fallback: is called in its place when an array is not contiguous float64 of the right
                size any more, a value is out of range, or there is no result.
            inputs: contiguous float64 vectors.
            output: contiguous writeable float64 array that overlaps none of them.
        """
        step: Callable[[], None] = self._make_step((self._code, fallback, *inputs, output))
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
        outcome = int(self._evaluate(*inputs, output))
        if outcome == ANGLE_NOT_FINITE:
            raise OverflowError('an angle is too large for a double')
        if outcome == OUT_OF_MEMORY:
            raise MemoryError('no scratch memory for native code')
        if outcome == UNREADABLE:
            raise AssertionError('arrays that were checked cannot be read')
        return outcome


def _compile(source: str, level: int) -> Any:
    """Machine code for this CPU.

    No optimiser looks at the source: a traced program has no constant left to fold, nothing
    computed twice, and no loop. Measured on 6 to 32 joints, LLVM's levels and its SLP vectoriser
    make the code no faster, and take up to thirty times as long. Of the code generator's passes
    the machine scheduler takes a tenth of the time and gains nothing here; LLVM can switch it off
    for a whole process only, which would change the code of other users of LLVM.
    """
    module = llvm.parse_assembly(source)
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=level
    )
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine


def _capsule(engine: Any) -> object:
    """What keeps the machine code alive, and cannot be opened from Python.

    The garbage collector does not see its reference to the engine either: it finalises no engine
    while a function of it can still be called, as it might with objects of one dead cycle.
    """
    _increment(engine)
    return _new_capsule(engine, None, engine.get_function_address('release'))


def _builtin(engine: Any, name: str, code: object) -> Any:
    return _new_builtin(engine.get_global_value_address(f'{name}.definition'), (code,), None)


# What every kernel calls, compiled once; the reference that nobody drops keeps it for ever.
SHARED = _compile(sines_ir() + reader_ir(), level=1)
_increment(SHARED)
