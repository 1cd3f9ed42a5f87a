"""LLVM: from IR to machine code in this process, through llvmlite."""

from __future__ import annotations

import ctypes
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from .deep_stack import on_deep_stack
from .llvm_sine import C_FUNCTIONS, ROUTINE, sines_ir

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()

VERSION = f'llvmlite {llvmlite.__version__}, LLVM {".".join(map(str, llvm.llvm_version_info))}'

# Functions of the C library that the emitted code calls.
CALLED = (*C_FUNCTIONS, 'free', 'malloc')


@on_deep_stack
def compile_ir(source: str, level: int = 1) -> Any:
    """Machine code for this CPU: an engine, which must live as long as its functions are called.

    No optimiser looks at the source: a traced program has no constant left to fold, nothing
    computed twice, and no loop. Measured on 6 to 32 joints, LLVM's levels and its SLP vectoriser
    make the code no faster, and take up to thirty times as long. Of the code generator's passes
    the machine scheduler takes a tenth of the time and gains nothing here; LLVM can switch it off
    for a whole process only, which would change the code of other users of LLVM.

    Args:
        source: LLVM IR; it may call the functions `CALLED`, and those that `provide` has compiled.
        level: of the code generator, 0 to 3.
    """
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(source), _machine(level))
    engine.finalize_object()
    return engine


def _machine(level: int) -> Any:
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=level
    )


def vector_lanes() -> int:
    """Doubles in a vector register of this processor."""
    features = llvm.get_host_cpu_features()
    if features.get('avx512f'):
        return 8
    return 4 if features.get('avx2') else 2


def _make_c_functions_known() -> None:
    """LLVM ends the process where a symbol is missing, as in a static one.

    Raises:
        AttributeError: this process does not have one of the functions.
    """
    # An engine makes LLVM look into the process.
    compile_ir('')
    for name in CALLED:
        if llvm.address_of_symbol(name) is None:
            function = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p)
            llvm.add_symbol(name, function.value)


def provide(name: str, source: str) -> None:
    """Compile a routine that kernels call by its name; it stays for ever.

    Args:
        name: of the C function.
        source: LLVM IR that defines it.
    """
    engine = compile_ir(source)
    ctypes.PYFUNCTYPE(None, ctypes.py_object)(('Py_IncRef', ctypes.pythonapi))(engine)
    llvm.add_symbol(name, engine.get_function_address(name))


_make_c_functions_known()
provide(ROUTINE, sines_ir())
