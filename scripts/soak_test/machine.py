"""The memory of the node, and how long the machine keeps it waiting."""

from __future__ import annotations

import contextlib
import os
import time
from collections import deque
from pathlib import Path

# Memory is looked at once a second, and averaged; until then it need not be steady [s].
PERIOD, SETTLED, WINDOW = 1.0, 60.0, 10.0
MIB = 2**20
# How often to look at the scheduler [s].
LOOK = 0.02
# A queue holds ten states: who waits for longer may lose some [s].
LONG = 0.01
# How far around such a wait a loss is put down to it, and how far back waits are kept [s].
AROUND, KEPT = 0.05, 10.0


class Memory:
    """Samples the resident memory of a process.

    Attributes:
        settled: whether what is loaded at need has been loaded; the first minute counts as not.
    """

    def __init__(self, pid: int) -> None:
        self._statm, self._begin = Path(f'/proc/{pid}/statm'), time.monotonic()
        self._samples: list[tuple[float, float]] = []
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
        self._samples.append((age, pages * os.sysconf('SC_PAGE_SIZE') / MIB))

    @property
    def last(self) -> float:
        """The latest sample [MiB]."""
        return self._samples[-1][1]

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
        return sum(last) / len(last) - sum(first) / len(first)


class Starvation:
    """Watches how long the threads of some processes were ready to run, but did not (Linux).

    Attributes:
        looks: how often they were looked at.
        long: how often one had been kept waiting for long.
    """

    def __init__(self, *pids: int, proc: str = '/proc') -> None:
        self.looks, self.long = 0, 0
        self._tasks = [Path(f'{proc}/{pid}/task') for pid in pids]
        self._looked = time.monotonic()
        self._waited: dict[Path, float] = {}
        # Begin and end.
        self._waits: deque[tuple[float, float]] = deque(maxlen=int(KEPT / LOOK))

    def look(self, now: float) -> None:
        """Look, if it is time to; `now` on the monotonic clock [s]."""
        looked = self._looked
        if now - looked < LOOK:
            return
        self._looked = now
        waited: dict[Path, float] = {}
        longest = 0.0
        for task in self._tasks:
            for thread in task.iterdir():
                # It may end while we look.
                with contextlib.suppress(OSError):
                    waited[thread] = 1e-9 * int((thread / 'schedstat').read_text().split()[1])
                    before = self._waited.get(thread, waited[thread])
                    longest = max(longest, waited[thread] - before)
        self._waited = waited
        self.looks += 1
        if longest > LONG:
            # Linux counts a wait at its end: it may have begun so long before the last look.
            self._waits.append((looked - longest, now))
            self.long += 1

    def since(self, begin: float) -> bool:
        """Whether a process has been kept waiting since a time [s]."""
        return any(end >= begin for _, end in self._waits)

    def explains(self, sent: float) -> bool:
        """Whether a process was kept waiting around a time [s]."""
        return any(begin - AROUND <= sent <= end + AROUND for begin, end in self._waits)
