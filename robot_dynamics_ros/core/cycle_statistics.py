"""How regular the cycles are: their rate, how late they answer, how many were lost."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

# Of the latest cycles: one second at 1 kHz.
WINDOW = 1000
# A gap of more than so many usual periods has lost a cycle.
GAP = 1.5


@dataclass(frozen=True)
class CycleSummary:
    """The latest cycles.

    Attributes:
        rate: [Hz]; NaN before there are two.
        median_latency: from reception to command [s]; NaN before there is one.
        late_latency: the 99th percentile of the same [s].
        lost: cycles that never came, since the beginning.
    """

    rate: float
    median_latency: float
    late_latency: float
    lost: int


class CycleStatistics:
    """Counts and times cycles; allocates nothing while it does."""

    def __init__(self) -> None:
        """Nothing seen yet."""
        self._periods = np.full(WINDOW, math.nan)
        self._latencies = np.full(WINDOW, math.nan)
        self._count = 0
        self._last_stamp = math.nan
        self._period = math.nan
        self._lost = 0

    def record(self, stamp: float, latency: float) -> None:
        """Note a cycle.

        Args:
            stamp: of the state that it answers [s].
            latency: from its reception to the command [s].
        """
        slot = self._count % WINDOW
        period = stamp - self._last_stamp
        self._last_stamp = stamp
        if period > 0.0:
            if period > GAP * self._period:
                self._lost += round(period / self._period) - 1
            self._periods[slot] = period
        self._latencies[slot] = latency
        self._count += 1
        # The usual period is that of the window before: a median in each cycle would take longer
        # than the cycle's own work.
        if self._count % WINDOW == 0 or self._count == 20:
            self._period = self._usual_period()

    def interrupt(self) -> None:
        """Count no loss between the cycle before and the next: the states ceased."""
        self._last_stamp = math.nan

    def summary(self) -> CycleSummary:
        """The latest cycles."""
        if not self._count:
            return CycleSummary(math.nan, math.nan, math.nan, 0)
        rate = 1.0 / self._usual_period()
        middle, late = np.nanpercentile(self._latencies, [50.0, 99.0])
        return CycleSummary(rate, float(middle), float(late), self._lost)

    def _usual_period(self) -> float:
        """Of the latest cycles [s]; NaN if there is none."""
        periods = self._periods[np.isfinite(self._periods)]
        return float(np.median(periods)) if periods.size else math.nan
