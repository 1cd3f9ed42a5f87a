"""Calls of compiled kernels with NumPy arrays: what `_entry.c` and `ctypes_entry` both have."""

from collections.abc import Callable
from typing import Any, final

@final
class Code:
    def call(self, fallback: Callable[..., Any], /) -> Callable[..., Any]: ...
    def step(self, fallback: Callable[[], None], /, *arrays: Any) -> Callable[[], None]: ...
    def evaluate(self, *arrays: Any) -> int: ...

def make_code(
    address: int, engine: object, sizes: tuple[int, ...], shape: tuple[int, ...], /
) -> Code: ...
