"""A steady beat."""

from __future__ import annotations

import time


class Metronome:
    """Beats at a fixed rate; a beat that was missed is left out, not made up for."""

    def __init__(self, rate: float) -> None:
        """Start now, at a rate [Hz]."""
        self._period = 1.0 / rate
        self._next = time.monotonic() + self._period

    def wait(self) -> None:
        """Sleep until the next beat."""
        now = time.monotonic()
        if now < self._next:
            time.sleep(self._next - now)
            now = time.monotonic()
        missed = (now - self._next) // self._period
        self._next += (missed + 1) * self._period
