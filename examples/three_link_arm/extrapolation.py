"""An integrator for smooth motions, accurate to rounding: Gragg's extrapolated midpoint rule.

Hairer, Norsett, Wanner, "Solving Ordinary Differential Equations I" (1993), section II.9. The
error of the modified midpoint rule is a series in the square of its step, so that k rows of the
Aitken-Neville scheme give order 2 k.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Array = np.ndarray
# More rows would allow longer steps, but they multiply the rounding errors of the derivative.
ROWS = 4


def increment(derivative: Callable[[float, Array], Array], t: float, y: Array, h: float) -> Array:
    """y(t + h) - y of y' = derivative(t, y), with an error of order h^9.

    The increment is extrapolated, not y: it is small, and so are its rounding errors.
    """
    start = derivative(t, y)
    row: list[Array] = []
    for j in range(1, ROWS + 1):
        previous, row = row, [_midpoint(derivative, t, y, start, h, 2 * j)]
        for k, coarser in enumerate(previous):
            ratio = (j / (j - k - 1)) ** 2
            row.append(row[k] + (row[k] - coarser) / (ratio - 1.0))
    return row[-1]


def _midpoint(
    derivative: Callable[[float, Array], Array],
    t: float,
    y: Array,
    start: Array,
    h: float,
    count: int,
) -> Array:
    """y(t + h) - y by the modified midpoint rule with an even number of steps."""
    small = h / count
    previous, current = np.zeros_like(y), small * start
    for i in range(1, count):
        slope = derivative(t + i * small, y + current)
        previous, current = current, previous + 2.0 * small * slope
    return current
