"""How regular the cycles are: their rate, how late they answer, how many were lost."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

# Of the latest cycles: one second at 1 kHz.
WINDOW = 1000
# Publishers that are remembered; more have come and gone.
MOST_SOURCES = 16


@dataclass(frozen=True)
class CycleSummary:
    """The latest cycles.

    Attributes:
        rate: of answers since the summary before [Hz]; NaN in the first one.
        median_latency: from reception to command [s]; NaN before there is a cycle.
        late_latency: the 99th percentile of the same [s].
        lost: states that were sent and never came, since the beginning; None where nobody numbers
            them.
    """

    rate: float
    median_latency: float
    late_latency: float
    lost: int | None


class CycleStatistics:
    """Counts and times cycles; allocates nothing while it does."""

    def __init__(self) -> None:
        """Nothing seen yet."""
        self._latencies = np.full(WINDOW, math.nan)
        self._count = 0
        self._reported, self._reported_at = 0, math.nan
        self._numbers: dict[bytes, int] = {}
        self._lost: int | None = None

    def hear(self, source: bytes, number: int | None) -> None:
        """Note a state that came, whatever becomes of it.

        Args:
            source: which publisher sent it.
            number: how many it has sent so far, this one included; None if that is not known.
        """
        if number is None:
            return
        if source not in self._numbers and len(self._numbers) >= MOST_SOURCES:
            self._numbers.clear()
        missing = max(number - self._numbers.get(source, number - 1) - 1, 0)
        self._lost = missing + (self._lost or 0)
        self._numbers[source] = number

    def pass_by(self, source: bytes, number: int | None) -> None:
        """Note a state of other joints: no loss is where it was, if its publisher sends ours too.

        Takes the same as `hear`.
        """
        if source in self._numbers:
            self.hear(source, number)

    def record(self, latency: float) -> None:
        """Note a state that was answered; latency from its reception to the command [s]."""
        self._latencies[self._count % WINDOW] = latency
        self._count += 1

    def summary(self, now: float) -> CycleSummary:
        """The latest cycles, at that time [s]."""
        elapsed, answered = now - self._reported_at, self._count - self._reported
        self._reported, self._reported_at = self._count, now
        rate = answered / elapsed if elapsed > 0.0 else math.nan
        if not self._count:
            return CycleSummary(rate, math.nan, math.nan, self._lost)
        middle, late = np.nanpercentile(self._latencies, [50.0, 99.0])
        return CycleSummary(rate, float(middle), float(late), self._lost)
