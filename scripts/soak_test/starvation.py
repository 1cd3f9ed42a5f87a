"""When the machine, and not the node, is to blame: processes that wait for a processor."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from pathlib import Path

# How often to look [s].
PERIOD = 0.02
# A queue holds ten states: who waits for longer, in two looks, may lose some [s].
LONG = 0.01
# How far around such a wait a loss is put down to it [s].
AROUND = 0.05
MEMORY = 10.0


class Starvation:
    """Watches how long the threads of some processes were ready to run, but did not (Linux).

    Attributes:
        looks: how often they were looked at.
        long: how often one had been kept waiting for long.
    """

    def __init__(self, *pids: int) -> None:
        """Watch processes of this machine."""
        self.looks, self.long = 0, 0
        self._tasks = [Path(f'/proc/{pid}/task') for pid in pids]
        self._looked = time.monotonic()
        self._waited: dict[Path, float] = {}
        self._before: dict[Path, float] = {}
        self._starved: deque[float] = deque(maxlen=int(MEMORY / PERIOD))

    def look(self, now: float) -> None:
        """Look, if it is time to; `now` on the monotonic clock [s]."""
        if now - self._looked < PERIOD:
            return
        self._looked = now
        waited: dict[Path, float] = {}
        growth: dict[Path, float] = {}
        longest = 0.0
        for task in self._tasks:
            for thread in task.iterdir():
                # It may end while we look.
                with contextlib.suppress(OSError):
                    waited[thread] = 1e-9 * int((thread / 'schedstat').read_text().split()[1])
                    growth[thread] = waited[thread] - self._waited.get(thread, waited[thread])
                    # A wait may lie across two looks.
                    longest = max(longest, growth[thread] + self._before.get(thread, 0.0))
        self._waited, self._before = waited, growth
        self.looks += 1
        if longest > LONG:
            self._starved.append(now)
            self.long += 1

    def since(self, begin: float) -> bool:
        """Whether a process has been kept waiting since a time [s]."""
        return any(at >= begin for at in self._starved)

    def explains(self, sent: float) -> bool:
        """Whether a process was kept waiting around a time [s]."""
        return any(abs(at - sent) <= AROUND for at in self._starved)
