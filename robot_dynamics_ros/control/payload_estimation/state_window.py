"""Live joint states to filtered motion: a cubic through the states of a short window.

Least squares with a cubic on the stamps as they are gives position, velocity and acceleration in
the middle of the window, and the effort through the same low pass (A. Savitzky, M. Golay,
Smoothing and differentiation of data by simplified least squares procedures, Analytical Chemistry
36, 1964). Jitter and single lost states change the weights alone. The bandwidth is about 0.3
divided by half the length.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .payload_equations import FilteredMotion

# Length of a window [s], and the least number of states in it: slower states need longer ones.
LENGTH, LEAST_STATES = 0.12, 9
# Windows begin that share of their length after each other.
STRIDE = 0.5
# A gap of that share of a window ends it.
GAP = 0.3
# Of a cubic.
DEGREE = 3


class StateWindows:
    """Cuts states into windows, and filters each.

    Attributes:
        gaps: how often states were missing for too long.
    """

    def __init__(self, size: int) -> None:
        """For robots with so many independent joints."""
        self._size = size
        self._states = np.empty((0, 1 + 3 * size))
        self.gaps = 0

    def push(self, states: Array) -> Iterator[tuple[float, FilteredMotion]]:
        """The windows that these states complete: time of the middle, and one sample.

        Args:
            states: (N, 1 + 3 n) rows of time [s], positions, velocities, efforts; later than those
                before, NaN where a velocity or an effort was not measured.
        """
        self._states = np.concatenate([self._states, states])
        self._drop_before_gap()
        while len(self._states) >= LEAST_STATES:
            times = self._states[:, 0]
            interval = float(np.median(np.diff(times)))
            length = max(LENGTH, LEAST_STATES * interval)
            if times[-1] - times[0] < length:
                return
            count = int(np.searchsorted(times, times[0] + length, side='right'))
            window = self._states[:count]
            middle = times[0] + 0.5 * length
            yield middle, self._filtered(window, middle, 0.5 * length)
            later = np.searchsorted(times, times[0] + STRIDE * length, side='right')
            self._states = self._states[int(later) :]

    def _drop_before_gap(self) -> None:
        """Forget what is before a gap, or before a clock that was set back."""
        times = self._states[:, 0]
        if len(times) < 2:
            return
        steps = np.diff(times)
        largest = max(GAP * LENGTH, 3.0 * float(np.median(steps)))
        broken = np.flatnonzero((steps > largest) | (steps <= 0.0))
        if not broken.size:
            return
        # What is before it and long enough has been filtered with the states that came before.
        self.gaps += len(broken)
        self._states = self._states[broken[-1] + 1 :]

    def _filtered(self, window: Array, middle: float, half: float) -> FilteredMotion:
        """The sample in the middle of a window."""
        size = self._size
        powers = np.vander((window[:, 0] - middle) / half, DEGREE + 1, increasing=True)
        weights = np.linalg.pinv(powers)[:DEGREE]
        value, slope = weights[0], weights[1] / half
        q, v, efforts = (window[:, 1 + k * size : 1 + (k + 1) * size] for k in range(3))
        measured = np.isfinite(v).all(axis=0)
        # Where velocities are not measured they are derivatives of the positions.
        velocity = np.where(measured, value @ v, slope @ q)
        acceleration = np.where(measured, slope @ v, 2.0 * weights[2] / half**2 @ q)
        return FilteredMotion(
            (value @ q)[None], velocity[None], acceleration[None], (value @ efforts)[None], half
        )
