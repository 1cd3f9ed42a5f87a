"""Calls of compiled kernels through ctypes, where the extension `_entry` could not be built.

The interface and the results are those of `_entry`; a call takes a few microseconds more.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from ...checks import Array
from .llvm_kernel import DONE, UNREADABLE

# Inputs of a smaller norm lead to no overflow, so that the result need not be checked.
LARGEST = 2.0**30
FLOAT64 = np.dtype(np.float64)
# It keeps the interpreter's lock: nothing is changed while a kernel computes.
PROTOTYPE = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)


class Entry:
    """Calls a compiled kernel, and keeps its machine code alive."""

    def __init__(
        self, address: int, owner: object, sizes: tuple[int, ...], shape: tuple[int, ...]
    ) -> None:
        """The interface of `_entry.make_entry`.

        Args:
            address: of the kernel.
            owner: of its machine code; lives as long as the functions.
            sizes: of the inputs.
            shape: of the result.
        """
        self._kernel = PROTOTYPE(address)
        self._shapes = [(size,) for size in sizes]
        self._shape = shape
        self._starts = [8 * sum(sizes[:index]) for index in range(len(sizes))]
        self._pointers = ctypes.c_void_p * len(sizes)
        # The garbage collector does not look into arrays: it finalises no owner of a dead cycle
        # before other objects there, which still call the code.
        self._owner = np.empty(1, object)
        self._owner[0] = owner
        self._owner.flags.writeable = False

    def __call__(self, *arrays: Any) -> int:
        """What the kernel returns for (input..., out), at values of any size."""
        *inputs, out = arrays
        if not (self._are_plain(inputs) and self._is_output(out)):
            return UNREADABLE
        result = np.empty(self._shape)
        code = self._run(np.concatenate(inputs), result)
        if code == DONE:
            out[...] = result
        return code

    def with_fallback(
        self, fallback: Callable[..., Any], arrays: tuple[Any, ...] | None = None
    ) -> Callable[..., Any]:
        """`call(input..., out)`, where `out` is None for a new array; or a step with arrays.

        Args:
            fallback: gets the arguments of every call that is not with plain float64 arrays in
                range, or has no result, and answers in its place.
            arrays: inputs and output of a `step()`; None for a `call`.
        """
        return self._call(fallback) if arrays is None else self._step(fallback, arrays)

    def _call(self, fallback: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **names: Any) -> Any:
            result = None if names else self._computed(arguments)
            return fallback(*arguments, **names) if result is None else result

        return call

    def _step(self, fallback: Callable[..., Any], arrays: tuple[Any, ...]) -> Callable[[], None]:
        def step(*arguments: Any, **names: Any) -> None:
            if arguments or names or self._computed(arrays) is None:
                fallback(*arguments, **names)

        return step

    def _computed(self, arguments: tuple[Any, ...]) -> Array | None:
        """The result, in `out` or in a new array; None if the fallback has to answer."""
        if len(arguments) != len(self._shapes) + 1:
            return None
        *inputs, out = arguments
        if not (self._are_plain(inputs) and (out is None or self._is_output(out))):
            return None
        values = np.concatenate(inputs)
        # The norm of a NaN compares false too.
        if not math.hypot(*values.tolist()) < LARGEST:
            return None
        result = np.empty(self._shape)
        if self._run(values, result) != DONE:
            return None
        if out is None:
            return result
        out[...] = result
        return cast(Array, out)

    def _are_plain(self, inputs: list[Any]) -> bool:
        return all(map(_is_plain, inputs, self._shapes))

    def _is_output(self, out: Any) -> bool:
        return _is_plain(out, self._shape) and out.flags.writeable

    def _run(self, values: Array, result: Array) -> int:
        """Both arrays must be new: contiguous, and nobody else's."""
        start = _address(values)
        pointers = self._pointers(*[start + offset for offset in self._starts])
        return int(self._kernel(pointers, _address(result)))


def _address(array: Any) -> int:
    # A third of the time that `array.ctypes` takes.
    return ctypes.addressof(ctypes.c_char.from_buffer(array))


def _is_plain(array: Any, shape: tuple[int, ...]) -> bool:
    return type(array) is np.ndarray and array.dtype == FLOAT64 and array.shape == shape
