"""The derivative of measured values: difference quotients, filtered by a first-order low-pass."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array


class FilteredDerivative:
    """Derivative of each of n values, which may be measured at different times.

    With x_k measured dt after x_(k-1):
    d_k = d_(k-1) + (1 - exp(-2 pi f dt)) ((x_k - x_(k-1)) / dt - d_(k-1)). It lags behind the true
    derivative by about 1 / (2 pi f). A high cutoff passes the noise of the values on.

    Attributes:
        cutoff: f [Hz]; may change at any time.
        value: (n,) the derivative [unit of the values / s]; zero before the second value.
    """

    def __init__(self, size: int, cutoff: float, turning: Array | None = None) -> None:
        """Without a value yet.

        Args:
            size: number of values, n.
            cutoff: f [Hz].
            turning: (n,) whether a value is an angle that may be wrapped; its step is then the
                shorter way round. None if none is.
        """
        self.cutoff = cutoff
        self.value = np.zeros(size)
        self._turning = turning if turning is not None and turning.any() else None
        self._last = np.zeros(size)
        self._times = np.full(size, -math.inf)

    @property
    def delay(self) -> float:
        """Lag of the derivative, 1 / (2 pi f) [s]."""
        return 1.0 / (2.0 * math.pi * self.cutoff)

    def reset(self) -> None:
        """Return to zero, without values to compare with."""
        self.value.fill(0.0)
        self._times.fill(-math.inf)

    def continue_from(self, other: FilteredDerivative) -> None:
        """Take over the derivative of the same values, and the values to compare with."""
        self.value[:], self._last[:] = other.value, other._last
        self._times[:] = other._times

    def update(self, time: float, values: Array) -> Array:
        """Take values, and return the new derivative (n,).

        Args:
            time: of the measurement [s]; values that are not newer than the last are ignored.
            values: (n,) what was measured; NaN for what was not.
        """
        elapsed = time - self._times
        newer = (elapsed > 0.0) & ~np.isnan(values)
        usable = newer & (elapsed < math.inf)
        if usable.any():
            step = values - self._last
            if self._turning is not None:
                turned = np.remainder(step[self._turning] + math.pi, 2.0 * math.pi) - math.pi
                step[self._turning] = turned
            durations, present = elapsed[usable], self.value[usable]
            weight = -np.expm1(-2.0 * math.pi * self.cutoff * durations)
            self.value[usable] = present + weight * (step[usable] / durations - present)
        np.copyto(self._last, values, where=newer)
        np.copyto(self._times, time, where=newer)
        return self.value
