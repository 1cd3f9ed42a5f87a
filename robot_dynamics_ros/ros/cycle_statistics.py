"""Rate, latency and losses of the cycles, for diagnostics."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

# Of the latest cycles: one second at 1 kHz.
WINDOW = 1000
# Publishers of joint states whose numbers are kept; where there are more, counting starts again.
MOST_SOURCES = 16


@dataclass(frozen=True)
class CycleSummary:
    """The latest cycles.

    Attributes:
        rate: of commands since the last summary [Hz]; NaN in the first one.
        median_latency: from reception to command [s]; NaN if not known.
        p99_latency: 99th percentile of the same [s].
        lost: states that were sent and not received, in total; None where the middleware does not
            number the messages of each publisher.
    """

    rate: float
    median_latency: float
    p99_latency: float
    lost: int | None


class CycleStatistics:
    """Counts and times cycles, without allocating memory.

    Attributes:
        lost: see `CycleSummary`.
    """

    def __init__(self) -> None:
        """Start with no cycle."""
        self._latencies = np.full(WINDOW, math.nan)
        self._count = 0
        self._reported, self._reported_at = 0, math.nan
        self._numbers: dict[bytes, int] = {}
        self.lost: int | None = None

    def count_received(self, source: bytes, number: int | None) -> None:
        """Count a state that was received, valid or not, and those lost before it.

        Args:
            source: which publisher sent it.
            number: of the message, as its publisher counts; None if that is not known.
        """
        if number is None:
            return
        if source not in self._numbers and len(self._numbers) >= MOST_SOURCES:
            self._numbers.clear()
        missing = max(number - self._numbers.get(source, number - 1) - 1, 0)
        self.lost = missing + (self.lost or 0)
        self._numbers[source] = number

    def count_ignored(self, source: bytes, number: int | None) -> None:
        """Count a state of other joints, whose publisher may also send states of this robot.

        Without it, the gap in the numbers of that publisher would count as a loss. Arguments as of
        `count_received`.
        """
        if source in self._numbers:
            self.count_received(source, number)

    def record(self, latency: float) -> None:
        """Record the time from the reception of a state to its command [s]; NaN if not known."""
        self._latencies[self._count % WINDOW] = latency
        self._count += 1

    def summary(self, now: float) -> CycleSummary:
        """Summarize the latest cycles at a time of the monotonic clock [s]."""
        elapsed, answered = now - self._reported_at, self._count - self._reported
        self._reported, self._reported_at = self._count, now
        rate = answered / elapsed if elapsed > 0.0 else math.nan
        if not np.isfinite(self._latencies).any():
            return CycleSummary(rate, math.nan, math.nan, self.lost)
        median, p99 = np.nanpercentile(self._latencies, [50.0, 99.0])
        return CycleSummary(rate, float(median), float(p99), self.lost)
