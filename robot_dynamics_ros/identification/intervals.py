"""Intervals of an estimate, by a bootstrap over windows of time.

What a model leaves of real torques is correlated in time and among the joints: friction that it
does not have, vibrations, noise of accelerations. So windows of time are drawn anew, not equations
(Kuensch, "The jackknife and the bootstrap for general stationary observations", 1989). What a
window adds to the normal equations of the estimate is known, and what the estimate would be
without it (the jackknife: MacKinnon, Nielsen, Webb, "Fast and reliable jackknife and bootstrap
methods for cluster-robust inference", 2023); the drawn windows move the estimate by the sum of
these influences. That linearisation costs a product of matrices for each of `DRAWS` draws.

The prior of a consistent estimate pulls it towards the URDF, which is not exact: each draw also
has another URDF, as far off as the well determined parameters show that it is. And terms that
must not be negative are held at zero in each draw, as in the estimate: the active-set problem is
solved for each. So intervals are those of the estimate that is used.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.extra import required

from .base_parameters import BaseParameters
from .consistent import EXACT, LEAST_NOISE, Consistent, cleared, held_above
from .equations import Equations, WindowSums
from .estimate import Estimate, completion

# Windows: their usual length [s], the fewest and the most of them, and equations in one at least.
LENGTH, FEWEST, MOST, SHORTEST = 3.0, 20, 100, 5
DRAWS = 400
# Bounds of a 95 % interval.
LOW, HIGH = 0.025, 0.975
# Of what is known of a parameter: what one window is taken to tell at most.
LARGEST_SHARE = 0.9
# Information of the data, relative to that of the prior, from which on a direction shows how far
# the URDF is off; and fewest of these directions.
DETERMINED, FEWEST_DETERMINED = 10.0, 5
# Of the largest eigenvalue of a matrix.
ROUNDING = 1e-12


def bootstrap_windows(equations: Equations, weights: Array) -> WindowSums:
    """Sums over windows that are longer than residuals are correlated.

    Args:
        equations: of the recordings.
        weights: (N, n) of these.
    """
    seconds = float(equations.interval.sum())
    count = min(MOST, max(FEWEST, int(seconds / LENGTH)))
    size = max(SHORTEST, len(equations) // count)
    return equations.windows(equations.consecutive(size), weights)


def with_draws(
    found: Estimate, base: BaseParameters, windows: WindowSums
) -> tuple[Estimate, float]:
    """Least squares with the estimates of drawn windows, and how correlated the residuals are.

    No standard deviation becomes smaller than that of white noise: that residuals alternate
    proves no more precision.

    Returns:
        The estimate; the mean of the variances of base parameters, relative to those of white
        noise: what the jackknife and the number of windows add to intervals is no correlation.
    """
    if not base.columns:
        return found, 1.0
    columns = np.zeros((base.layout.size, len(base.columns)))
    columns[list(base.columns), np.arange(len(base.columns))] = 1.0
    hessians, scores = _windows(windows, found, columns, found.noise)
    total = _definite(hessians.sum(axis=0))
    white = np.diag(found.base_covariance)
    changes = np.linalg.solve(total, _influences(total, hessians, scores, 0.5).T)
    inflation = np.sum(changes**2, axis=1) / np.maximum(white, np.finfo(float).tiny)
    drawn = np.linalg.solve(total, _drawn(total, hessians, scores).T).T
    spread = drawn.std(axis=0)
    drawn *= np.maximum(1.0, np.sqrt(white) / np.where(spread > 0.0, spread, 1.0))
    draws = found.parameters + drawn @ completion(base).T
    return replace(found, draws=draws), float(np.mean(inflation))


def with_consistent_draws(fit: Consistent, windows: WindowSums) -> Estimate:
    """A consistent estimate with those of drawn windows and of drawn URDFs."""
    linalg = required('scipy.linalg', 'identification')
    unknowns, z, found = fit.unknowns, fit.z, fit.estimate
    if not z.size:
        return found
    floors = LEAST_NOISE * windows.total.usual_torques
    noise = np.where(found.noise > 0.0, np.maximum(found.noise, floors), 0.0)
    hessians, scores = _windows(windows, found, unknowns.basis, noise)
    hessians, scores = hessians / found.prior_weight, scores / found.prior_weight
    ones = np.ones(len(unknowns.bodies))
    root, usual = (
        unknowns.prior(*at)[1] for at in ((z, unknowns.weights), (unknowns.reference, ones))
    )
    prior, data = root.T @ root, hessians.sum(axis=0)
    exact = unknowns.basis[unknowns.known] / unknowns.scales[unknowns.known, None]
    total = _definite(data + prior + EXACT**2 * np.abs(data).max() * exact.T @ exact)
    random = np.random.default_rng(1)
    # The URDF of each draw, as changes of z.
    urdf = linalg.solve_triangular(usual, random.normal(size=(len(z), DRAWS))).T
    urdf *= _urdf_error(z - unknowns.reference, data, prior)
    drawn = _drawn(total, hessians, scores) + urdf @ prior
    # At a term that is held at zero the estimate is no minimum: what pulls it below counts.
    places, least = unknowns.bounds
    left = fit.rows[:, -1] - fit.rows[:, :-1] @ unknowns.parameters(z)
    drawn[:, places] += ((fit.rows[:, :-1] @ unknowns.basis).T @ left - z)[places]
    upper = np.asarray(np.linalg.cholesky(total).T, dtype=np.float64)
    changes = held_above(upper, places, np.linalg.solve(total, drawn.T).T, least - z[places])
    return replace(found, draws=cleared(unknowns, z + changes))


def _windows(
    windows: WindowSums, found: Estimate, combination: Array, noise: Array
) -> tuple[Array, Array]:
    """Of each window: second derivatives (W, c, c) of the cost, and minus its gradient (W, c).

    Args:
        windows: sums of the equations.
        found: at which parameters.
        combination: (p, c) the columns of the cost are those of the equations times this.
        noise: (n,) standard deviation of the equations.
    """
    layout, size = found.layout, combination.shape[1]
    hessians, scores = np.zeros((len(windows), size, size)), np.zeros((len(windows), size))
    gains = layout.unknown_gains
    for joint in np.flatnonzero(noise > 0.0).tolist():
        left = np.append(-found.parameters, 1.0)
        columns = np.vstack([combination, np.zeros(size)])
        columns[:-1][layout.is_known] = 0.0
        if joint in gains:
            gain = gains[joint]
            columns += np.outer(left, combination[gain]) / found.parameters[gain]
        products = windows.products(joint, np.column_stack([columns, left]))
        products *= windows.total.independence[joint] / noise[joint] ** 2
        hessians += products[:, :-1, :-1]
        scores += products[:, :-1, -1]
    return hessians, scores


def _definite(matrix: Array) -> Array:
    """A positive definite matrix (c, c) without what rounding makes of its small eigenvalues."""
    values, axes = np.linalg.eigh(matrix)
    return axes * np.maximum(values, ROUNDING * values[-1]) @ axes.T


def _influences(total: Array, hessians: Array, scores: Array, power: float) -> Array:
    """What each window adds to the gradient of the cost (W, c), freed from its own leverage.

    A window pulls the estimate towards itself, so that what is left of it is too small: by
    (1 - h)^(1/2) where noise is the same everywhere, and by 1 - h the estimate without the window
    differs, which is the jackknife.

    Args:
        total: (c, c) second derivatives of the cost.
        hessians: (W, c, c) the part of each window.
        scores: (W, c) minus the gradient of its part.
        power: of 1 - h, 0.5 or 1.
    """
    root = np.linalg.cholesky(total)
    inverse = np.linalg.inv(root)
    shares, axes = np.linalg.eigh(inverse @ hessians @ inverse.T)
    parts = np.einsum('wij,wi->wj', axes, scores @ inverse.T)
    parts /= (1.0 - np.clip(shares, 0.0, LARGEST_SHARE)) ** power
    return np.einsum('wij,wj->wi', axes, parts) @ root.T


def _drawn(total: Array, hessians: Array, scores: Array) -> Array:
    """Sums (R, c) of the influences of drawn windows, as gradients of the cost."""
    special = required('scipy.special', 'identification')
    count = len(scores)
    random = np.random.default_rng(0)
    times = random.multinomial(count, np.full(count, 1.0 / count), DRAWS) - 1.0
    student = special.stdtrit(max(1, count - 1), HIGH) / special.ndtri(HIGH)
    return student * times @ _influences(total, hessians, scores, 1.0)


def _urdf_error(change: Array, data: Array, prior: Array) -> float:
    """How far the URDF is off, in plausible values, in directions that the data determine.

    Args:
        change: (k,) from the URDF to the estimate.
        data: (k, k) information of the data.
        prior: (k, k) of the prior.
    """
    linalg = required('scipy.linalg', 'identification')
    units = prior + 1e-9 * np.trace(prior) / len(prior) * np.eye(len(prior))
    shares, axes = linalg.eigh(data, units)
    own = axes.T @ units @ change
    determined = shares > DETERMINED
    if np.count_nonzero(determined) < FEWEST_DETERMINED:
        return 1.0
    # Without the pull of the prior.
    own = own[determined] * (1.0 + 1.0 / shares[determined])
    return float(np.sqrt(np.mean(own**2)))
