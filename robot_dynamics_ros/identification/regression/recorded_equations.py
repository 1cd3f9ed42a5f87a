"""Equations that are read again and again, as robust estimates do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from .equations import EquationBlock

# Bytes that are kept in memory.
MOST_KEPT = 400_000_000


class RecordedEquations:
    """Equations of recordings, to be iterated any number of times.

    They are kept in memory while they fit into it, and else computed again at each iteration.
    """

    def __init__(
        self, compute: Callable[[], Iterable[EquationBlock]], most_kept: int = MOST_KEPT
    ) -> None:
        """Compute nothing yet.

        Args:
            compute: opens the recordings and gives their equations, the same at each call.
            most_kept: bytes that may be kept.
        """
        self._compute, self._most_kept = compute, most_kept
        self._kept: list[EquationBlock] | None = None

    def __iter__(self) -> Iterator[EquationBlock]:
        if self._kept is not None:
            yield from self._kept
            return
        kept: list[EquationBlock] = []
        room = self._most_kept
        for block in self._compute():
            room -= block.rows.nbytes + block.torques.nbytes
            if room >= 0:
                kept.append(block)
            else:
                kept.clear()
            yield block
        if room >= 0:
            self._kept = kept
