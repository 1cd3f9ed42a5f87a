"""Live joint states to filtered motion: a weighted mean over the states of a short window.

The kernel is the triweight of fourth order, w(x) ~ (3 - 11 x^2) (1 - x^2)^3 for -1 < x < 1: it
leaves cubics as they are, halves the amplitude at 9.5 Hz for a window of 0.2 s, and damps to a
twentieth from 15 Hz on (M. Wand, M. Jones, Kernel Smoothing, section 2.8). The derivatives are
those of the same kernel: accelerations and efforts pass the same low pass, and what a motion has
beyond it, such as the steps of a trajectory, is damped in both alike.

Between states, values are on straight lines: jitter and single lost states do no harm.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .payload_equations import FilteredMotion

# Length of a window [s], and the least number of states in it: slower states need longer ones.
LENGTH, LEAST_STATES = 0.2, 10
# Windows begin that share of their length after each other: means are then nearly independent.
STRIDE = 0.3
# A gap of that share of a window ends it.
GAP = 0.2
# Places in a window at which the kernel is evaluated, and the part of it that weighs most.
PLACES, CORE = 1000, 0.5


def _kernel() -> tuple[Array, Array, Array]:
    """Places in a window from -1 to 1, and there the weights of value and derivative.

    By partial integration the latter are minus the derivative of the kernel,
    8 x (1 - x^2)^2 (5 - 11 x^2).
    """
    x = (2.0 * np.arange(PLACES) + 1.0) / PLACES - 1.0
    parabola = 1.0 - x**2
    value = (3.0 - 11.0 * x**2) * parabola**3
    slope = 8.0 * x * parabola**2 * (5.0 - 11.0 * x**2)
    # Exact for what they are for, in spite of the sum over few places.
    return x, value / value.sum(), slope / (slope @ x)


X, VALUE, SLOPE = _kernel()


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
        states = np.concatenate([self._states, states])
        for piece in self._pieces(states):
            # Of the last piece, more states may come.
            self._states = piece
            yield from self._complete()

    def _pieces(self, states: Array) -> list[Array]:
        """The states between gaps, and between settings back of the clock; one at least."""
        steps = np.diff(states[:, 0])
        if not steps.size:
            return [states]
        largest = max(GAP * LENGTH, 3.0 * float(np.median(steps)))
        broken = np.flatnonzero((steps > largest) | (steps <= 0.0))
        self.gaps += len(broken)
        return np.split(states, broken + 1)

    def _complete(self) -> Iterator[tuple[float, FilteredMotion]]:
        """The windows that the present states complete."""
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

    def _filtered(self, window: Array, middle: float, half: float) -> FilteredMotion:
        """The sample in the middle of a window."""
        size = self._size
        times, places = window[:, 0], middle + half * X
        positions, velocities = window[:, 1 : 1 + size], window[:, 1 + size : 1 + 2 * size]
        weights = _weights(times, places)
        q, velocity, efforts = np.split(weights[0] @ window[:, 1:], 3)
        acceleration = weights[1] @ velocities / half
        unmeasured = np.isnan(velocities).any(axis=0)
        if unmeasured.any():
            # From the positions before and after.
            rates = np.diff(positions[:, unmeasured], axis=0) / np.diff(times)[:, None]
            weights = _weights(0.5 * (times[1:] + times[:-1]), places)
            velocity[unmeasured] = weights[0] @ rates
            acceleration[unmeasured] = weights[1] @ rates / half
        rows = q[None], velocity[None], acceleration[None], efforts[None]
        return FilteredMotion(*rows, CORE * half)


def _weights(times: Array, places: Array) -> Array:
    """Weights (2, N) of values at times, for value and derivative, along lines between them.

    Args:
        times: (N,) increasing [s].
        places: (PLACES,) of the kernel [s].
    """
    left = np.clip(np.searchsorted(times, places) - 1, 0, len(times) - 2)
    share = np.clip((places - times[left]) / np.diff(times)[left], 0.0, 1.0)
    result = np.empty((2, len(times)))
    for row, kernel in zip(result, (VALUE, SLOPE), strict=True):
        row[:] = np.bincount(left, kernel * (1.0 - share), len(times))
        row += np.bincount(left + 1, kernel * share, len(times))
    return result
