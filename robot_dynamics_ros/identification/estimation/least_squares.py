"""Weighted least squares: base parameters, the noise of each equation, and the covariance.

Each joint has noise of its own, and counts with its inverse variance (Gautier, "Dynamic
identification of robots with power model", 1997: weights by the error of each joint).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings.extra import required

from ..observability import BaseParameters
from ..regression.reduced_equations import ReducedEquations, triangle
from .instruments import GainPlace, gain_places, with_instruments

# Rounds of parameters and noise, and the relative change of the noise at which they end.
ROUNDS, CHANGE = 20, 1e-4
# Steps of instruments, and the change in standard deviations at which they end.
STEPS, STEP_CHANGE = 20, 1e-4
# Gains count as changes from this one.
DESCRIBED_GAIN = 1.0
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
    places = gain_places(reduced.layout, reduced.equations, base.columns)
    floor = LEAST_NOISE * np.linalg.norm(reduced.triangles[:, :, -1], axis=1)
    floor /= np.sqrt(np.maximum(reduced.weights, 1.0))
    used = reduced.weights > 0.0
    noise = np.where(used, np.maximum(noise, floor), 0.0)
    for _ in range(ROUNDS):
        values, root = _solved(factors, noise, reduced, places)
        before, noise = noise, _noise(factors, values, root, noise, reduced, variance)
        noise = np.where(used, np.maximum(noise, floor), 0.0)
        if np.allclose(noise, before, rtol=CHANGE, atol=0.0):
            break
    values, root = _solved(factors, noise, reduced, places)
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


def _solved(
    factors: Array, noise: Array, reduced: ReducedEquations, places: Sequence[GainPlace]
) -> tuple[Array, Array]:
    """Values (b,), and a root (b, b) of their covariance."""
    size = factors.shape[2] - 1
    if not (noise > 0.0).any() or not size:
        return np.zeros(size), np.zeros((size, size))
    weights = np.sqrt(reduced.independence) / np.where(noise > 0.0, noise, np.inf)

    def stacked(factors: Array) -> Array:
        weighted: Array = (weights[:, None, None] * factors).reshape(-1, size + 1)
        return weighted

    rows = stacked(factors)
    values, root = _least(rows)
    for _ in range(STEPS if places else 0):
        clean = stacked(with_instruments(factors, values, places, DESCRIBED_GAIN))
        _, root = _least(clean)
        # In standard deviations: of comparable size.
        instruments = clean[:, :-1] @ root
        left = rows[:, -1] - rows[:, :-1] @ values
        step = np.linalg.solve(instruments.T @ rows[:, :-1] @ root, instruments.T @ left)
        values = values + root @ step
        if np.abs(step).max() < STEP_CHANGE:
            break
    return values, root


def _least(rows: Array) -> tuple[Array, Array]:
    """Least squares of weighted equations (m, b + 1): values, and a root of their covariance."""
    linalg = required('scipy.linalg', 'identification')
    size = rows.shape[1] - 1
    units = np.linalg.norm(rows[:, :size], axis=0)
    upper = triangle(rows / np.append(units, 1.0))
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
