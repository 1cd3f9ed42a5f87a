"""LLVM IR that computes from NumPy arrays into a NumPy array, where they lie.

`i64 compute(ptr objects, ptr given, i1 any)` takes the input objects and the output object. It
checks type, size, layout and alignment of every array in a few instructions each time: Python can
change all of them, of a bound array too. Then it runs the kernel, whose number it returns, or
`UNREADABLE`. `any` accepts values beyond `LARGEST` too.
"""

from __future__ import annotations

import math
import struct

from .ndarray import READABLE, WRITEABLE, conjunction, field
from .program import Program

# Inputs that are smaller lead to no overflow, so that the result need not be checked.
LARGEST = 2.0**30
LARGEST_BITS = struct.unpack('<q', struct.pack('<d', LARGEST))[0]
MAGNITUDE = 2**63 - 1

# Beside what the kernel returns.
UNREADABLE = -3


def compute_ir(program: Program, read: str) -> list[str]:
    """Definition of `compute`, and of what it needs beside `kernel`.

    Args:
        program: of the kernel.
        read: pointer to the function of `ndarray.reader_ir`.
    """
    inputs = list(program.inputs.items())
    return [
        *(_shape(vector, (size,)) for vector, size in inputs),
        _shape('out', program.shape),
        *_in_range(program),
        *_compute(inputs, program.shape, read),
    ]


def _shape(name: str, shape: tuple[int, ...]) -> str:
    extents = ', '.join(f'i64 {extent}' for extent in shape)
    return f'@shape.{name} = internal constant [{len(shape)} x i64] [{extents}]'


def _in_range(program: Program) -> list[str]:
    """`i1 in_range(ptr input...)`: every value is finite and smaller than LARGEST.

    The bits of a magnitude grow with it, NaN and infinity being the largest: adding the distance
    from LARGEST to the sign bit sets the sign bit of those that are too large.
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
                f'  {name}.sum = add i64 {name}.size, {2**63 - LARGEST_BITS}',
                f'  {name}.or = or i64 {merged}, {name}.sum',
            ]
            merged = f'{name}.or'
    return [*lines, f'  %good = icmp sge i64 {merged}, 0', '  ret i1 %good', '}']


def _compute(inputs: list[tuple[str, int]], shape: tuple[int, ...], read: str) -> list[str]:
    lines = ['define internal i64 @compute(ptr %objects, ptr %given, i1 %any) {']
    for index, (name, _) in enumerate(inputs):
        lines += [
            *field(f'%object.{name}', 'ptr', '%objects', 8 * index),
            f'  %{name} = call ptr {read}'
            f'(ptr %object.{name}, i32 1, ptr @shape.{name}, i32 {READABLE})',
            f'  %is.{name} = icmp ne ptr %{name}, null',
        ]
    pointers = ', '.join(f'ptr %{name}' for name, _ in inputs)
    usable = [*(f'%is.{name}' for name, _ in inputs), '%is.out']
    return [
        *lines,
        f'  %out = call ptr {read}'
        f'(ptr %given, i32 {len(shape)}, ptr @shape.out, i32 {READABLE | WRITEABLE})',
        '  %is.out = icmp ne ptr %out, null',
        *conjunction('%readable', usable),
        '  br i1 %readable, label %compare, label %unreadable',
        'compare:',
        *_apart(inputs, math.prod(shape)),
        '  br i1 %apart, label %examine, label %unreadable',
        'examine:',
        f'  %in.range = call i1 @in_range({pointers})',
        '  %good = or i1 %in.range, %any',
        '  br i1 %good, label %run, label %unreadable',
        'run:',
        f'  %code = call i64 @kernel({pointers}, ptr %out)',
        '  ret i64 %code',
        'unreadable:',
        f'  ret i64 {UNREADABLE}',
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
