"""Weighted least squares: base parameters, the noise of each joint, and the covariance.

Each joint has noise of its own, and counts with its inverse variance (Gautier, "Dynamic
identification of robots with power model", 1997: weights by the error of each joint).

With --effort current, what the drives give is gain times measured current: the current is a
column, and its noise pulls the gain, and with it all masses, towards zero (errors in variables).
The torque that the estimate predicts, divided by the gain, is that column without its noise: in
the normal equations it takes the place of the current on the left (instrumental variables; Janot,
Vandanjon, Gautier, "A generic instrumental variable approach for industrial robot identification",
2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.extra import required

from .base_parameters import BaseParameters, whitened
from .equations import ReducedEquations, triangle
from .parameters import ParameterLayout

# Rounds of parameters and noise, and the relative change of the noise at which they end.
ROUNDS, CHANGE = 20, 1e-4
# Steps of instruments, and the change in standard deviations at which they end.
STEPS, STEP_CHANGE = 20, 1e-4
# Gains count as changes from this one.
URDF_GAIN = 1.0
# Of the torque: there is no less noise than that, rounding at least.
LEAST_NOISE = 1e-9
# Share of the equations that is left for noise beside the parameters, at least.
LEAST_FREE = 0.05

Method = Literal['weighted', 'consistent']


@dataclass(frozen=True)
class Estimate:
    """Parameters of a robot from its data.

    Attributes:
        layout: of the parameters.
        parameters: (p,) base parameters of the data, completed by the URDF.
        base_columns: (b,) columns of the base parameters, those of `BaseParameters.columns`.
        base_covariance: (b, b) of the base parameters of weighted least squares, for white noise.
        noise: (n,) standard deviation of the equations of each joint [N m or N]; zero without any.
        method: 'weighted' or 'consistent'.
        prior_weight: of a consistent estimate: how many equations the prior of a parameter is
            worth.
        draws: (R, p) the estimate for resampled data, see `intervals`; none: not known.
    """

    layout: ParameterLayout
    parameters: Array
    base_columns: tuple[int, ...]
    base_covariance: Array
    noise: Array
    method: Method
    prior_weight: float = 1.0
    draws: Array = field(default_factory=lambda: np.empty((0, 0)))


def estimate(reduced: ReducedEquations, base: BaseParameters) -> Estimate:
    """Base parameters and noise that fit each other, by weighted least squares."""
    factors = _factors(reduced, base)
    gains = reduced.layout.unknown_gains.items()
    places = [(j, base.columns.index(one)) for j, one in gains if one in base.columns]
    floor = LEAST_NOISE * reduced.usual_torques
    used = reduced.weights > 0.0
    noise = np.where(used, np.maximum(whitened(reduced, base.columns).noise, floor), 0.0)
    for _ in range(ROUNDS):
        values, root = _solved(factors, noise, reduced, places)
        before, noise = noise, _noise(factors, values, root, noise, reduced)
        noise = np.where(used, np.maximum(noise, floor), 0.0)
        if np.allclose(noise, before, rtol=CHANGE, atol=0.0):
            break
    values, root = _solved(factors, noise, reduced, places)
    # The nearest parameters to the URDF with these base parameters.
    parameters = base.layout.nominal() + completion(base) @ values
    return Estimate(base.layout, parameters, base.columns, root @ root.T, noise, 'weighted')


def with_instruments(
    factors: Array, values: Array, places: Sequence[tuple[int, int]], start: float = 0.0
) -> Array:
    """Equations whose columns of gains are without the noise of the measured effort.

    What an estimate leaves of an equation is that noise, times the gain. Least squares of the
    result have their minimum where the instruments find it: at these values, if they are that
    estimate.

    Args:
        factors: (n, m, c + 1) equations [Y | e] of each joint, or triangles of them.
        values: (c,) estimated ones.
        places: of the gains.
        start: what is to be added to the values of gains, where they are changes.
    """
    result = factors.copy()
    for joint, place in places:
        factor = factors[joint]
        left = factor[:, -1] - factor[:, :-1] @ values
        result[joint, :, place] += left / (start + values[place])
        result[joint, :, -1] += left
    return result


def completion(base: BaseParameters) -> Array:
    """(p, b): by how much parameters change with the base parameters, as little as possible.

    In units of plausible parameters: S^2 K^T (K S^2 K^T)^-1 with K the combination and S the
    scales. Known parameters, and those that the data do not tell, stay as in the URDF.
    """
    free = np.where(base.layout.is_known, 0.0, base.scales)
    free[list(base.undetermined_columns)] = 0.0
    # In units of the scales: (b, p), with the identity in the independent columns.
    own = free[list(base.columns)]
    spread = base.combination * free / own[:, None]
    return free[:, None] * np.linalg.pinv(spread) / own


def _factors(reduced: ReducedEquations, base: BaseParameters) -> Array:
    """Triangles (n, p + 1, b + 1): the independent columns, and what the URDF leaves.

    The unknowns are the changes of the base parameters, so that parameters which the data do not
    tell have the effect that the URDF says.
    """
    left = reduced.triangles[:, :, -1] - reduced.triangles[:, :, :-1] @ base.layout.nominal()
    chosen = reduced.triangles[:, :, list(base.columns)]
    return np.concatenate([chosen, left[:, :, None]], axis=2)


def _solved(
    factors: Array, noise: Array, reduced: ReducedEquations, places: Sequence[tuple[int, int]]
) -> tuple[Array, Array]:
    """Values (b,), and a root (b, b) of their covariance."""
    size = factors.shape[2] - 1
    if not (noise > 0.0).any() or not size:
        return np.zeros(size), np.zeros((size, size))
    weights = np.sqrt(reduced.independence) / np.where(noise > 0.0, noise, np.inf)

    def stacked(factors: Array) -> Array:
        return (weights[:, None, None] * factors).reshape(-1, size + 1)

    rows = stacked(factors)
    values, root = _least(rows)
    for _ in range(STEPS if places else 0):
        clean = stacked(with_instruments(factors, values, places, URDF_GAIN))
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
        found[j] = left / np.sqrt(reduced.weights[j] * free)
    return found
