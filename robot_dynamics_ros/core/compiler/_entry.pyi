"""Calls of compiled kernels with NumPy arrays: see `_entry.c`."""

from collections.abc import Callable
from typing import Any, final

@final
class Entry:
    def with_fallback(
        self, fallback: Callable[..., Any], arrays: tuple[Any, ...] = ..., /
    ) -> Callable[..., Any]: ...
    def rows(self, inputs: tuple[Any, ...], out: Any, past_caches: bool, /) -> int: ...

def make_entry(
    address: int,
    owner: object,
    sizes: tuple[int, ...],
    shape: tuple[int, ...],
    scratch: int,
    lanes: int,
    /,
) -> Entry: ...
