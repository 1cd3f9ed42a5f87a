"""The numbers of an explanation that fit best: a delay, a load."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .explanation import Explanation
from .judge import PARTS, Judge
from .observations import LONGEST_DELAY

# Delays that are tried at first, and how often the interval around the best is divided.
GRID, REFINEMENTS = 21, 5
# Rounds in which the weights of the joints are adapted to their errors.
ROUNDS = 4
# Directions of the parameters of a load in which the torque is this much weaker than in the
# strongest are not determined.
RANK = 1e-4


def best_delay(judge: Judge, given: Explanation) -> float:
    """The delay with the smallest misfit [s]: on a grid, and finer around the best."""

    def misfit(delay: float) -> float:
        return judge.misfit(replace(given, delay=delay))

    delays = np.linspace(-LONGEST_DELAY, LONGEST_DELAY, GRID)
    step = delays[1] - delays[0]
    best = min(delays, key=misfit)
    for _ in range(REFINEMENTS):
        step /= 3.0
        near = best + step * np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
        best = min(near[np.abs(near) <= LONGEST_DELAY], key=misfit)
    return float(best)


def best_load(judge: Judge, given: Explanation, body: int) -> tuple[Array, float]:
    """The inertial parameters (10,) that something on a body adds, and their uncertainty.

    Weighted least squares over all joints; the weights follow from the errors of each joint.

    Args:
        judge: has the observations.
        given: explanation whose other parts hold.
        body: index of the joint that carries it.

    Returns:
        The parameters, and the standard deviation of the mass [kg].
    """
    bare = replace(given, body=body, load=(0.0,) * 10)
    gains = np.array(given.gains)
    products = gains[:, None, None] ** 2 * judge.products(body)
    _, mixed = judge.target_products(bare)
    base = np.array([float(given.gravity), 1.0])
    wanted = gains[:, None] * mixed[:, PARTS:] - products[:, PARTS:, :PARTS] @ base
    columns = products[:, PARTS:, PARTS:]
    fitted, deviation = bare, np.inf
    for _ in range(ROUNDS):
        weights = judge.judged / judge.errors(fitted)
        load, variance = _solution(
            np.einsum('j,jik->ik', weights, columns), np.einsum('j,ji->i', weights, wanted)
        )
        fitted = replace(bare, load=tuple(load.tolist()))
        # Each joint has an error of 1 then, which counts for its independent samples.
        deviation = np.sqrt(variance / max(judge.observations.independent, 1.0))
    return np.array(fitted.load), float(deviation)


def _solution(normal: Array, wanted: Array) -> tuple[Array, float]:
    """The solution (10,) of normal equations, and the variance of the first parameter."""
    scale = np.sqrt(np.diag(normal))
    scale[scale <= 1e-9 * scale.max()] = np.inf
    sizes, directions = np.linalg.eigh(normal / np.outer(scale, scale))
    kept = sizes > RANK**2 * sizes.max()
    inverse = (directions[:, kept] / sizes[kept]) @ directions[:, kept].T
    load = inverse @ (wanted / scale) / scale
    if not np.allclose(directions[0, ~kept], 0.0, atol=0.1):
        return load, float('inf')
    return load, float(inverse[0, 0] / scale[0] ** 2)
