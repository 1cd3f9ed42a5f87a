"""Limits of a command: its magnitude and its rate of change."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array

# A step is limited as if no more time had passed [s]: after a pause the command goes on from where
# it was, without a leap.
LONGEST_STEP = 0.02


class TorqueLimiter:
    """Clamps a command to +-limits, and its change to the rates.

    The rate limit takes precedence: where the limits are lowered below the present command, the
    command decreases at the rate limit.

    Attributes:
        limits: (k,) largest command [N m or N]; may change at any time.
        rates: (k,) largest change [N m/s or N/s]; may change at any time.
        saturated: (k,) which commands of the last step differ from what was requested.
        counts: (k,) number of steps in which they did.
        reached_target: whether the last step ended on what was requested, or at the limits.
    """

    def __init__(self, limits: Array, rates: Array) -> None:
        """Limit to these; infinite where there is no limit.

        Args:
            limits: (k,) largest command [N m or N].
            rates: (k,) largest change [N m/s or N/s].
        """
        self.limits, self.rates = limits, rates
        self.saturated = np.zeros(limits.size, dtype=bool)
        self.counts = np.zeros(limits.size, dtype=np.int64)
        self.reached_target = False
        self._requested, self._clamped = np.zeros((2, limits.size))

    @property
    def requested(self) -> Array:
        """A copy of what the last step requested (k,) [N m or N]."""
        return self._requested.copy()

    def apply(self, command: Array, last: Array, elapsed: float) -> None:
        """Limit a command in place.

        Args:
            command: (k,) what is requested [N m or N].
            last: (k,) the last command [N m or N].
            elapsed: time since the last command [s].
        """
        self._requested[:] = command
        # In no time the command does not change, even at an infinite rate.
        step = self.rates * min(elapsed, LONGEST_STEP) if elapsed else 0.0
        # Two calls of a ufunc each: np.clip takes three times as long for so few numbers.
        np.minimum(command, self.limits, out=self._clamped)
        np.maximum(self._clamped, -self.limits, out=self._clamped)
        np.minimum(self._clamped, last + step, out=command)
        np.maximum(command, last - step, out=command)
        self.reached_target = bool((command == self._clamped).all())
        np.not_equal(command, self._requested, out=self.saturated)
        self.counts += self.saturated
