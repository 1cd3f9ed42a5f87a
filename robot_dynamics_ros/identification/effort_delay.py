"""By how much the efforts of a recording come later than its states.

A delay looks like viscous friction and inertia, which take nearly all of it, so all parameters are
fitted anew at each delay: the one with the largest likelihood is that of the efforts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.friction import dead_bands

from .equations import Equations
from .identify import IdentifiedParameters

# Delays that are looked for [s], how many at first, and the distance of those around the best.
LONGEST_DELAY, GRID, STEP = 0.1, 21, 2e-3
# Delays that can be given [s]: no driver delivers efforts later.
LARGEST = 0.2
# Less has no effect that matters [s].
SMALL = 2e-3
# Standard deviations of a delay that is certain.
DEVIATIONS = 5.0
# Rounds of parameters and noise at each delay, and the least share of the efforts that is noise.
ROUNDS, LEAST_NOISE = 3, 1e-6
# No driver delivers efforts more samples than this ahead of their states: such a shift makes good
# for something else that the model lacks.
EARLIEST = 2.0
# A joint is fast from so many dead bands on: 0.5 rad/s, 0.125 m/s. Friction that lags behind a
# reversal is another delay at slow speeds; fast motion shows a real one, at least this share of
# it, and not more than it by that.
FAST_BANDS, KEPT = 25.0, 0.8
# Share of the equations of a joint that must be fast, or its fast motion shows nothing.
LEAST_FAST = 0.5


def effort_delay(equations: Equations, found: IdentifiedParameters) -> tuple[float, bool]:
    """The delay that is certain in all motion, and in fast motion too where there is any.

    Args:
        equations: of the recording.
        found: what they tell without a delay: what is left out, base parameters and gains.

    Returns:
        Of the efforts behind the states, 0 where none is certain [s]; whether fast motion does not
        contradict it only because there is none: friction that lags looks like it then.
    """
    weights = np.where(equations.used, equations.outside(found.left_out), 0.0)
    # Those whose efforts are known with every shift.
    for end in (-LONGEST_DELAY, LONGEST_DELAY):
        weights = np.where(equations.shifted(end).used, weights, 0.0)
    delay = _certain(equations, weights, found)
    if not delay:
        return 0.0, False
    limits = FAST_BANDS * dead_bands(equations.layout.model)
    fast = np.where(np.abs(equations.velocities) < limits, 0.0, weights)
    is_fast = fast.sum(axis=0) > LEAST_FAST * weights.sum(axis=0)
    if not is_fast.any():
        return delay, True
    share = _certain(equations, np.where(is_fast, fast, 0.0), found) / delay
    return delay if KEPT < share < 1.0 / KEPT else 0.0, False


def _certain(equations: Equations, weights: Array, found: IdentifiedParameters) -> float:
    """The delay of the efforts behind the states, if it is certain; else 0 [s]."""
    counts = weights.sum(axis=0)
    if not counts.any():
        return 0.0
    layout = equations.layout
    gains = layout.columns('gain').tolist()
    columns = [column for column in found.base.columns if column not in gains]
    triangles = equations.reduced(weights).triangles[:, :, columns]
    grams = np.swapaxes(triangles, 1, 2) @ triangles
    known = equations.predicted(np.where(layout.is_known, layout.nominal(), 0.0))

    def misfit(delay: float) -> float:
        """Minus the logarithm of the likelihood, with the parameters and noise that fit best."""
        late = replace(equations, efforts=equations.fine.at(delay)[0])
        torques = late.measured(found.final.parameters) - known
        mixed = equations.mixed_products((weights * torques)[:, :, None])[:, columns, 0]
        squares = np.sum(weights * torques**2, axis=0)
        left = squares
        for _ in range(ROUNDS):
            shares = np.where(left > 0.0, counts / np.where(left > 0.0, left, 1.0), 0.0)
            total = np.tensordot(shares, grams, 1)
            values = np.linalg.pinv(total, hermitian=True) @ (shares @ mixed)
            left = squares - 2.0 * mixed @ values + np.sum((triangles @ values) ** 2, axis=1)
            left = np.maximum(left, LEAST_NOISE**2 * squares)
        return 0.5 * float(counts @ np.log(np.where(left > 0.0, left, 1.0)))

    delay, _, curvature = least_delay(misfit)
    if not curvature > 0.0:
        return 0.0
    variance = max(1.0, found.inflation) / (equations.independence.mean() * 2.0 * curvature)
    certain = max(SMALL, DEVIATIONS * float(np.sqrt(variance)))
    return delay if certain < abs(delay) < LONGEST_DELAY else 0.0


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
