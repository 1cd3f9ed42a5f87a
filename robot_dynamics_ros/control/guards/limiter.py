"""Bounds on a command: what the joints bear, and how fast it may change."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array

# The most time that one step may be credited with [s]: after a pause the command goes on from
# where it was, and does not leap.
LONGEST_STEP = 0.02


class TorqueLimiter:
    """Clamps a command to +-limits, and its change to the rates.

    The rate goes first: where limits are lowered below the present command, it comes down at the
    rate.

    Attributes:
        limits: (k,) largest command [N m or N]; may change at any time.
        rates: (k,) largest change [N m/s or N/s]; may change at any time.
        saturated: (k,) which commands of the last step are not what was asked for.
        counts: (k,) in how many steps that was so.
        reached_target: whether the last step ended on what was asked for, or at the limits.
    """

    def __init__(self, limits: Array, rates: Array) -> None:
        """Take the limits and rates, infinite where there are none."""
        self.limits, self.rates = limits, rates
        self.saturated = np.zeros(limits.size, dtype=bool)
        self.counts = np.zeros(limits.size, dtype=np.int64)
        self.reached_target = False
        self._asked, self._clamped = np.zeros((2, limits.size))

    def apply(self, command: Array, last: Array, elapsed: float) -> None:
        """Limit a command in place.

        Args:
            command: (k,) what is asked for [N m or N].
            last: (k,) the command before.
            elapsed: since then [s].
        """
        self._asked[:] = command
        # Without time nothing changes, at an infinite rate neither.
        step = self.rates * min(elapsed, LONGEST_STEP) if elapsed else 0.0
        # Two calls of a ufunc each: np.clip takes three times as long for so few numbers.
        np.minimum(command, self.limits, out=self._clamped)
        np.maximum(self._clamped, -self.limits, out=self._clamped)
        np.minimum(self._clamped, last + step, out=command)
        np.maximum(command, last - step, out=command)
        self.reached_target = bool((command == self._clamped).all())
        np.not_equal(command, self._asked, out=self.saturated)
        self.counts += self.saturated
