"""Calls of compiled kernels with NumPy arrays: what `_entry.c` and `ctypes_entry` both have."""

from collections.abc import Callable
from typing import Any, final

@final
class Entry:
    def __call__(self, *arrays: Any) -> int: ...
    def with_fallback(
        self, fallback: Callable[..., Any], arrays: tuple[Any, ...] = ..., /
    ) -> Callable[..., Any]: ...

def make_entry(
    address: int, owner: object, sizes: tuple[int, ...], shape: tuple[int, ...], /
) -> Entry: ...
