"""The delay of the effort of each joint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .estimates import GRID
from .explanation import Explanation
from .judge import Judge
from .observations import LONGEST_DELAY

# A delay with a larger standard deviation is not known [s].
KNOWN = 5e-3
# An effort of which more is left shows no delay: what is left may look like one.
EXPLAINED = 0.15
# Bandwidth of the errors of a model [Hz].
SLOW = 1.0
# Distance of the points of the parabola [s].
STEP = 2e-3


def joint_delays(judge: Judge, given: Explanation) -> Array:
    """The delay (n,) at which the error of each joint is smallest [s]; NaN where not known.

    Args:
        judge: has the observations.
        given: explains the rest.
    """
    delays = np.full(judge.observations.size, np.nan)
    if not judge.judged.any():
        return delays
    grid = np.linspace(-LONGEST_DELAY, LONGEST_DELAY, GRID)
    errors = np.array([judge.errors(replace(given, delay=delay)) for delay in grid])
    for joint in np.flatnonzero(judge.judged).tolist():
        coarse = int(np.argmin(errors[:, joint]))
        if 0 < coarse < GRID - 1:
            first = grid[coarse] + _vertex(
                errors[coarse - 1 : coarse + 2, joint], grid[1] - grid[0]
            )
            delays[joint] = _refined(judge, given, joint, first)
    return delays


def _refined(judge: Judge, given: Explanation, joint: int, near: float) -> float:
    """The delay of one joint, from three values near it; NaN where they do not determine it."""
    near = float(np.clip(near, STEP - LONGEST_DELAY, LONGEST_DELAY - STEP))
    points = near + STEP * np.array([-1.0, 0.0, 1.0])
    errors = np.array([judge.errors(replace(given, delay=point))[joint] for point in points])
    curvature = (errors[0] - 2.0 * errors[1] + errors[2]) / (2.0 * STEP**2)
    if curvature <= 0.0:
        return float('nan')
    # An error S (d - d_0)^2 + E has this variance of d_0.
    # What is left is an error of the model, which changes as slowly as the motion.
    samples = max(2.0 * SLOW * judge.observations.duration, 1.0)
    deviation = np.sqrt(errors[1] / (curvature * samples))
    squares, _ = judge.target_products(given)
    known = deviation < KNOWN and errors[1] < EXPLAINED**2 * squares[joint]
    return near + _vertex(errors, STEP) if known else float('nan')


def _vertex(errors: Array, step: float) -> float:
    """Where the parabola through three equidistant points has its minimum, from the middle one."""
    bend = errors[0] - 2.0 * errors[1] + errors[2]
    return float(0.5 * step * (errors[0] - errors[2]) / bend) if bend > 0.0 else 0.0
