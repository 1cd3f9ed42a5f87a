"""How much memory a process has resident."""

from __future__ import annotations

import os
import time
from pathlib import Path

# Between two samples, until memory is expected to be steady, and over how long it is averaged [s].
PERIOD, SETTLED, WINDOW = 1.0, 60.0, 10.0
MIB = 2**20


class Memory:
    """Samples a process once a second."""

    def __init__(self, pid: int) -> None:
        """Watch a process of this machine."""
        self._statm = Path(f'/proc/{pid}/statm')
        self._begin = time.monotonic()
        self._samples: list[tuple[float, int]] = []

    def sample(self) -> None:
        """Look, if it is time to."""
        age = time.monotonic() - self._begin
        if self._samples and age - self._samples[-1][0] < PERIOD:
            return
        pages = int(self._statm.read_text().split()[1])
        self._samples.append((age, pages * os.sysconf('SC_PAGE_SIZE')))

    @property
    def last(self) -> float:
        """The latest sample [MiB]."""
        return self._samples[-1][1] / MIB

    @property
    def growth(self) -> float | None:
        """From the end of the first minute to the end [MiB]; None where there was no more."""
        end = self._samples[-1][0]
        if end < SETTLED + 2 * WINDOW:
            return None
        first, last = (
            [size for age, size in self._samples if begin <= age <= begin + WINDOW]
            for begin in (SETTLED, end - WINDOW)
        )
        return (sum(last) / len(last) - sum(first) / len(first)) / MIB
