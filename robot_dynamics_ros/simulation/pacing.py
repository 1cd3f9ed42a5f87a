"""The clock of the cycles of the simulated arm."""

from __future__ import annotations

import time


class CycleTimer:
    """Sleeps until the next cycle of a fixed rate; cycles that were missed are left out."""

    def __init__(self, rate: float) -> None:
        """Start the first cycle now, at a rate [Hz]."""
        self._period = 1.0 / rate
        self._next = time.monotonic() + self._period

    def wait(self) -> None:
        """Sleep until the next cycle begins."""
        now = time.monotonic()
        if now < self._next:
            time.sleep(self._next - now)
            now = time.monotonic()
        missed = (now - self._next) // self._period
        self._next += (missed + 1) * self._period
