"""Where a signal is smallest and largest in each of consecutive stretches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.core.checks import Array

Rows = NDArray[np.intp]


def extreme_rows(values: Array, starts: Rows) -> Rows:
    """The rows of the smallest and of the largest value of each stretch, the first ones of equals.

    Args:
        values: (K,); NaN counts as neither, unless a stretch has nothing else.
        starts: (S,) first row of each stretch, increasing from 0.

    Returns:
        At most 2 S rows, increasing.
    """
    finite = np.isfinite(values)
    lows = _first_equal(np.where(finite, values, np.inf), starts, np.minimum)
    highs = _first_equal(np.where(finite, values, -np.inf), starts, np.maximum)
    return np.union1d(lows, highs)


def _first_equal(values: Array, starts: Rows, extreme: np.ufunc) -> Rows:
    """First row of each stretch that has the extreme value of the stretch."""
    lengths = np.diff(starts, append=len(values))
    equal = np.flatnonzero(values == np.repeat(extreme.reduceat(values, starts), lengths))
    stretch = np.searchsorted(starts, equal, side='right')
    return equal[np.unique(stretch, return_index=True)[1]]
