"""The C functions that emitted code calls, by their addresses in this process."""

from __future__ import annotations

import ctypes

from .llvm_ir import address

# Of CPython's C API, and of the C library that it is linked to.
# (PyObject_Vectorcall is an inline function before Python 3.11.)
C_FUNCTIONS = (
    'PyCapsule_GetPointer',
    'PyCFunction_NewEx',
    'PyErr_BadArgument',
    'PyLong_FromLong',
    'PyMem_RawFree',
    'PyMem_RawMalloc',
    'PyObject_CallNoArgs',
    'PyObject_VectorcallDict',
    'Py_DecRef',
    'Py_IncRef',
    'cos',
    'sin',
)


def functions_are_here() -> bool:
    """Whether this process has all of them."""
    return all(hasattr(ctypes.pythonapi, name) for name in C_FUNCTIONS)


def c_function(name: str) -> str:
    """A pointer constant to one of `C_FUNCTIONS`."""
    assert name in C_FUNCTIONS, name
    return address(ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0)
