"""The clock of the references: one that is never set, or the simulated one."""

from __future__ import annotations

import time

from rclpy.clock import ROSClock


class ReferenceClock:
    """Gives the time of references.

    The clock of the machine may be set while a reference runs (by NTP or an operator), and the
    reference would leap. So references use the monotonic clock, and a stamp is converted once,
    when its message comes. Simulated time is used itself: it may stand still or be slow.
    """

    def __init__(self, clock: ROSClock) -> None:
        """Follow this clock of the node while it is simulated."""
        self._clock = clock
        # So that a float resolves nanoseconds.
        self._epoch = clock.now().nanoseconds

    def time(self) -> float:
        """Now [s]."""
        return self._time(self._clock.now().nanoseconds) if self._simulated else time.monotonic()

    def both(self) -> tuple[int, float]:
        """Now on the clock of the node [ns], in which stamps are given, and on this one [s]."""
        now = self._clock.now().nanoseconds
        return now, self._time(now) if self._simulated else time.monotonic()

    @property
    def _simulated(self) -> bool:
        return bool(self._clock.ros_time_is_active)

    def _time(self, nanoseconds: int) -> float:
        return 1e-9 * (nanoseconds - self._epoch)
