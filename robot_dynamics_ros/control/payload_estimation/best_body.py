"""The body that fits given sums best: a weak prior where they say nothing, and it can exist.

Bodies that do not exist are excluded: where the sums alone would make the second moment about the
centre indefinite, it is searched as L L^T (C. Rucker, P. Wensing, Smooth parameterization of
rigid-body inertia, IEEE RA-L 7, 2022). The search is that of Levenberg and Marquardt.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .body_parameters import inertia_of, linear_parameters, second_moment, slopes

# Standard deviations of the prior: of each coordinate of the centre [m], of the radius of gyration
# [m], and the least mass that the latter is for [kg].
CENTER, GYRATION, LEAST_MASS = 0.3, 0.2, 0.1
STEPS = 60
# The smallest principal second moment at which the search for a possible body begins, of the
# largest one.
THIN = 1e-2
LOWER = np.tril_indices(3)

# From what is searched (10,) to theta (10,) and its derivatives (10, 10).
Chart = Callable[[Array], tuple[Array, Array]]


def best_body(information: Array, theta: Array) -> Array:
    """theta (10,), see `body_parameters`, with the smallest sum of squares.

    Args:
        information: (11, 11) sums of products of the coefficients of pi (10,), and of what they
            have to explain; in units of the noise.
        theta: to begin with.
    """
    scale = max(abs(theta[0]), LEAST_MASS)
    for _ in range(3):
        theta = _minimum(information, theta, _free, scale)
        scale = max(abs(theta[0]), LEAST_MASS)
    values, vectors = np.linalg.eigh(second_moment(theta[4:]))
    if values[0] >= 0.0 or theta[0] <= 0.0:
        return theta
    floor = max(THIN * values[2], np.finfo(np.float64).tiny)
    root = np.linalg.cholesky((vectors * np.maximum(values, floor)) @ vectors.T)
    begin = np.concatenate([theta[:4], root[LOWER]])
    return _of_root(_minimum(information, begin, _of_root, scale))[0]


def curvature(information: Array, theta: Array, scale: float | None = None) -> Array:
    """Inverse covariance (10, 10) of theta, with its prior.

    Args:
        information: as of `best_body`.
        theta: the best one.
        scale: mass that the prior of the inertia is for [kg]; None: that of theta.
    """
    slope = slopes(theta)
    mass = max(abs(theta[0]), LEAST_MASS) if scale is None else scale
    return np.asarray(slope.T @ information[:-1, :-1] @ slope + np.diag(_precision(mass)))


def _precision(mass: float) -> Array:
    inertia = mass * GYRATION**2
    return np.concatenate([[0.0], np.full(3, CENTER**-2), np.full(6, inertia**-2)])


def _minimum(information: Array, x: Array, chart: Chart, scale: float) -> Array:
    """The x (10,) where the sum of squares and the prior are smallest."""
    precision = _precision(scale)

    def cost(theta: Array) -> float:
        residual = np.append(-linear_parameters(theta), 1.0)
        return float(residual @ information @ residual + theta @ (precision * theta))

    damping = 1e-6
    theta, inner = chart(x)
    present = cost(theta)
    for _ in range(STEPS):
        slope = slopes(theta)
        residual = information[:-1] @ np.append(-linear_parameters(theta), 1.0)
        downhill = inner.T @ (slope.T @ residual - precision * theta)
        bend = inner.T @ curvature(information, theta, scale) @ inner
        size = np.sqrt(np.maximum(np.diag(bend), np.finfo(np.float64).tiny))
        bend = bend / np.outer(size, size) + damping * np.eye(10)
        candidate = x + np.linalg.solve(bend, downhill / size) / size
        next_theta, next_inner = chart(candidate)
        value = cost(next_theta)
        if value <= present:
            finished = present - value <= 1e-13 * abs(present)
            x, theta, inner, present = candidate, next_theta, next_inner, value
            damping = max(0.1 * damping, 1e-12)
            if finished:
                break
        else:
            damping *= 10.0
            if damping > 1e8:
                break
    return x


def _free(x: Array) -> tuple[Array, Array]:
    return x, np.eye(10)


def _of_root(x: Array) -> tuple[Array, Array]:
    """theta and its derivatives, of x = (m, c, L) with the second moment L L^T."""
    root = np.zeros((3, 3))
    root[LOWER] = x[4:]
    theta = np.concatenate([x[:4], inertia_of(root @ root.T)])
    slope = np.eye(10)
    for column, place in enumerate(zip(*LOWER, strict=True)):
        change = np.zeros((3, 3))
        change[place] = 1.0
        slope[4:, 4 + column] = inertia_of(change @ root.T + root @ change.T)
    return theta, slope
