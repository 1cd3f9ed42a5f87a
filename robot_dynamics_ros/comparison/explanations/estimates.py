"""The numbers of an explanation that fit best: a delay, a load."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

from .explanation import Explanation
from .judge import PARTS, Judge
from .observations import LONGEST_DELAY

# Delays that are tried at first, and how often the interval around the best is divided.
GRID, REFINEMENTS = 21, 5
# Rounds in which the weights of the joints are adapted to their errors.
ROUNDS = 6
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


def best_load(judge: Judge, given: Explanation, body: int) -> tuple[Explanation, float]:
    """The explanation with the inertial parameters that something on a body adds.

    Factors of the efforts are estimated with them: they would hide a load in part. With u the
    inverse of the gain, the equations u measured - columns load = gravity + motion are linear in
    both. Weighted least squares over all joints; the weights follow from the errors of each joint.

    Args:
        judge: has the observations.
        given: explanation whose other parts hold.
        body: index of the joint that carries it.

    Returns:
        The explanation with load and factors, and the standard deviation of the mass [kg].
    """
    fitted, deviation = replace(given, body=body, load=(0.0,) * 10), np.inf
    free = np.flatnonzero(judge.judged & (np.abs(np.array(given.gains)) != 1.0))
    for _ in range(ROUNDS):
        normal, wanted = _equations(judge, fitted, free)
        solution, variance = _solution(normal, wanted, mass=len(free))
        gains = np.array(given.gains)
        if (solution[: len(free)] == 0.0).any():
            return given, float('inf')
        gains[free] = 1.0 / solution[: len(free)]
        load = tuple(solution[len(free) :].tolist())
        fitted = replace(fitted, gains=tuple(gains.tolist()), load=load)
        # Each joint has an error of 1 then, which counts for its independent samples.
        deviation = np.sqrt(variance / max(judge.observations.independent, 1.0))
    return fitted, float(deviation)


def _equations(
    judge: Judge, given: Explanation, free: npt.NDArray[np.intp]
) -> tuple[Array, Array]:
    """Normal equations of 1 / gain of the free joints, and of the load."""
    size = len(free)
    squares, mixed = judge.target_products(given)
    products, gains = judge.products(given.body), np.array(given.gains)
    weights = _telling(judge, size > 0) * gains**2 / judge.errors(given)
    base = np.array([float(given.gravity), 1.0])
    loads = products[:, PARTS:, PARTS:]
    modelled = products[:, :, :PARTS] @ base
    normal, wanted = np.zeros((size + 10, size + 10)), np.zeros(size + 10)
    normal[size:, size:] = np.einsum('j,jik->ik', weights, loads)
    wanted[size:] = -weights @ modelled[:, PARTS:]
    fixed = np.setdiff1d(np.arange(len(gains)), free)
    wanted[size:] += (weights[fixed] / gains[fixed]) @ mixed[fixed, PARTS:]
    for row, joint in enumerate(free):
        normal[row, row] = weights[joint] * squares[joint]
        normal[row, size:] = normal[size:, row] = -weights[joint] * mixed[joint, PARTS:]
        wanted[row] = weights[joint] * (mixed[joint, :PARTS] @ base)
    return normal, wanted


def _telling(judge: Judge, has_factors: bool) -> npt.NDArray[np.bool_]:
    """Which joints (n,) say something of a load.

    Where efforts have factors, the scale of a joint that is too light to show it is unknown.
    """
    return judge.judged & judge.loaded if has_factors else judge.judged


def _solution(normal: Array, wanted: Array, mass: int) -> tuple[Array, float]:
    """The solution of normal equations, and the variance of the parameter with index `mass`."""
    scale = np.sqrt(np.diag(normal))
    scale[scale <= 1e-9 * scale.max()] = np.inf
    sizes, directions = np.linalg.eigh(normal / np.outer(scale, scale))
    kept = sizes > RANK**2 * sizes.max()
    inverse = (directions[:, kept] / sizes[kept]) @ directions[:, kept].T
    solution = inverse @ (wanted / scale) / scale
    if not np.allclose(directions[mass, ~kept], 0.0, atol=0.1):
        return solution, float('inf')
    return solution, float(inverse[mass, mass] / scale[mass] ** 2)
