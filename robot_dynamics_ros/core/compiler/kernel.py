"""A program that can be called: in native code where that works, in plain Python elsewhere."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from textwrap import shorten
from typing import Any, Literal

import numpy as np

from ..checks import Array, check_bindable, check_output, checked_vector, has_rows
from ..errors import NativeCodeError, ParameterError, SingularMassMatrixError, StateError
from ..scalar import require_positive
from .batch import Batch
from .program import OPERATIONS, Program, evaluate
from .python import compile_python, divide

Backend = Literal['native', 'python']

# Older ones read no opaque pointers.
LLVM_NEEDED = (14,)
# Between native code and plain Python, of the largest entry: rounding makes far less.
MOST_APART = 1e-9


def native_obstacle() -> str:
    """Why there is no native code here; empty where there is."""
    try:
        from llvmlite.binding import llvm_version_info

        from . import _entry, llvm  # noqa: F401
    except Exception as error:
        # Whatever a broken installation raises: plain Python computes the same.
        what = f'{type(error).__name__}: {error}' if error.args else type(error).__name__
        return f'llvmlite or the extension _entry does not load ({shorten(what, 150)})'
    if llvm_version_info < LLVM_NEEDED:
        return f'{llvm.VERSION}, is too old: llvmlite 0.40 is needed'
    return ''


def choose_backend(wanted: Backend | None) -> tuple[Backend, str]:
    """The back end to use, and one line that says so.

    Args:
        wanted: None takes the native one where it works.

    Raises:
        ParameterError: there is no such back end, or it does not work here.
    """
    if wanted not in (None, 'native', 'python'):
        raise ParameterError(f'backend is {wanted!r}, allowed are native and python')
    if wanted == 'python':
        return 'python', 'plain Python, as asked'
    obstacle = native_obstacle()
    if obstacle and wanted == 'native':
        raise ParameterError(f'backend native does not work here: {obstacle}')
    if obstacle:
        return 'python', f'plain Python, 25 to 200 times slower than native code: {obstacle}'
    from .llvm import VERSION

    return 'native', f'native code ({VERSION})'


class Kernel:
    """A program and the ways to call it.

    What native code cannot read is copied. Where it has no result, plain Python computes that
    state: the result, which an angle of 1e12 rad has, or the reason why there is none.
    """

    def __init__(
        self,
        program: Program,
        labels: Mapping[str, Sequence[str]],
        backend: Backend,
        threads: int = 1,
    ) -> None:
        """Compile a program with one back end; for batches, by some threads, when the first comes.

        The labels are those of the entries of each input, for messages. NativeCodeError: native
        code computes other values than the program.
        """
        self._program = program
        self._labels = labels
        self._threads = threads
        self._of_batches: Batch | None = None
        if backend == 'native':
            self._entry = native_entry(program)
            # `finite(input...)` of float64 vectors. No cycle keeps the machine code in memory.
            interpreted = partial(_finite, program, partial(_interpreted, program))
            self._finite = self._entry.with_fallback(interpreted)
        else:
            self._entry = None
            self._finite = partial(_finite, program, compile_python(program))

    @property
    def call(self) -> Callable[..., Any]:
        """`call(input..., out)` checks its arguments and computes; `out`: None for a new array.

        Inputs are vectors (n,), or rows (N, n) of a batch.
        """
        if self._entry is None:
            return self._checked_call
        return self._entry.with_fallback(self._checked_call)

    def bind(self, inputs: Sequence[Any], out: Any) -> Callable[[], None]:
        """`step()`, which reads these arrays and writes that one, in place.

        Raises:
            StateError: an array cannot be used where it lies.
        """
        named = dict(zip(self._program.inputs, inputs, strict=True))
        check_bindable(named, dict(self._program.inputs), out)
        of_a_batch = any(map(has_rows, inputs))
        if of_a_batch:
            self._batch.check(inputs, out)
        else:
            check_output(out, self._program.shape)

        def checked_step() -> None:
            self._checked_call(*inputs, out)

        if self._entry is None or of_a_batch:
            return checked_step
        return self._entry.with_fallback(checked_step, (*inputs, out))

    def _checked_call(self, *arguments: Any) -> Any:
        """Takes whatever can be understood, and says what cannot."""
        *values, out = arguments
        if any(map(has_rows, values)):
            return self._batch(values, out)
        vectors = [
            checked_vector(name, value, self._labels[name])
            for name, value in zip(self._program.inputs, values, strict=True)
        ]
        if out is not None:
            check_output(out, self._program.shape)
        result = self._finite(*vectors, None)
        if out is None:
            return result
        out[...] = result
        return out

    @property
    def _batch(self) -> Batch:
        """The program for batches, compiled when the first one comes."""
        # No `cached_property`: up to Python 3.11 all objects of a process share its lock, which a
        # child that is forked while another robot is compiled would never get.
        if self._of_batches is None:
            native, lanes = None, 1
            if self._entry is not None:
                from .llvm import vector_lanes

                lanes = vector_lanes()
                native = native_entry(self._program, lanes)
            self._of_batches = Batch(
                self._program, self._labels, self._finite, native, lanes, self._threads
            )
        return self._of_batches


def native_entry(program: Program, lanes: int = 1) -> Any:
    """Machine code of a program, compared with plain Python at one state.

    A processor that LLVM does not know well, or a broken installation, could give plausible wrong
    numbers.

    Args:
        program: to compile.
        lanes: samples that are computed together, 1 for an entry of single calls.

    Raises:
        NativeCodeError: the two compute different values.
    """
    from ._entry import make_entry
    from .llvm import compile_program

    engine, address, scratch = compile_program(program, lanes)
    sizes = tuple(program.inputs.values())
    entry = make_entry(address, engine, sizes, program.shape, scratch, lanes)
    chance = random.Random(0)
    state = [[chance.uniform(-1.0, 1.0) for _ in range(size)] for size in sizes]
    try:
        expected = np.reshape(_interpreted(program, *state), program.shape)
    except (ArithmeticError, ValueError, SingularMassMatrixError):
        return entry
    out = np.full((lanes, *program.shape), np.nan)
    # What native code leaves to plain Python is right.
    left: list[bool] = []
    if lanes > 1:
        rows = tuple(np.tile(vector, (lanes, 1)) for vector in state)
        left += [True] * (entry.rows(rows, out, False) == 0)
    else:
        entry.with_fallback(lambda: left.append(True), (*map(np.array, state), out[0, ...]))()
    most = MOST_APART * max(1.0, np.abs(expected).max(initial=0.0))
    if not left and not np.all(np.abs(out - expected) <= most):
        raise NativeCodeError(
            f'{program.name}: native code and plain Python compute different values. Do not use '
            'native code on this machine: choose backend python'
        )
    return entry


def _interpreted(program: Program, *inputs: Sequence[float]) -> list[float]:
    """The entries of the result, step by step.

    Raises:
        SingularMassMatrixError: a condition does not hold.
    """
    named = dict(zip(program.inputs, inputs, strict=True))
    entries, conditions = evaluate(program, named, {**OPERATIONS, 'div': divide})
    for value, (_, reason) in zip(conditions, program.conditions, strict=True):
        require_positive(0.0, value, reason)
    return entries


def _finite(program: Program, function: Callable[..., list[float]], *arguments: Any) -> Array:
    """The result at finite inputs of any size, as a new array.

    Args:
        program: to compute.
        function: takes lists of floats and returns the entries of the result.
        arguments: float64 vectors, and None.

    Raises:
        StateError: there is none.
    """
    *vectors, _ = arguments
    reason: object = 'overflow'
    try:
        flat = function(*(vector.tolist() for vector in vectors))
        result = np.array(flat, np.float64).reshape(program.shape)
        if np.isfinite(result).all():
            return result
    except (ArithmeticError, ValueError) as error:
        # Python's sine of an angle that has overflowed raises ValueError.
        reason = error
    inputs = ', '.join(program.inputs)
    raise StateError(f'{program.name} has no finite value at this {inputs}: {reason}')
