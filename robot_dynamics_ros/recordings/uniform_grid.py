"""Samples of a segment at equal intervals.

Filters need equal intervals, stamps have jitter. A cubic through the four samples around a time
gives the value there. Where two of the four stamps nearly coincide, as in bursts of a log, a cubic
would overshoot: there the value is on the straight line between the two neighbours. Samples whose
stamps are equally spaced within 0.1 % are passed on as they are.

Source: J.-P. Berrut, L. N. Trefethen, Barycentric Lagrange interpolation, SIAM Review 46, 2004.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

# Of an interval: what stamps may deviate from equal spacing.
EQUAL = 1e-3
# Samples that a cubic needs on each side of a time.
SIDE = 2
# In intervals: stamps that are closer than this do not determine the slope of a cubic.
CLOSE = 0.2


class UniformGrid:
    """Takes the samples of one segment in parts, gives them at equal intervals.

    Attributes:
        start: time of the first sample of the segment [s].
        interval: between two samples of the grid [s].
    """

    def __init__(self, start: float, interval: float) -> None:
        self.start, self.interval = start, interval
        self._times: Array = np.empty(0)
        self._values: Array = np.empty((0, 0))
        # Number of the next sample of the grid.
        self._next = 0

    def push(self, times: Array, values: Array) -> Array:
        """Rows (K, m) of the grid that follow those before.

        Args:
            times: (N,) of the next samples, strictly increasing [s].
            values: (N, m) of these samples.
        """
        carried = len(self._times)
        all_times = np.concatenate([self._times, times])
        numbers = (all_times - self.start) / self.interval
        nearest = np.rint(numbers)
        equal = (np.abs(numbers - nearest) < EQUAL).all() and (np.diff(nearest) == 1.0).all()
        first = int(np.searchsorted(nearest, self._next))
        passed = equal and first >= carried
        all_values = values
        if carried and not (passed and len(values) >= 2 * SIDE):
            all_values = np.concatenate([self._values, values])
        rows = values[first - carried :] if passed else self._between(numbers, all_values)
        self._next = max(self._next, int(nearest[-1]) + 1) if passed else self._next
        # The last samples take part in the next intervals.
        kept = min(2 * SIDE, len(all_values))
        self._times, self._values = all_times[-kept:], all_values[-kept:].copy()
        return rows

    def _between(self, numbers: Array, values: Array) -> Array:
        """Rows that follow those before, by interpolation of values (N, m) at numbers (N,)."""
        if len(values) < 2 * SIDE:
            return values[:0]
        last = int(np.floor(numbers[-SIDE]))
        wanted = np.arange(self._next, last + 1)
        self._next = max(self._next, last + 1)
        return _cubic(numbers, values, wanted.astype(float))


def _cubic(numbers: Array, values: Array, wanted: npt.NDArray[np.float64]) -> Array:
    """Values (K, m) at numbers of the grid, by the cubics or lines through the neighbours.

    Args:
        numbers: (N,) where samples are, in intervals of the grid.
        values: (N, m) of the samples.
        wanted: (K,) where values are wanted, up to the last but one sample.
    """
    right = np.searchsorted(numbers, wanted, side='right')
    first = np.clip(right - SIDE, 0, len(numbers) - 2 * SIDE)
    nodes = numbers[first[:, None] + np.arange(2 * SIDE)]
    weights = np.ones((len(wanted), 2 * SIDE))
    for i, j in permutations(range(2 * SIDE), 2):
        weights[:, i] *= (wanted - nodes[:, j]) / (nodes[:, i] - nodes[:, j])
    close = np.flatnonzero((np.diff(nodes, axis=1) < CLOSE).any(axis=1))
    weights[close] = _linear_weights(nodes[close], wanted[close])
    result = np.zeros((len(wanted), values.shape[1]))
    for i in range(2 * SIDE):
        result += weights[:, i, None] * values[first + i]
    return result


def _linear_weights(nodes: Array, wanted: Array) -> Array:
    """Weights (K, 4) of the samples at nodes (K, 4), for the line between two neighbours."""
    weights = np.zeros(nodes.shape)
    rows = np.arange(len(nodes))
    left = np.clip((nodes <= wanted[:, None]).sum(axis=1) - 1, 0, 2 * SIDE - 2)
    before, after = nodes[rows, left], nodes[rows, left + 1]
    weights[rows, left + 1] = (wanted - before) / (after - before)
    weights[rows, left] = 1.0 - weights[rows, left + 1]
    return weights
