"""LLVM IR of the CPython functions around a kernel, so that a call costs less than the dynamics.

All read NumPy arrays where they lie. They check type, length, layout and alignment of every array
in a few instructions each time: Python can change all of them, of a bound array too.

- `call(input..., out)` makes a new output array if `out` is None.
- `step()` does the same with the arrays that it is bound to.
- `evaluate(input..., out)` returns a number, see `Outcome`.
- `make_call((code, fallback))` and `make_step((code, fallback, input..., out))` return the first
  two, bound to that tuple. They accept no other code than their own.

Whatever is not a well-behaved array of float64 below `LARGEST`, and what has no result, `call` and
`step` hand over to their fallback, which converts it or says what is wrong with it.

What a builtin needs lies in the tuple that is its `__self__`, which nothing can change. The code
is a capsule, which nothing can open: it keeps the machine code alive.
"""

from __future__ import annotations

import math
import struct

from .c_functions import c_function
from .llvm_ir import address
from .llvm_kernel import DONE
from .ndarray import (
    NPY_DOUBLE,
    READABLE,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    WRITEABLE,
    array_type,
    conjunction,
    field,
    pyarray_new,
)
from .program import Program

# Inputs that are smaller lead to no overflow, so that nobody has to look at the result.
LARGEST = 2.0**30
LARGEST_BITS = struct.unpack('<q', struct.pack('<d', LARGEST))[0]
MAGNITUDE = 2**63 - 1

# What `evaluate` returns where it cannot read its arguments; else what the kernel returns.
UNREADABLE = -3

METH_NOARGS, METH_O, METH_FASTCALL = 0x0004, 0x0008, 0x0080
NONE = address(id(None))


def entry_ir(program: Program, read: str) -> str:
    """Definitions of the five builtins and of `release`, around a function `kernel`.

    Args:
        program: of the kernel.
        read: pointer to the function of `ndarray.reader_ir`.
    """
    inputs = list(program.inputs.items())
    name = program.name
    return '\n'.join(
        [
            *(_shape(vector, (size,)) for vector, size in inputs),
            _shape('out', program.shape),
            *_definition('call', name, METH_FASTCALL),
            *_definition('step', name, METH_NOARGS),
            *_definition('evaluate', name, METH_FASTCALL),
            *_definition('make_call', name, METH_O),
            *_definition('make_step', name, METH_O),
            *_in_range(program),
            *_compute(inputs, program.shape, read),
            *_call(len(inputs), len(program.shape)),
            *_step(len(inputs)),
            *_evaluate(len(inputs)),
            *_make('call', 2),
            *_make('step', len(inputs) + 3),
            *_release(),
            '',
        ]
    )


def _shape(name: str, shape: tuple[int, ...]) -> str:
    extents = ', '.join(f'i64 {extent}' for extent in shape)
    return f'@shape.{name} = internal constant [{len(shape)} x i64] [{extents}]'


def _definition(function: str, name: str, flags: int) -> list[str]:
    """The PyMethodDef of a builtin; it lives as long as the machine code."""
    text = f'{name}\0'.encode()
    return [
        f'@{function}.name = internal constant [{len(text)} x i8] [{_bytes(text)}]',
        f'@{function}.definition = constant {{ ptr, ptr, i32, ptr }} '
        f'{{ ptr @{function}.name, ptr @{function}, i32 {flags}, ptr null }}',
    ]


def _bytes(text: bytes) -> str:
    return ', '.join(f'i8 {byte}' for byte in text)


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
    """`i64 compute(ptr objects, ptr given, i1 any)`: from the input objects into an array.

    Returns what the kernel returns, or UNREADABLE. `any` accepts values beyond LARGEST too.
    """
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


def _call(count: int, rank: int) -> list[str]:
    return [
        'define ptr @call(ptr %bound, ptr %arguments, i64 %count) {',
        f'  %expected = icmp eq i64 %count, {count + 1}',
        '  br i1 %expected, label %look, label %hand.over',
        'look:',
        *field('%given', 'ptr', '%arguments', 8 * count),
        f'  %is.none = icmp eq ptr %given, {NONE}',
        '  br i1 %is.none, label %make, label %use',
        'make:',
        f'  %made = call ptr {pyarray_new()}(ptr {array_type()}, i32 {rank}, '
        f'ptr @shape.out, i32 {NPY_DOUBLE}, ptr null, ptr null, i32 0, i32 0, ptr null)',
        '  %failed = icmp eq ptr %made, null',
        '  br i1 %failed, label %out.of.memory, label %fill',
        'out.of.memory:',
        '  ret ptr null',
        'fill:',
        '  %code = call i64 @compute(ptr %arguments, ptr %made, i1 false)',
        f'  %filled = icmp eq i64 %code, {DONE}',
        '  br i1 %filled, label %answer.made, label %drop',
        'answer.made:',
        '  ret ptr %made',
        'drop:',
        f'  call void {c_function("Py_DecRef")}(ptr %made)',
        '  br label %hand.over',
        'use:',
        '  %again = call i64 @compute(ptr %arguments, ptr %given, i1 false)',
        f'  %reused = icmp eq i64 %again, {DONE}',
        '  br i1 %reused, label %answer.given, label %hand.over',
        'answer.given:',
        f'  call void {c_function("Py_IncRef")}(ptr %given)',
        '  ret ptr %given',
        'hand.over:',
        *_item('%fallback', '%bound', 1),
        f'  %answer = call ptr {c_function("PyObject_VectorcallDict")}(ptr %fallback, '
        'ptr %arguments, i64 %count, ptr null)',
        '  ret ptr %answer',
        '}',
    ]


def _step(count: int) -> list[str]:
    return [
        'define ptr @step(ptr %bound, ptr %unused) {',
        f'  %objects = getelementptr i8, ptr %bound, i64 {TUPLE_ITEMS + 16}',
        *_item('%given', '%bound', 2 + count),
        '  %code = call i64 @compute(ptr %objects, ptr %given, i1 false)',
        f'  %done = icmp eq i64 %code, {DONE}',
        '  br i1 %done, label %answer.none, label %hand.over',
        'answer.none:',
        f'  call void {c_function("Py_IncRef")}(ptr {NONE})',
        f'  ret ptr {NONE}',
        'hand.over:',
        *_item('%fallback', '%bound', 1),
        f'  %answer = call ptr {c_function("PyObject_CallNoArgs")}(ptr %fallback)',
        '  ret ptr %answer',
        '}',
    ]


def _evaluate(count: int) -> list[str]:
    return [
        'define ptr @evaluate(ptr %bound, ptr %arguments, i64 %count) {',
        f'  %expected = icmp eq i64 %count, {count + 1}',
        '  br i1 %expected, label %look, label %answer',
        'look:',
        *field('%given', 'ptr', '%arguments', 8 * count),
        '  %computed = call i64 @compute(ptr %arguments, ptr %given, i1 true)',
        '  br label %answer',
        'answer:',
        f'  %code = phi i64 [{UNREADABLE}, %0], [%computed, %look]',
        f'  %number = call ptr {c_function("PyLong_FromLong")}(i64 %code)',
        '  ret ptr %number',
        '}',
    ]


def _make(function: str, size: int) -> list[str]:
    """`make_<function>(tuple)`: the tuple must have that size and begin with our own code."""
    return [
        f'define ptr @make_{function}(ptr %self, ptr %bound) {{',
        *field('%type', 'ptr', '%bound', TYPE),
        f'  %is.tuple = icmp eq ptr %type, {address(id(tuple))}',
        '  br i1 %is.tuple, label %measure, label %refuse',
        'measure:',
        *field('%size', 'i64', '%bound', TUPLE_SIZE),
        f'  %fits = icmp eq i64 %size, {size}',
        '  br i1 %fits, label %compare, label %refuse',
        'compare:',
        *_item('%own', '%self', 0),
        *_item('%code', '%bound', 0),
        '  %same = icmp eq ptr %own, %code',
        '  br i1 %same, label %make, label %refuse',
        'make:',
        f'  %made = call ptr {c_function("PyCFunction_NewEx")}'
        f'(ptr @{function}.definition, ptr %bound, ptr null)',
        '  ret ptr %made',
        'refuse:',
        f'  %failed = call i32 {c_function("PyErr_BadArgument")}()',
        '  ret ptr null',
        '}',
    ]


def _release() -> list[str]:
    """`release(capsule)`, its destructor: drops the owner of this very code.

    A tail call leaves no frame behind: nothing returns into memory that is gone.
    """
    return [
        'define void @release(ptr %capsule) {',
        f'  %owner = call ptr {c_function("PyCapsule_GetPointer")}(ptr %capsule, ptr null)',
        f'  musttail call void {c_function("Py_DecRef")}(ptr %owner)',
        '  ret void',
        '}',
    ]


def _item(target: str, pointer: str, index: int) -> list[str]:
    """IR that loads an item of a tuple."""
    return field(target, 'ptr', pointer, TUPLE_ITEMS + 8 * index)
