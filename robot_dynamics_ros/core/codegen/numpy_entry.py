"""LLVM IR of the CPython functions around a kernel, so that a call costs less than the dynamics.

- `call(input..., out)` makes a new output array if `out` is None.
- `step()` does the same with the arrays that it is bound to.
- `evaluate(input..., out)` returns the number that `compute` returns, at values of any size.
- `make_call((code, fallback))` and `make_step((code, fallback, input..., out))` return the first
  two, bound to that tuple. They accept no other code than their own.

Whatever is not a well-behaved array of float64 below `LARGEST`, and what has no result, `call` and
`step` hand over to their fallback, which converts it or says what is wrong with it.

What a builtin needs lies in the tuple that is its `__self__`, which nothing can change. The code
is a capsule, which nothing can open: it keeps the machine code alive.
"""

from __future__ import annotations

from .c_functions import c_function
from .llvm_ir import address
from .llvm_kernel import DONE
from .ndarray import (
    NPY_DOUBLE,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    array_type,
    field,
    pyarray_new,
)
from .numpy_compute import UNREADABLE, compute_ir
from .program import Program

METH_NOARGS, METH_O, METH_FASTCALL = 0x0004, 0x0008, 0x0080
NONE = address(id(None))


def entry_ir(program: Program, read: str) -> str:
    """Definitions of the five builtins and of `release`, around a function `kernel`.

    Args:
        program: of the kernel.
        read: pointer to the function of `ndarray.reader_ir`.
    """
    inputs, name = len(program.inputs), program.name
    return '\n'.join(
        [
            *_definition('call', name, METH_FASTCALL),
            *_definition('step', name, METH_NOARGS),
            *_definition('evaluate', name, METH_FASTCALL),
            *_definition('make_call', name, METH_O),
            *_definition('make_step', name, METH_O),
            *compute_ir(program, read),
            *_call(inputs, len(program.shape)),
            *_step(inputs),
            *_evaluate(inputs),
            *_make('call', 2),
            *_make('step', inputs + 3),
            *_release(),
            '',
        ]
    )


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
