"""The clock of the node: monotonic, or the simulated one with `use_sim_time`."""

from __future__ import annotations

import time

from rclpy.clock import ROSClock

# A stamp that is less ahead of simulated time is of the same clock [s].
AHEAD = 5.0


class NodeClock:
    """The one clock on which states age, fades run and references are followed.

    The clock of the machine may be set (by NTP or an operator), and all of that would leap. So it
    is the monotonic clock, and a stamp is converted once, when its message comes. Simulated time
    is used itself: while it stands still, nothing ages. A simulator stamps a state with its time:
    where the state is received before the message on `/clock`, it is a tick as well.

    Attributes:
        simulated: whether time is simulated.
    """

    def __init__(self, clock: ROSClock) -> None:
        """Follow this clock of the node while it is simulated."""
        self._clock = clock
        # So that a float resolves nanoseconds.
        self._epoch = clock.now().nanoseconds
        self.reset()

    @property
    def ticks(self) -> bool:
        """Whether there is a time: not before the first tick of simulated time."""
        return not self.simulated or self._clock.now().nanoseconds > 0

    def now(self) -> float:
        """The time [s]."""
        if not self.simulated:
            return time.monotonic()
        return 1e-9 * (max(self._clock.now().nanoseconds, self._latest) - self._epoch)

    def at(self, stamp: int) -> float:
        """The time [s] of a stamp [ns]; of 0, now."""
        if not stamp:
            return self.now()
        if self.simulated:
            return 1e-9 * (stamp - self._epoch)
        return time.monotonic() + 1e-9 * (stamp - self._clock.now().nanoseconds)

    def tick(self, stamp: int) -> None:
        """Take the stamp of a state [ns] for a tick, if it is one of simulated time."""
        if self.simulated and 0 <= stamp - self._clock.now().nanoseconds < AHEAD * 1e9:
            self._latest = max(self._latest, stamp)

    def reset(self) -> None:
        """Forget the ticks of states: the clock has been set, or is another one."""
        self._latest, self.simulated = 0, bool(self._clock.ros_time_is_active)
