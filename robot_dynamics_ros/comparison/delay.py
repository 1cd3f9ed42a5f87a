"""By how much efforts come later than their states: the delay at which a model leaves least.

What the model may take up beside it is in the error that is given: friction and an offset where
the model is compared, all parameters where they are identified.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .observations import LONGEST_DELAY

# Delays that are tried at first, and the distance of those around the best [s].
GRID, STEP = 21, 2e-3


def least_delay(errors: Callable[[float], float]) -> tuple[float, float, float]:
    """The delay with the smallest error, that error, and half its curvature there.

    A parabola through the three values around the best of a grid shows where three nearer ones
    determine the delay. At an end of the grid nothing does: the curvature is 0.

    Args:
        errors: by the delay [s]; as a logarithm of the likelihood, turned in sign, its curvature
            is the inverse of the variance of the delay.
    """
    grid = np.linspace(-LONGEST_DELAY, LONGEST_DELAY, GRID)
    values = np.array([errors(delay) for delay in grid.tolist()])
    best = int(np.argmin(values))
    if best in (0, GRID - 1):
        return float(grid[best]), float(values[best]), 0.0
    near = grid[best] + _vertex(values[best - 1 : best + 2], grid[1] - grid[0])
    values = np.array([errors(near + STEP * side) for side in (-1.0, 0.0, 1.0)])
    curvature = (values[0] - 2.0 * values[1] + values[2]) / (2.0 * STEP**2)
    delay = float(np.clip(near + _vertex(values, STEP), -LONGEST_DELAY, LONGEST_DELAY))
    return delay, float(values[1]), float(curvature)


def _vertex(errors: Array, step: float) -> float:
    """Where the parabola through three equidistant points has its minimum, from the middle one."""
    bend = errors[0] - 2.0 * errors[1] + errors[2]
    return float(0.5 * step * (errors[0] - errors[2]) / bend) if bend > 0.0 else 0.0
