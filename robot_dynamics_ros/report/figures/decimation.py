"""Fewer points of a curve that look the same: the smallest and largest of each stretch stay."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.comparison.evidence.extremes import extreme_rows

from .panel import Array


def envelope(x: Array, y: Array, stretches: int) -> tuple[Array, Array]:
    """The points of a curve that show at a given resolution.

    Of each stretch with the same number of samples, the first of the smallest and the first of the
    largest values stay, in their order, and the first and the last sample of the curve: every peak
    stays as high as it is. Where x or y is NaN, the curve stays interrupted.

    Args:
        x: shape (K,).
        y: shape (K,).
        stretches: into which the curve is divided.

    Returns:
        x and y, each of at most 2 `stretches` + 2 samples, and one NaN for each interruption.
    """
    if len(x) <= 2 * stretches + 2:
        return x, y
    starts = np.linspace(0, len(x), stretches + 1).astype(np.intp)[:-1]
    broken = np.isnan(x) | np.isnan(y)
    # One sample of each interruption is enough.
    gaps = np.flatnonzero(broken[1:] & ~broken[:-1]) + 1
    rows = np.unique(np.concatenate([[0], extreme_rows(y, starts), gaps, [len(x) - 1]]))
    return x[rows], y[rows]


def thinned(rows: int, most: int) -> slice:
    """A regular choice of at most `most` of a number of rows."""
    return slice(None, None, max(1, -(-rows // most)))
