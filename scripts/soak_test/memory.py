"""How much memory a process has resident."""

from __future__ import annotations

import os
import time
from pathlib import Path

# Between two samples, until memory may be steady, and over how long it is averaged [s].
PERIOD, SETTLED, WINDOW = 1.0, 60.0, 10.0
MIB = 2**20


class Memory:
    """Samples a process once a second.

    Attributes:
        settled: whether what is loaded at need has been loaded; the first minute counts as not.
    """

    def __init__(self, pid: int) -> None:
        """Watch a process of this machine."""
        self._statm = Path(f'/proc/{pid}/statm')
        self._begin = time.monotonic()
        self._samples: list[tuple[float, int]] = []
        self._first: float | None = None
        self.settled = False

    def sample(self) -> None:
        """Look, if it is time to."""
        age = time.monotonic() - self._begin
        if self._samples and age - self._samples[-1][0] < PERIOD:
            return
        if self._first is None and self.settled and age >= SETTLED:
            self._first = age
        pages = int(self._statm.read_text().split()[1])
        self._samples.append((age, pages * os.sysconf('SC_PAGE_SIZE')))

    @property
    def last(self) -> float:
        """The latest sample [MiB]."""
        return self._samples[-1][1] / MIB

    @property
    def growth(self) -> float | None:
        """From when it had settled to the end [MiB]; None where that was too short."""
        end = self._samples[-1][0]
        if self._first is None or end < self._first + 2 * WINDOW:
            return None
        first, last = (
            [size for age, size in self._samples if begin <= age <= begin + WINDOW]
            for begin in (self._first, end - WINDOW)
        )
        return (sum(last) / len(last) - sum(first) / len(first)) / MIB
