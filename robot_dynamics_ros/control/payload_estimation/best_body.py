"""The body that fits given sums best: a weak prior where they say nothing, and it can exist.

Bodies that do not exist are excluded: where the sums alone would make the second moment about the
centre indefinite, it is searched as L L^T + epsilon 1 (C. Rucker, P. Wensing, Smooth
parameterization of rigid-body inertia, IEEE RA-L 7, 2022). The search is that of Levenberg and
Marquardt.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .body_parameters import inertia_of, linear_parameters, second_moment, slopes, tensor

# Standard deviations of the prior: of the mass [kg], of each coordinate of the centre [m], of the
# radius of gyration [m]; and the least mass that the latter is for [kg].
MASS, CENTER, GYRATION, LEAST_MASS = 100.0, 0.3, 0.2, 0.1
# Steps of a search at most, and the relative change of the sum of squares at which it ends.
STEPS, SETTLED = 60, 1e-12
# Bodies extend by that much at least, root mean square, in every direction [m].
THINNEST = 1e-3
# The search for such a body begins at this share of the largest principal second moment.
THIN = 1e-2
LOWER = np.tril_indices(3)

# From the slope of a function of theta (10,) to what the curvature of the chart adds (10, 10).
ChartCurvature = Callable[[Array], Array]
# From what is searched (10,) to theta (10,), its derivatives (10, 10), and the curvature.
Chart = Callable[[Array], tuple[Array, Array, ChartCurvature]]


def best_body(information: Array, theta: Array) -> Array:
    """theta (10,), see `body_parameters`, with the smallest sum of squares.

    Args:
        information: (11, 11) sums of products of the coefficients of pi (10,), and of what they
            have to explain; in units of the noise.
        theta: to begin with.
    """
    scale = max(abs(theta[0]), LEAST_MASS)
    # The prior of the inertia is for the mass, which the first search finds.
    for _ in range(2):
        theta = _minimum(information, theta, _free, scale)
        scale = max(abs(theta[0]), LEAST_MASS)
    values, vectors = np.linalg.eigh(second_moment(theta[4:]))
    least = scale * THINNEST**2
    if values[0] >= least or theta[0] <= 0.0:
        return theta
    begun = np.maximum(values - least, THIN * max(values[2], least))
    root = np.linalg.cholesky((vectors * begun) @ vectors.T)
    chart = partial(_of_root, least)
    return chart(_minimum(information, np.append(theta[:4], root[LOWER]), chart, scale))[0]


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
    return np.concatenate([[MASS**-2], np.full(3, CENTER**-2), np.full(6, inertia**-2)])


def _minimum(information: Array, x: Array, chart: Chart, scale: float) -> Array:
    """The x (10,) where the sum of squares and the prior are smallest."""
    precision = _precision(scale)

    def cost(theta: Array) -> float:
        residual = np.append(-linear_parameters(theta), 1.0)
        return float(residual @ information @ residual + theta @ (precision * theta))

    damping = 1e-6
    theta, inner, second = chart(x)
    present = cost(theta)
    for _ in range(STEPS):
        slope = slopes(theta)
        residual = information[:-1] @ np.append(-linear_parameters(theta), 1.0)
        downhill = slope.T @ residual - precision * theta
        curved = inner.T @ curvature(information, theta, scale) @ inner + second(-downhill)
        size = np.sqrt(np.maximum(np.diag(curved), np.finfo(np.float64).tiny))
        damped = curved / np.outer(size, size) + damping * np.eye(10)
        candidate = x + np.linalg.solve(damped, inner.T @ downhill / size) / size
        following = chart(candidate)
        value = cost(following[0])
        if value <= present:
            finished = present - value <= SETTLED * abs(present)
            x, (theta, inner, second), present = candidate, following, value
            damping = max(0.1 * damping, 1e-12)
            if finished:
                break
        else:
            damping *= 10.0
            if damping > 1e8:
                break
    return x


def _free(x: Array) -> tuple[Array, Array, ChartCurvature]:
    return x, np.eye(10), lambda slope: np.zeros((10, 10))


def _of_root(least: float, x: Array) -> tuple[Array, Array, ChartCurvature]:
    """A chart of the bodies that can exist: x = (m, c, L), second moment L L^T + least 1."""
    root = np.zeros((3, 3))
    root[LOWER] = x[4:]
    theta = np.concatenate([x[:4], inertia_of(root @ root.T + least * np.eye(3))])
    inner = np.eye(10)
    for column, place in enumerate(zip(*LOWER, strict=True)):
        change = np.zeros((3, 3))
        change[place] = 1.0
        inner[4:, 4 + column] = inertia_of(change @ root.T + root @ change.T)
    return theta, inner, _curvature_of_root


def _curvature_of_root(slope: Array) -> Array:
    """What L L^T adds to the curvature: 2 G for each column of L, G the slope by L L^T.

    At a body on the edge of those that can exist the derivatives of L L^T vanish in a direction:
    without this, the search would slow down there. Only where it is positive.
    """
    by_inertia = 0.5 * tensor(slope[4:])
    by_inertia[np.diag_indices(3)] *= 2.0
    values, vectors = np.linalg.eigh(np.trace(by_inertia) * np.eye(3) - by_inertia)
    by_second = (vectors * np.maximum(values, 0.0)) @ vectors.T
    result = np.zeros((10, 10))
    rows, columns = LOWER
    result[4:, 4:] = 2.0 * by_second[np.ix_(rows, rows)] * (columns[:, None] == columns)
    return result
