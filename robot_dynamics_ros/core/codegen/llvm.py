"""The native back end: programs become machine code, in process, through llvmlite."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from .llvm_kernel import kernel_ir
from .numpy_entry import entry_ir
from .program import Program

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
# An algorithm computes a thing shortly before it uses it. The machine scheduler undoes that in
# blocks of thousands of instructions: without it, 32 joints compile in two thirds of the time and
# run a fifth faster. LLVM has this switch for a whole process only.
llvm.set_option('robot_dynamics_ros', '-enable-misched=false')

VERSION = f'llvmlite {llvmlite.__version__}, LLVM {".".join(map(str, llvm.llvm_version_info))}'

# Steps from which on compiling in good time matters more than the last microsecond: at level 0
# the code compiles ten times as fast and runs half as fast.
LARGE = 100_000

METH_NOARGS, METH_FASTCALL = 0x0004, 0x0080


class NativeKernel:
    """A program as machine code, with the two entry points of `numpy_entry`.

    It holds none of its builtins, and they hold it: no cycle keeps machine code in memory.
    """

    def __init__(self, program: Program) -> None:
        """Compile a program."""
        source = kernel_ir(program, 'kernel') + entry_ir(program)
        steps = sum(1 for _ in program.steps())
        self._engine = _compile(source, level=1 if steps < LARGE else 0)
        name = program.name.encode()
        self._call_definition = _method(name, self._address('call'), METH_FASTCALL)
        self._step_definition = _method(name, self._address('step'), METH_NOARGS)

    def callable(self, fallback: Callable[..., Any]) -> Callable[..., Any]:
        """`call(input..., out)`, a builtin; `out` is None for a new array.

        Args:
            fallback: gets the arguments of every call that is not plain float64 arrays in range,
                and answers in its place; it must keep this object alive.
        """
        call: Callable[..., Any] = _builtin(self._call_definition, fallback)
        return call

    def bind(
        self, fallback: Callable[[], None], inputs: Sequence[Any], output: Any
    ) -> Callable[[], None]:
        """A builtin that computes from `inputs` into `output`, arrays that were checked.

        Args:
            fallback: is called in its place when a value is out of range.
            inputs: contiguous float64 vectors.
            output: contiguous writeable float64 array that overlaps none of them.
        """
        # The last entry keeps the machine code alive as long as the builtin is.
        bound = np.empty(len(inputs) + 3, dtype=object)
        for index, held in enumerate([fallback, *inputs, output, self]):
            bound[index] = held
        step: Callable[[], None] = _builtin(self._step_definition, bound)
        return step

    def _address(self, name: str) -> int:
        return int(self._engine.get_function_address(name))


def _compile(source: str, level: int) -> Any:
    """Machine code for this CPU.

    No optimiser looks at the source: a traced program has no constant left to fold, nothing
    computed twice, and neither branch nor loop. Measured on 6 to 32 joints, LLVM's levels and its
    SLP vectoriser make the code no faster, and take up to thirty times as long.
    """
    module = llvm.parse_assembly(source)
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=level
    )
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine


class _MethodDefinition(ctypes.Structure):
    """PyMethodDef of CPython's stable ABI."""

    _fields_ = (
        ('name', ctypes.c_char_p),
        ('function', ctypes.c_void_p),
        ('flags', ctypes.c_int),
        ('doc', ctypes.c_char_p),
    )


# A builtin reads its definition when it dies, which in a cycle may be after everything else that
# we own: definitions, of 32 bytes each, stay for ever.
_definitions: list[_MethodDefinition] = []


def _method(name: bytes, address: int, flags: int) -> _MethodDefinition:
    _definitions.append(_MethodDefinition(name, address, flags, None))
    return _definitions[-1]


def _builtin(definition: _MethodDefinition, bound: object) -> Any:
    create = ctypes.pythonapi.PyCFunction_NewEx
    create.restype = ctypes.py_object
    create.argtypes = [ctypes.POINTER(_MethodDefinition), ctypes.py_object, ctypes.c_void_p]
    return create(ctypes.byref(definition), bound, None)
