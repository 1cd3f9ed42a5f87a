"""A program that can be called: in native code where that works, in plain Python elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ..checks import Array, check_bindable, check_output, checked_vector, has_rows
from ..errors import ParameterError, SingularMassMatrixError, StateError
from .batch import Batch
from .native.entry import EXTENSION_OBSTACLE
from .program import Program
from .python import compile_python

Backend = Literal['native', 'python']

# Older releases have LLVM 14, which reads no opaque pointers.
LLVMLITE_NEEDED = (0, 44)


def native_obstacle() -> str:
    """Why there is no native code here; empty where there is."""
    try:
        import llvmlite
    except ImportError:
        return 'llvmlite is not installed'
    version = getattr(llvmlite, '__version__', None)
    needed = '.'.join(map(str, LLVMLITE_NEEDED))
    numbers = re.match(r'(\d+)\.(\d+)(?=$|[.+-]|a|b|rc)', str(version))
    if numbers is None:
        return f'llvmlite has the unreadable version {version!r}, {needed} or newer is needed'
    if tuple(map(int, numbers.groups())) < LLVMLITE_NEEDED:
        return f'llvmlite {version} is too old, {needed} is needed'
    try:
        from .native import llvm  # noqa: F401
    except Exception as error:
        # Whatever a broken installation raises: plain Python computes the same.
        return f'llvmlite {version} does not load: {error}'
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
    from .native.llvm import VERSION

    if EXTENSION_OBSTACLE:
        return 'native', f'native code ({VERSION}), called through ctypes: {EXTENSION_OBSTACLE}'
    return 'native', f'native code ({VERSION})'


class Kernel:
    """A program and the ways to call it."""

    def __init__(
        self,
        program: Program,
        labels: Mapping[str, Sequence[str]],
        backend: Backend,
        threads: int = 1,
    ) -> None:
        """Compile a program with one back end; for batches when the first one comes.

        Args:
            program: to compile.
            labels: of the entries of each input, for messages.
            backend: with which to compile.
            threads: that may compute a batch.

        Raises:
            NativeCodeError: native code computes other values than the program.
        """
        self._program = program
        self._labels = labels
        self._threads = threads
        self._of_batches: Batch | None = None
        self._native = None
        if backend == 'native':
            from .native.native_kernel import NativeKernel

            self._native = NativeKernel(program)
        else:
            self._python = compile_python(program)

    @property
    def call(self) -> Callable[..., Any]:
        """`call(input..., out)` checks its arguments and computes; `out`: None for a new array.

        Inputs are vectors (n,), or rows (N, n) of a batch.
        """
        return (
            self._checked_call
            if self._native is None
            else self._native.callable(self._checked_call)
        )

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

        if self._native is None or of_a_batch:
            return checked_step
        return self._native.bind(checked_step, inputs, out)

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
        result = self._finite(vectors)
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
            self._of_batches = self._new_batch()
        return self._of_batches

    def _new_batch(self) -> Batch:
        native = None
        if self._native is not None:
            from .native.batches.native_batch import NativeBatch

            native = NativeBatch(self._program)
        return Batch(self._program, self._labels, self._finite, native, self._threads)

    def _finite(self, vectors: list[Array]) -> Array:
        """The result at finite inputs of any size."""
        result = self._evaluate(vectors)
        if not np.isfinite(result).all():
            raise self._no_value('overflow')
        return result

    def _evaluate(self, vectors: list[Array]) -> Array:
        """The result at finite inputs of any size; not finite where it is too large."""
        try:
            if self._native is None:
                flat = self._python(*(vector.tolist() for vector in vectors))
                return np.array(flat, dtype=np.float64).reshape(self._program.shape)
            result: Array = np.empty(self._program.shape, np.float64)
            failed = self._native.evaluate(vectors, result)
        except (ArithmeticError, ValueError) as error:
            # Python's sine of an angle that has overflowed raises ValueError.
            raise self._no_value(error) from None
        if failed:
            raise SingularMassMatrixError(self._program.conditions[failed - 1][1])
        return result

    def _no_value(self, reason: object) -> StateError:
        inputs = ', '.join(self._program.inputs)
        return StateError(f'{self._program.name} has no finite value at this {inputs}: {reason}')
