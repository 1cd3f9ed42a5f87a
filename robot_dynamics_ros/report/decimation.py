"""Fewer points of a curve that look the same: the smallest and largest of each stretch stay."""

from __future__ import annotations

import numpy as np

from .panel import Array


def envelope(x: Array, y: Array, stretches: int) -> tuple[Array, Array]:
    """The points of a curve that show at a given resolution.

    Of each stretch with the same number of samples, the first of the smallest and the first of the largest values stay,
    in their order, and the first and the last sample of the curve: every peak stays as high as it is.
    Where x or y is NaN, the curve is interrupted before and after.

    Args:
        x: shape (K,).
        y: shape (K,).
        stretches: into which the curve is divided.

    Returns:
        x and y, each of at most 2 `stretches` + 2 samples, and a NaN for each interruption.
    """
    if len(x) <= 2 * stretches + 2:
        return x, y
    finite = np.isfinite(x) & np.isfinite(y)
    edges = np.linspace(0, len(x), stretches + 1).astype(np.int64)[:-1]
    lows = _first_at_extreme(np.where(finite, y, np.inf), edges, np.minimum)
    highs = _first_at_extreme(np.where(finite, y, -np.inf), edges, np.maximum)
    # One sample of each interruption is enough.
    gaps = np.flatnonzero(~finite & np.roll(finite, 1))
    rows = np.unique(np.concatenate([[0], lows, highs, gaps, [len(x) - 1]]))
    return x[rows], y[rows]


def _first_at_extreme(y: Array, edges: np.ndarray, extreme: np.ufunc) -> np.ndarray:
    """Row of the first extreme value of each stretch."""
    lengths = np.diff(np.append(edges, len(y)))
    at_extreme = np.flatnonzero(y == np.repeat(extreme.reduceat(y, edges), lengths))
    stretch = np.searchsorted(edges, at_extreme, side='right')
    return at_extreme[np.unique(stretch, return_index=True)[1]]


def thinned(rows: int, most: int) -> slice:
    """A regular choice of at most `most` of a number of rows."""
    return slice(None, None, max(1, -(-rows // most)))
