"""Rate, latency and losses of the cycles, for diagnostics."""

from __future__ import annotations

import math

import numpy as np

# Of the latest cycles: one second at 1 kHz.
WINDOW = 1000
# Publishers of joint states whose numbers are kept; where there are more, counting starts again.
MOST_SOURCES = 16


class CycleStatistics:
    """Counts and times cycles, without allocating memory.

    Attributes:
        answered: number of states that were answered.
        lost: number of states that were sent and not received; None where the middleware does not
            number the messages of each publisher.
    """

    def __init__(self) -> None:
        """Start with no cycle."""
        self.answered = 0
        self.lost: int | None = None
        self._latencies = np.full(WINDOW, math.nan)
        self._numbers: dict[bytes, int] = {}

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
        """Count a state of other joints, as its publisher may also send states of this robot.

        Without it, the gap in the numbers of that publisher would count as a loss.
        """
        if source in self._numbers:
            self.count_received(source, number)

    def record(self, latency: float) -> None:
        """Record the time from the reception of a state to its command [s]; NaN if not known."""
        self._latencies[self.answered % WINDOW] = latency
        self.answered += 1

    def latencies(self) -> tuple[float, float]:
        """Median and 99th percentile of the latest cycles [s]; NaN if not known."""
        if not np.isfinite(self._latencies).any():
            return math.nan, math.nan
        median, p99 = np.nanpercentile(self._latencies, [50.0, 99.0])
        return float(median), float(p99)
