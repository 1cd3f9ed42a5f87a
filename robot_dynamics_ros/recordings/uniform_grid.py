"""Samples of a segment at equal intervals.

Filters need equal intervals, stamps have jitter. A cubic through the four samples around a time
gives the value there. Of stamps that nearly coincide, as in bursts of a log, the first one counts:
a cubic through both would overshoot. Equally spaced samples are passed on as they are.

Source: J.-P. Berrut, L. N. Trefethen, Barycentric Lagrange interpolation, SIAM Review 46, 2004.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import numpy as np

from robot_dynamics_ros.core.checks import Array

# Of an interval: what stamps may deviate from equal spacing.
EQUAL = 1e-3
# Samples that a cubic needs on each side of a time.
SIDE = 2
# In intervals: stamps that are closer than this do not determine the slope of a cubic.
CLOSE = 0.2


class UniformGrid:
    """The grid of one segment, from its first sample on.

    Attributes:
        size: number of its times.
    """

    def __init__(self, times: Array, interval: float) -> None:
        """Take times (N,) of samples, strictly increasing, and the interval of the grid [s]."""
        numbers = (times - times[0]) / interval
        self._equal = np.abs(numbers - np.arange(len(times))).max() < EQUAL
        self._rows = np.flatnonzero(np.diff(numbers, prepend=-1.0) >= CLOSE)
        self._numbers = numbers[self._rows]
        inside = self._numbers[-SIDE] if len(self._rows) >= 2 * SIDE else -1.0
        self.size = len(times) if self._equal else int(np.floor(inside)) + 1

    def rows(self, first: int, last: int, values: Callable[[int, int], Array]) -> Array:
        """Values (K, m) at the times of the grid from the first one to the last one, exclusive.

        Those (N, m) of samples are given by `values`, which takes such a range too.
        """
        if self._equal or first >= last:
            return values(first, last)
        wanted = np.arange(first, last)
        left = np.searchsorted(self._numbers, wanted, side='right') - SIDE
        left = np.clip(left, 0, len(self._numbers) - 2 * SIDE)
        places = left[:, None] + np.arange(2 * SIDE)
        nodes, rows = self._numbers[places], self._rows[places]
        weights = np.ones(nodes.shape)
        for i, j in permutations(range(2 * SIDE), 2):
            weights[:, i] *= (wanted - nodes[:, j]) / (nodes[:, i] - nodes[:, j])
        begin = rows[0, 0]
        found = values(begin, rows[-1, -1] + 1)
        result: Array = np.einsum('ki,kim->km', weights, found[rows - begin])
        return result
