"""How often something is done at most."""

from __future__ import annotations

import math


class RateLimit:
    """Lets at most one event in each period pass, and in the mean of many events one in each.

    So of events at a multiple of the rate, each k-th passes, although the times vary.
    """

    def __init__(self, rate: float) -> None:
        """Let the first event pass.

        Args:
            rate: highest [Hz].
        """
        self._period = 1.0 / rate
        self._next = -math.inf

    def passes(self, now: float) -> bool:
        """Whether an event passes.

        Args:
            now: [s], on a monotonic clock.
        """
        if now < self._next:
            return False
        late = now - self._next
        self._next = (now if late > self._period else self._next) + self._period
        return True
