"""Weighted least squares: base parameters, the noise of each equation, and the covariance.

Each joint has noise of its own, and counts with its inverse variance (Gautier, "Dynamic
identification of robots with power model", 1997: weights by the error of each joint).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings.extra import required

from ..observability import BaseParameters
from ..regression.reduced_equations import ReducedEquations, triangle

# Rounds of parameters and noise, and the relative change of the noise at which they end.
ROUNDS, CHANGE = 20, 1e-4
# Of the measured torque: there is no less noise than that, rounding at least.
LEAST_NOISE = 1e-9
# Share of the equations that is left for noise beside the parameters, at least.
LEAST_FREE = 0.05


@dataclass(frozen=True)
class Solution:
    """Base parameters by weighted least squares.

    Attributes:
        values: (b,).
        covariance: (b, b).
        noise: (r,) standard deviation of the equations; zero where none was used.
    """

    values: Array
    covariance: Array
    noise: Array


def least_squares(
    reduced: ReducedEquations, base: BaseParameters, noise: Array, variance: float = 1.0
) -> Solution:
    """Base parameters and noise that fit each other.

    Args:
        reduced: the equations, weighted or not.
        base: what they determine.
        noise: (r,) a first guess.
        variance: of weighted squares of noise of variance 1, see `NormalNoise`.
    """
    factors = _factors(reduced, base)
    floor = LEAST_NOISE * np.linalg.norm(reduced.triangles[:, :, -1], axis=1)
    floor /= np.sqrt(np.maximum(reduced.weights, 1.0))
    used = reduced.weights > 0.0
    noise = np.where(used, np.maximum(noise, floor), 0.0)
    for _ in range(ROUNDS):
        values, root = _solved(factors, noise, reduced)
        before, noise = noise, _noise(factors, values, root, noise, reduced, variance)
        noise = np.where(used, np.maximum(noise, floor), 0.0)
        if np.allclose(noise, before, rtol=CHANGE, atol=0.0):
            break
    values, root = _solved(factors, noise, reduced)
    described = base.values(base.layout.nominal())
    return Solution(described + values, root @ root.T, noise)


def _factors(reduced: ReducedEquations, base: BaseParameters) -> Array:
    """Triangles (r, p + 1, b + 1): the independent columns, and what the description leaves.

    The unknowns are the changes of the base parameters, so that parameters which the data do not
    tell have the effect that the description says.
    """
    left = reduced.triangles[:, :, -1] - reduced.triangles[:, :, :-1] @ base.layout.nominal()
    chosen = reduced.triangles[:, :, list(base.columns)]
    return np.concatenate([chosen, left[:, :, None]], axis=2)


def _solved(factors: Array, noise: Array, reduced: ReducedEquations) -> tuple[Array, Array]:
    """Values (b,), and a root (b, b) of their covariance."""
    linalg = required('scipy.linalg', 'identification')
    rows = [
        np.sqrt(reduced.independence[j]) / noise[j] * factor
        for j, factor in enumerate(factors)
        if noise[j] > 0.0
    ]
    size = factors.shape[2] - 1
    if not rows or not size:
        return np.zeros(size), np.zeros((size, size))
    stacked = np.concatenate(rows)
    units = np.linalg.norm(stacked[:, :size], axis=0)
    upper = triangle(stacked / np.append(units, 1.0))
    root = linalg.solve_triangular(upper[:size, :size], np.eye(size))
    return root @ upper[:size, size] / units, root / units[:, None]


def _noise(
    factors: Array,
    values: Array,
    root: Array,
    noise: Array,
    reduced: ReducedEquations,
    variance: float,
) -> Array:
    """Standard deviation of each equation, without what the parameters take of it.

    The trace of the hat matrix of an equation says how many parameters it determines.
    """
    found = np.zeros_like(noise)
    for j, factor in enumerate(factors):
        if noise[j] <= 0.0:
            continue
        left = float(np.linalg.norm(factor @ np.append(values, -1.0)))
        hat = reduced.independence[j] * np.linalg.norm(factor[:, :-1] @ root / noise[j]) ** 2
        free = max(LEAST_FREE, 1.0 - hat / max(1.0, reduced.independent[j]))
        found[j] = left / np.sqrt(reduced.weights[j] * free * variance)
    return found
