"""NumPy arrays and tuples as emitted code sees them: where fields lie, and IR that reads them.

The offsets are those of the public structures of CPython (PyObject and PyTupleObject) and NumPy
(PyArrayObject_fields, since 1.0); `layout_is_known` compares them with live objects.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from importlib import import_module
from typing import Any

import numpy as np

from .c_functions import functions_are_here
from .llvm_ir import address

TYPE, DATA, RANK, DIMENSIONS, DESCRIPTOR, ARRAY_FLAGS = 8, 16, 24, 32, 56, 64
# The items follow the other fields, of which Python 3.14 has one more.
TUPLE_SIZE, TUPLE_ITEMS = 16, tuple.__basicsize__
C_CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400
READABLE = C_CONTIGUOUS | ALIGNED
NPY_DOUBLE = 12
# Index of PyArray_New in NumPy's C API table, fixed by its ABI.
PYARRAY_NEW = 93


def layout_is_known() -> bool:
    """Whether arrays and tuples of this interpreter look as the emitted code expects."""
    if sys.implementation.name != 'cpython' or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    if sysconfig.get_config_var('Py_GIL_DISABLED') or not functions_are_here():
        return False
    return _array_is_known(np.zeros((3, 5))) and _tuple_is_known((object(), object(), object()))


def _array_is_known(probe: Any) -> bool:
    return (
        _word(probe, TYPE) == id(np.ndarray)
        and _word(probe, DATA) == probe.ctypes.data
        and _word(probe, RANK, ctypes.c_int) == 2
        and _pair(probe, DIMENSIONS) == [3, 5]
        and _word(probe, DESCRIPTOR) == id(np.dtype(np.float64))
        and _word(probe, ARRAY_FLAGS, ctypes.c_int) & 0x501 == READABLE | WRITEABLE
    )


def _tuple_is_known(probe: tuple[object, ...]) -> bool:
    items = [_word(probe, TUPLE_ITEMS + 8 * index) for index in range(len(probe))]
    return (
        _word(probe, TYPE) == id(tuple)
        and _word(probe, TUPLE_SIZE) == len(probe)
        and items == [id(item) for item in probe]
    )


def _word(probe: object, offset: int, kind: Any = ctypes.c_void_p) -> int:
    return int(kind.from_address(id(probe) + offset).value or 0)


def _pair(probe: object, offset: int) -> list[int]:
    """What an array of two sizes holds, which the probe points to."""
    return list((ctypes.c_ssize_t * 2).from_address(_word(probe, offset)))


def array_type() -> str:
    """A pointer constant to the type of arrays."""
    return address(id(np.ndarray))


def pyarray_new() -> str:
    """A pointer constant to PyArray_New of NumPy's C API."""
    # NumPy 2 has renamed its core.
    core = 'numpy._core' if hasattr(np, '_core') else 'numpy.core'
    multiarray = import_module(f'{core}._multiarray_umath')
    # A prototype of our own: those that ctypes.pythonapi keeps are shared with the whole process.
    prototype = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    table = prototype(('PyCapsule_GetPointer', ctypes.pythonapi))(multiarray._ARRAY_API, None)
    return address(ctypes.c_void_p.from_address(table + 8 * PYARRAY_NEW).value or 0)


def field(target: str, kind: str, pointer: str, offset: int) -> list[str]:
    """IR that loads a field of a structure."""
    return [
        f'  {target}.at = getelementptr i8, ptr {pointer}, i64 {offset}',
        f'  {target} = load {kind}, ptr {target}.at',
    ]


def conjunction(target: str, conditions: list[str]) -> list[str]:
    """`target` = the conjunction of i1 values."""
    lines, value = [], conditions[0]
    for index, condition in enumerate(conditions[1:]):
        lines.append(f'  {target}.{index} = and i1 {value}, {condition}')
        value = f'{target}.{index}'
    return [*lines, f'  {target} = and i1 {value}, true']


def reader_ir() -> str:
    """Definition of `ptr read(ptr object, i32 rank, ptr shape, i32 flags)`.

    The data of a float64 array of that rank and shape that has these flags, else null.
    """
    return '\n'.join(
        [
            'define ptr @read(ptr %object, i32 %rank, ptr %shape, i32 %flags) {',
            *field('%type', 'ptr', '%object', TYPE),
            f'  %is.array = icmp eq ptr %type, {address(id(np.ndarray))}',
            '  br i1 %is.array, label %array, label %other',
            'array:',
            *field('%own.rank', 'i32', '%object', RANK),
            '  %has.rank = icmp eq i32 %own.rank, %rank',
            *field('%descriptor', 'ptr', '%object', DESCRIPTOR),
            f'  %is.double = icmp eq ptr %descriptor, {address(id(np.dtype(np.float64)))}',
            *field('%own.flags', 'i32', '%object', ARRAY_FLAGS),
            '  %held = and i32 %own.flags, %flags',
            '  %has.flags = icmp eq i32 %held, %flags',
            *conjunction('%usable', ['%has.rank', '%is.double', '%has.flags']),
            *field('%dimensions', 'ptr', '%object', DIMENSIONS),
            *field('%data', 'ptr', '%object', DATA),
            '  br i1 %usable, label %axis, label %other',
            'axis:',
            '  %i = phi i32 [0, %array], [%next, %compare]',
            '  %last = icmp eq i32 %i, %rank',
            '  br i1 %last, label %fits, label %compare',
            'compare:',
            '  %extent.at = getelementptr i64, ptr %dimensions, i32 %i',
            '  %extent = load i64, ptr %extent.at',
            '  %needed.at = getelementptr i64, ptr %shape, i32 %i',
            '  %needed = load i64, ptr %needed.at',
            '  %same = icmp eq i64 %extent, %needed',
            '  %next = add i32 %i, 1',
            '  br i1 %same, label %axis, label %other',
            'fits:',
            '  ret ptr %data',
            'other:',
            '  ret ptr null',
            '}',
            '',
        ]
    )
