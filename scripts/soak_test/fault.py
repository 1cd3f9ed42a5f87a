"""What a fault is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scene import Scene, Steps

SEEN = ''


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong, or changes, around a node.

    Attributes:
        name: of the fault.
        guard: how the guard against it is recognised.
        inject: makes it happen and watches; SEEN, or a sentence of what was missed. It undoes
            what it did.
        silences: whether states may stay without an answer while it lasts.
    """

    name: str
    guard: str
    inject: Callable[[Scene], Steps[str]]
    silences: bool = False


def verdict(seen: bool, missed: str) -> str:
    """SEEN, or what was missed."""
    return SEEN if seen else missed
