"""Weighted and robust estimates: base parameters, the noise of each joint, and the covariance.

Each joint has noise of its own, and counts with its inverse variance (Gautier, "Dynamic
identification of robots with power model", 1997: weights by the error of each joint). Huber's
weights bound the influence of equations that do not fit ("Robust estimation of a location
parameter", 1964).

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

from .equations import Equations, Period
from .observability import BaseParameters, base_parameters, whitened
from .parameters import ParameterLayout
from .reduced import ReducedEquations, triangle

# Rounds of parameters and noise, and the relative change of the noise at which they end.
ROUNDS, CHANGE = 20, 1e-4
# Steps of instruments, and the change in standard deviations at which they end.
STEPS, STEP_CHANGE = 20, 1e-4
# Passes of robust weights, and the relative change of the noise at which they end.
PASSES, NOISE_CHANGE = 10, 0.01
# Gains count as changes from this one.
URDF_GAIN = 1.0
# Of the measured torque: there is no less noise than that, rounding at least.
LEAST_NOISE = 1e-9
# Share of the equations that is left for noise beside the parameters, at least.
LEAST_FREE = 0.05
# Standard deviations up to which a residual has its whole weight: 95 % of the efficiency of least
# squares with normal noise.
THRESHOLD = 1.345
# Of squares of normal noise with these weights: E[w z^2] / E[w], where E[z^2] is 1.
VARIANCE = 0.8556923435
# The same for the final estimate: a single sample that is farther off, as an effort that was sent
# wrong, has no more influence than that. Friction that the model lacks is nearer: residuals of
# real arms have longer tails than normal ones, at all of the motion that is to be predicted.
GROSS = 10.0

Method = Literal['weighted', 'robust', 'consistent']


@dataclass(frozen=True)
class Estimate:
    """Parameters of a robot from its data.

    Attributes:
        layout: of the parameters.
        parameters: (p,) base parameters of the data, completed by the URDF.
        base_columns: (b,) columns of the base parameters, those of `BaseParameters.columns`.
        base_covariance: (b, b) of the base parameters of weighted least squares, for white noise.
        noise: (n,) standard deviation of the equations of each joint [N m or N]; zero without any.
        method: 'weighted', 'robust' or 'consistent'.
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


def estimate(
    reduced: ReducedEquations,
    base: BaseParameters | None = None,
    robust: Equations | None = None,
    left_out: Sequence[Period] = (),
) -> Estimate:
    """Parameters by weighted least squares, or by Huber's weights until nothing changes.

    Args:
        reduced: the equations, without weights.
        base: what they determine, where it is known already.
        robust: the same equations, for a robust estimate.
        left_out: periods of these that do not count.
    """
    base = base or base_parameters(reduced)
    solution = _least_squares(reduced, base, whitened(reduced, base.columns).noise)
    if robust is not None:
        solution = _robust(solution, base, robust, left_out)
    return Estimate(
        base.layout,
        _completed(base, solution.values),
        base.columns,
        solution.covariance,
        solution.noise,
        'weighted' if robust is None else 'robust',
    )


def huber_weights(
    equations: Equations, parameters: Array, noise: Array, threshold: float = THRESHOLD
) -> Array:
    """min(1, k sigma / |residual|) of each equation (N, n).

    Args:
        equations: to be weighted.
        parameters: (p,) from which residuals are computed.
        noise: (n,) standard deviation of the equations.
        threshold: k [-].
    """
    residuals = np.abs(equations.residuals(parameters))
    with np.errstate(divide='ignore', invalid='ignore'):
        weights = threshold * noise / residuals
    weights[residuals <= threshold * noise] = 1.0
    return weights


def outlier_weights(
    equations: Equations, robust: Estimate, left_out: Sequence[Period] = ()
) -> Array:
    """The weights (N, n) of the final estimate: 0 in some periods, less than 1 beyond `GROSS`."""
    weights = huber_weights(equations, robust.parameters, robust.noise, GROSS)
    weights[equations.inside(left_out)] = 0.0
    return weights


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


@dataclass(frozen=True)
class _Solution:
    """Base parameters (b,), their covariance (b, b), the noise (n,) of the equations."""

    values: Array
    covariance: Array
    noise: Array


def _robust(
    solution: _Solution,
    base: BaseParameters,
    equations: Equations,
    left_out: Sequence[Period],
) -> _Solution:
    """The solution that its own weights give again."""
    inside = equations.inside(left_out)
    for _ in range(PASSES):
        parameters = _completed(base, solution.values)
        weights = huber_weights(equations, parameters, solution.noise)
        weights[inside] = 0.0
        before = solution.noise
        solution = _least_squares(equations.reduced(weights), base, before, VARIANCE)
        if np.allclose(solution.noise, before, rtol=NOISE_CHANGE, atol=0.0):
            break
    return solution


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
    changes: Array = free[:, None] * np.linalg.pinv(spread) / own
    return changes


def _completed(base: BaseParameters, values: Array) -> Array:
    """The parameters (p,) with these base parameters (b,) that are nearest to the URDF."""
    nominal = base.layout.nominal()
    parameters: Array = nominal + completion(base) @ (values - base.values(nominal))
    return parameters


def _least_squares(
    reduced: ReducedEquations, base: BaseParameters, noise: Array, variance: float = 1.0
) -> _Solution:
    """Base parameters and noise that fit each other.

    Args:
        reduced: the equations, weighted or not.
        base: what they determine.
        noise: (n,) a first guess.
        variance: of weighted squares of noise of variance 1, see `VARIANCE`.
    """
    factors = _factors(reduced, base)
    gains = reduced.layout.unknown_gains.items()
    places = [(j, base.columns.index(one)) for j, one in gains if one in base.columns]
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
    return _Solution(base.values(base.layout.nominal()) + values, root @ root.T, noise)


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
        weighted: Array = (weights[:, None, None] * factors).reshape(-1, size + 1)
        return weighted

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
