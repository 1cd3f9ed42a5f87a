"""LLVM IR of two CPython functions around a kernel, so that a call costs less than the dynamics.

`call(input..., out)` is a builtin that reads NumPy arrays where they lie: it checks type, length,
layout and range of every argument in a few instructions, makes a new output array if `out` is
None, and runs the kernel. Whatever is not a well-behaved array of float64 in range goes to a
Python function, which converts it or says what is wrong with it. `step()` is a builtin bound to
arrays that were checked before: it checks the range of the values and runs the kernel.
"""

from __future__ import annotations

import math
import struct

import numpy as np

from .llvm_ir import RANGE
from .ndarray import (
    DATA,
    NPY_DOUBLE,
    address,
    conjunction,
    field,
    function,
    output_reader,
    pyarray_new,
    vector_reader,
)
from .program import Program

RANGE_BITS = struct.unpack('<q', struct.pack('<d', RANGE))[0]
MAGNITUDE = 2**63 - 1


def entry_ir(program: Program) -> str:
    """Definitions of `call` and `step`, around a function `kernel` defined elsewhere."""
    inputs = list(program.inputs.items())
    shape = ', '.join(f'i64 {extent}' for extent in program.shape)
    return '\n'.join(
        [
            f'@shape = internal constant [{len(program.shape)} x i64] [{shape}]',
            *vector_reader(),
            *output_reader(program.shape),
            *_in_range(program),
            *_call(inputs, program.shape),
            *_step(inputs),
        ]
    )


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
                *field(f'{name}.bits', 'i64', f'%{vector}', 8 * index),
                f'  {name}.size = and i64 {name}.bits, {MAGNITUDE}',
                f'  {name}.sum = add i64 {name}.size, {2**63 - RANGE_BITS}',
                f'  {name}.or = or i64 {merged}, {name}.sum',
            ]
            merged = f'{name}.or'
    return [*lines, f'  %good = icmp sge i64 {merged}, 0', '  ret i1 %good', '}']


def _call(inputs: list[tuple[str, int]], shape: tuple[int, ...]) -> list[str]:
    count = len(inputs)
    lines = [
        'define ptr @call(ptr %fallback, ptr %arguments, i64 %count) {',
        f'  %expected = icmp eq i64 %count, {count + 1}',
        '  br i1 %expected, label %read, label %hand.over',
        'read:',
    ]
    for index, (name, size) in enumerate(inputs):
        lines += [
            *field(f'%object.{name}', 'ptr', '%arguments', 8 * index),
            f'  %{name} = call ptr @vector(ptr %object.{name}, i64 {size})',
            f'  %is.{name} = icmp ne ptr %{name}, null',
        ]
    pointers = ', '.join(f'ptr %{name}' for name, _ in inputs)
    return [
        *lines,
        *conjunction('%readable', [f'%is.{name}' for name, _ in inputs]),
        '  br i1 %readable, label %examine, label %hand.over',
        'examine:',
        f'  %good = call i1 @in_range({pointers})',
        '  br i1 %good, label %choose, label %hand.over',
        'choose:',
        *field('%given', 'ptr', '%arguments', 8 * count),
        f'  %is.none = icmp eq ptr %given, {address(id(None))}',
        '  br i1 %is.none, label %make, label %use',
        'make:',
        f'  %made = call ptr {pyarray_new()}(ptr {address(id(np.ndarray))}, i32 {len(shape)}, '
        f'ptr @shape, i32 {NPY_DOUBLE}, ptr null, ptr null, i32 0, i32 0, ptr null)',
        '  %failed = icmp eq ptr %made, null',
        '  br i1 %failed, label %out.of.memory, label %fill',
        'out.of.memory:',
        '  ret ptr null',
        'fill:',
        *field('%new', 'ptr', '%made', DATA),
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
        f'  call void {function("Py_IncRef")}(ptr %given)',
        '  ret ptr %given',
        'hand.over:',
        f'  %answer = call ptr {function("PyObject_VectorcallDict")}(ptr %fallback, '
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
    return [*lines, *conjunction('%apart', [f'%{name}.apart' for name, _ in inputs])]


def _step(inputs: list[tuple[str, int]]) -> list[str]:
    """The bound object is an array of objects: a function for bad values, inputs, output."""
    names = [name for name, _ in inputs]
    lines = [
        'define ptr @step(ptr %bound, ptr %unused) {',
        *field('%table', 'ptr', '%bound', DATA),
        *field('%fallback', 'ptr', '%table', 0),
    ]
    for index, name in enumerate([*names, 'out']):
        lines += [
            *field(f'%object.{name}', 'ptr', '%table', 8 * (index + 1)),
            *field(f'%{name}', 'ptr', f'%object.{name}', DATA),
        ]
    pointers = ', '.join(f'ptr %{name}' for name in names)
    return [
        *lines,
        f'  %good = call i1 @in_range({pointers})',
        '  br i1 %good, label %run, label %hand.over',
        'run:',
        f'  call void @kernel({pointers}, ptr %out)',
        f'  call void {function("Py_IncRef")}(ptr {address(id(None))})',
        f'  ret ptr {address(id(None))}',
        'hand.over:',
        f'  %answer = call ptr {function("PyObject_CallNoArgs")}(ptr %fallback)',
        '  ret ptr %answer',
        '}',
    ]
