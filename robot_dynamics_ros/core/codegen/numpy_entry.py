"""LLVM IR of two CPython functions around a kernel, so that a call costs less than the dynamics.

`call(input..., out)` is a builtin that reads NumPy arrays where they lie: it checks type, length,
layout and range of every argument in a few instructions, makes a new output array if `out` is
None, and runs the kernel. Whatever is not a well-behaved array of float64 in range goes to a
Python function, which converts it or says what is wrong with it. `step()` is a builtin bound to
arrays that were checked before: it checks the range of the values and runs the kernel.

The offsets are those of the public structures of CPython (PyObject, since 1.x) and NumPy
(PyArrayObject_fields, since 1.0); `layout_is_known` compares them with a live array.
"""

from __future__ import annotations

import ctypes
import math
import struct
import sys
import sysconfig
from importlib import import_module
from typing import Any

import numpy as np

from .llvm_ir import RANGE
from .program import Program

TYPE, DATA, RANK, DIMENSIONS, STRIDES, DESCRIPTOR, ARRAY_FLAGS = 8, 16, 24, 32, 40, 56, 64
C_CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400
NPY_DOUBLE = 12
# Index of PyArray_New in NumPy's C API table, fixed by its ABI.
PYARRAY_NEW = 93

RANGE_BITS = struct.unpack('<q', struct.pack('<d', RANGE))[0]
MAGNITUDE = 2**63 - 1


def layout_is_known() -> bool:
    """Whether arrays of this interpreter look as the emitted code expects."""
    if sys.implementation.name != 'cpython' or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    if sysconfig.get_config_var('Py_GIL_DISABLED'):
        return False
    probe = np.zeros((3, 5))

    def word(offset: int, kind: Any = ctypes.c_void_p) -> int:
        return int(kind.from_address(id(probe) + offset).value)

    return (
        word(TYPE) == id(np.ndarray)
        and word(DATA) == probe.ctypes.data
        and word(RANK, ctypes.c_int) == 2
        and list((ctypes.c_ssize_t * 2).from_address(word(DIMENSIONS))) == [3, 5]
        and list((ctypes.c_ssize_t * 2).from_address(word(STRIDES))) == [40, 8]
        and word(DESCRIPTOR) == id(np.dtype(np.float64))
        and word(ARRAY_FLAGS, ctypes.c_int) & 0x501 == C_CONTIGUOUS | ALIGNED | WRITEABLE
    )


def entry_ir(program: Program) -> str:
    """Definitions of `call` and `step`, around a function `kernel` defined elsewhere."""
    inputs = list(program.inputs.items())
    shape = ', '.join(f'i64 {extent}' for extent in program.shape)
    return '\n'.join(
        [
            f'@shape = internal constant [{len(program.shape)} x i64] [{shape}]',
            *_checked_vector(),
            *_checked_output(program.shape),
            *_in_range(program),
            *_call(inputs, program.shape),
            *_step(inputs),
        ]
    )


def _address(value: int) -> str:
    return f'inttoptr (i64 {value} to ptr)'


def _function(name: str) -> str:
    return _address(ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0)


def _pyarray_new() -> str:
    # NumPy 2 has renamed its core.
    core = 'numpy._core' if hasattr(np, '_core') else 'numpy.core'
    multiarray = import_module(f'{core}._multiarray_umath')
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = pointer(multiarray._ARRAY_API, None)
    return _address(ctypes.c_void_p.from_address(table + 8 * PYARRAY_NEW).value or 0)


def _field(target: str, kind: str, pointer: str, offset: int) -> list[str]:
    return [
        f'  {target}.at = getelementptr i8, ptr {pointer}, i64 {offset}',
        f'  {target} = load {kind}, ptr {target}.at',
    ]


def _all(target: str, conditions: list[str]) -> list[str]:
    """`target` = the conjunction of i1 values."""
    lines, value = [], conditions[0]
    for index, condition in enumerate(conditions[1:]):
        lines.append(f'  {target}.{index} = and i1 {value}, {condition}')
        value = f'{target}.{index}'
    return [*lines, f'  {target} = and i1 {value}, true']


def _checked_vector() -> list[str]:
    """`ptr vector(object, size)`: the data of a contiguous float64 vector, else null."""
    return [
        'define internal ptr @vector(ptr %object, i64 %size) {',
        *_field('%type', 'ptr', '%object', TYPE),
        f'  %is.array = icmp eq ptr %type, {_address(id(np.ndarray))}',
        '  br i1 %is.array, label %array, label %other',
        'array:',
        *_field('%rank', 'i32', '%object', RANK),
        '  %is.vector = icmp eq i32 %rank, 1',
        '  br i1 %is.vector, label %check, label %other',
        'check:',
        *_field('%dimensions', 'ptr', '%object', DIMENSIONS),
        '  %extent = load i64, ptr %dimensions',
        '  %fits = icmp eq i64 %extent, %size',
        *_field('%strides', 'ptr', '%object', STRIDES),
        '  %stride = load i64, ptr %strides',
        '  %dense = icmp eq i64 %stride, 8',
        *_field('%descriptor', 'ptr', '%object', DESCRIPTOR),
        f'  %is.double = icmp eq ptr %descriptor, {_address(id(np.dtype(np.float64)))}',
        *_field('%flags', 'i32', '%object', ARRAY_FLAGS),
        f'  %aligned = and i32 %flags, {ALIGNED}',
        '  %is.aligned = icmp ne i32 %aligned, 0',
        *_all('%usable', ['%fits', '%dense', '%is.double', '%is.aligned']),
        *_field('%data', 'ptr', '%object', DATA),
        '  %result = select i1 %usable, ptr %data, ptr null',
        '  ret ptr %result',
        'other:',
        '  ret ptr null',
        '}',
    ]


def _checked_output(shape: tuple[int, ...]) -> list[str]:
    """`ptr output(object)`: the data of a writeable float64 array of that shape, else null."""
    needed = C_CONTIGUOUS | ALIGNED | WRITEABLE
    extents = [
        line
        for axis, extent in enumerate(shape)
        for line in (
            *_field(f'%extent{axis}', 'i64', '%dimensions', 8 * axis),
            f'  %fits{axis} = icmp eq i64 %extent{axis}, {extent}',
        )
    ]
    fits = [f'%fits{axis}' for axis in range(len(shape))]
    return [
        'define internal ptr @output(ptr %object) {',
        *_field('%type', 'ptr', '%object', TYPE),
        f'  %is.array = icmp eq ptr %type, {_address(id(np.ndarray))}',
        '  br i1 %is.array, label %array, label %other',
        'array:',
        *_field('%rank', 'i32', '%object', RANK),
        f'  %has.rank = icmp eq i32 %rank, {len(shape)}',
        '  br i1 %has.rank, label %check, label %other',
        'check:',
        *_field('%dimensions', 'ptr', '%object', DIMENSIONS),
        *extents,
        *_field('%descriptor', 'ptr', '%object', DESCRIPTOR),
        f'  %is.double = icmp eq ptr %descriptor, {_address(id(np.dtype(np.float64)))}',
        *_field('%flags', 'i32', '%object', ARRAY_FLAGS),
        f'  %held = and i32 %flags, {needed}',
        f'  %is.open = icmp eq i32 %held, {needed}',
        *_all('%usable', [*fits, '%is.double', '%is.open']),
        *_field('%data', 'ptr', '%object', DATA),
        '  %result = select i1 %usable, ptr %data, ptr null',
        '  ret ptr %result',
        'other:',
        '  ret ptr null',
        '}',
    ]


def _in_range(program: Program) -> list[str]:
    """`i1 in_range(ptr input...)`: every value is finite and smaller than RANGE.

    The bits of a magnitude grow with it, NaN and infinity being the largest: adding the distance
    from RANGE to the sign bit sets the sign bit of those that are too large.
    """
    parameters = ', '.join(f'ptr %{vector}' for vector in program.inputs)
    lines = [f'define internal i1 @in_range({parameters}) {{']
    merged = '0'
    for vector, size in program.inputs.items():
        for index in range(size):
            name = f'%{vector}.{index}'
            lines += [
                *_field(f'{name}.bits', 'i64', f'%{vector}', 8 * index),
                f'  {name}.size = and i64 {name}.bits, {MAGNITUDE}',
                f'  {name}.sum = add i64 {name}.size, {2**63 - RANGE_BITS}',
                f'  {name}.or = or i64 {merged}, {name}.sum',
            ]
            merged = f'{name}.or'
    return [*lines, f'  %good = icmp sge i64 {merged}, 0', '  ret i1 %good', '}']


def _call(inputs: list[tuple[str, int]], shape: tuple[int, ...]) -> list[str]:
    count = len(inputs)
    lines = [
        'define ptr @call(ptr %careful, ptr %arguments, i64 %count) {',
        f'  %expected = icmp eq i64 %count, {count + 1}',
        '  br i1 %expected, label %read, label %hand.over',
        'read:',
    ]
    for index, (name, size) in enumerate(inputs):
        lines += [
            *_field(f'%object.{name}', 'ptr', '%arguments', 8 * index),
            f'  %{name} = call ptr @vector(ptr %object.{name}, i64 {size})',
            f'  %is.{name} = icmp ne ptr %{name}, null',
        ]
    pointers = ', '.join(f'ptr %{name}' for name, _ in inputs)
    return [
        *lines,
        *_all('%readable', [f'%is.{name}' for name, _ in inputs]),
        '  br i1 %readable, label %examine, label %hand.over',
        'examine:',
        f'  %good = call i1 @in_range({pointers})',
        '  br i1 %good, label %choose, label %hand.over',
        'choose:',
        *_field('%given', 'ptr', '%arguments', 8 * count),
        f'  %is.none = icmp eq ptr %given, {_address(id(None))}',
        '  br i1 %is.none, label %make, label %use',
        'make:',
        f'  %made = call ptr {_pyarray_new()}(ptr {_address(id(np.ndarray))}, i32 {len(shape)}, '
        f'ptr @shape, i32 {NPY_DOUBLE}, ptr null, ptr null, i32 0, i32 0, ptr null)',
        '  %failed = icmp eq ptr %made, null',
        '  br i1 %failed, label %out.of.memory, label %fill',
        'out.of.memory:',
        '  ret ptr null',
        'fill:',
        *_field('%new', 'ptr', '%made', DATA),
        f'  call void @kernel({pointers}, ptr %new)',
        '  ret ptr %made',
        'use:',
        '  %out = call ptr @output(ptr %given)',
        '  %is.out = icmp ne ptr %out, null',
        '  br i1 %is.out, label %compare, label %hand.over',
        'compare:',
        *_apart(inputs, math.prod(shape)),
        '  br i1 %apart, label %reuse, label %hand.over',
        'reuse:',
        f'  call void @kernel({pointers}, ptr %out)',
        f'  call void {_function("Py_IncRef")}(ptr %given)',
        '  ret ptr %given',
        'hand.over:',
        f'  %answer = call ptr {_function("PyObject_Vectorcall")}(ptr %careful, '
        'ptr %arguments, i64 %count, ptr null)',
        '  ret ptr %answer',
        '}',
    ]


def _apart(inputs: list[tuple[str, int]], entries: int) -> list[str]:
    """`%apart`: the output overlaps no input."""
    lines = [f'  %out.end = getelementptr double, ptr %out, i64 {entries}']
    for name, size in inputs:
        lines += [
            f'  %{name}.end = getelementptr double, ptr %{name}, i64 {size}',
            f'  %{name}.before = icmp ule ptr %{name}.end, %out',
            f'  %{name}.after = icmp ule ptr %out.end, %{name}',
            f'  %{name}.apart = or i1 %{name}.before, %{name}.after',
        ]
    return [*lines, *_all('%apart', [f'%{name}.apart' for name, _ in inputs])]


def _step(inputs: list[tuple[str, int]]) -> list[str]:
    """The bound object is an array of objects: a function for bad values, inputs, output."""
    names = [name for name, _ in inputs]
    lines = [
        'define ptr @step(ptr %bound, ptr %unused) {',
        *_field('%table', 'ptr', '%bound', DATA),
        *_field('%careful', 'ptr', '%table', 0),
    ]
    for index, name in enumerate([*names, 'out']):
        lines += [
            *_field(f'%object.{name}', 'ptr', '%table', 8 * (index + 1)),
            *_field(f'%{name}', 'ptr', f'%object.{name}', DATA),
        ]
    pointers = ', '.join(f'ptr %{name}' for name in names)
    return [
        *lines,
        f'  %good = call i1 @in_range({pointers})',
        '  br i1 %good, label %run, label %hand.over',
        'run:',
        f'  call void @kernel({pointers}, ptr %out)',
        f'  call void {_function("Py_IncRef")}(ptr {_address(id(None))})',
        f'  ret ptr {_address(id(None))}',
        'hand.over:',
        f'  %answer = call ptr {_function("PyObject_CallNoArgs")}(ptr %careful)',
        '  ret ptr %answer',
        '}',
    ]
