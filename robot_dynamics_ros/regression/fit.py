"""One fit: weights of joints by their noise, weights of samples, bounds, and the prior.

The rows of a joint count by the variance of their residuals; single rows that are far off count
less (P. Huber, "Robust estimation of a location parameter", 1964). Both are iterated. Coefficients
of friction and rotors are not negative. A body may be given by coordinates in which it always can
exist, see `bodies`; each step is linear in them (Gauss, Newton).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.extra import required

from .bodies import LogCholesky
from .intervals import ROUNDING, Covariances, blocks, covariances
from .rows import Flags, Rows

# Standard deviations up to which a row has its whole weight: of normal noise 0.3 % are beyond, and
# the covariance of the weights is that of least squares.
FAR = 3.0
# Of normal noise: the standard deviation relative to the median of the absolute value.
NORMAL = 1.4826
# Rounds at most, and the change in standard deviations at which they end.
ROUNDS, SETTLED = 30, 0.05
# Variance of residuals, of the mean square of what there is to explain: efforts have five digits.
MIN_VARIANCE = 1e-10
# Standard deviation of the prior of a term of a joint: of its torque, root mean square.
PLAUSIBLE = 0.5
# Steps of log-Cholesky coordinates in a round, the largest of them, and its smallest share.
STEPS, MAX_STEP, MIN_SHARE = 20, 2.0, 1e-3
# Half of a 95 % interval of a normal distribution [standard deviations].
NORMAL_INTERVAL = 1.96
# 1 / variance of coefficients of which nothing is known before.
NO_PRIOR = 1e-12
# Standard deviations of coefficients from their values, by the name of the term.
Prior = Mapping[str, Callable[[Array], Array]]


@dataclass(frozen=True, eq=False)
class Fit:
    """Coefficients that explain rows best.

    Attributes:
        rows: that were fitted.
        theta: (P,) coefficients that all joints share, then those of each joint.
        noise: (r,) standard deviation of the residuals [N m or N].
    """

    rows: Rows
    theta: Array
    noise: Array
    _equations: _NormalEquations
    _x: Array
    _weights: Array

    @property
    def blocks(self) -> int:
        """Number of blocks of time."""
        return len(self._equations.begins) - 1

    @cached_property
    def _known(self) -> Flags:
        return self._equations.precision(self._x) == np.inf

    @cached_property
    def precision(self) -> Array:
        """1 / variance (P,) of the prior of coordinates; 0 where there is none."""
        return np.where(self._known, 0.0, self._equations.precision(self._x))

    @cached_property
    def slopes(self) -> Array:
        """Derivatives (P, P) of the coefficients by what the covariances are of."""
        return np.where(self._known, 0.0, self._equations.slopes(self._x))

    @cached_property
    def covariances(self) -> Covariances:
        """Of coordinates, which are the coefficients, but for those of bodies."""
        slopes, equations = self.slopes, self._equations
        hessians, gradients = equations.normal(self.theta, self._weights, equations.begins)
        scores = (gradients - hessians @ self.theta) @ slopes
        for block, one in enumerate(hessians):
            hessians[block] = slopes.T @ one @ slopes
        return covariances(hessians, scores, np.where(self._known, 1.0, self.precision))

    def value(self, name: str) -> Array:
        """Coefficients of a term: (k,) shared ones, or (r,) of each joint."""
        return self.theta[self.rows.places(name)]

    def half_widths(self, name: str, slopes: Array | None = None) -> Array:
        """Half of the 95 % intervals of a term, as `value`; or of functions of it.

        Args:
            name: of the term.
            slopes: (m, k) derivatives of the functions by the coefficients; None: of themselves.
        """
        chosen = self.slopes[self.rows.places(name)]
        return self.covariances.half_widths(chosen if slopes is None else slopes @ chosen)

    def prior_half_widths(self, slopes: Array) -> Array:
        """Half of the 95 % intervals (m,) that functions have before any data.

        Args:
            slopes: (m, P) derivatives of the functions by the coordinates.
        """
        variances = np.where(slopes == 0.0, 0.0, slopes**2) @ _inverse(self.precision)
        return np.asarray(NORMAL_INTERVAL * np.sqrt(variances))

    def predicted(self, rows: Rows) -> Array:
        """What the terms add to the torque of the model (N, r), of rows with these terms."""
        (_, joints, s), k = rows.shared.shape, rows.own.shape[2]
        found = rows.shared @ self.theta[:s]
        load = np.abs(rows.rigid + found)
        own = [term for term, _ in rows.terms if not term.shared]
        coefficients = self.theta[s:].reshape(joints, k)
        for i, term in enumerate(own):
            if term.name != 'gain':
                column = rows.own[..., i] * coefficients[:, i]
                found = found + (column * load if term.loaded else column)
        for i, term in enumerate(own):
            if term.name == 'gain':
                found = found + coefficients[:, i] * (rows.rigid + found)
        return np.asarray(found)


def fit(
    rows: Rows,
    *,
    given: Mapping[str, Array] | None = None,
    prior: Prior | None = None,
    bodies: LogCholesky | None = None,
    free: Flags | None = None,
    bounded: bool = True,
) -> Fit:
    """The coefficients of rows.

    Args:
        rows: of the regression; terms of joints are changes of what is given.
        given: coefficients (r,) of terms of joints whose torque the rows do not have any more,
            that of `load` excepted; without one, zero.
        prior: standard deviations (k,) of shared coefficients from their values, whose mean is
            zero: infinite for none, and 0 for those that are not free.
        bodies: coordinates of the term `bodies`.
        free: (r, k) which terms each joint has; others are zero. None: all.
        bounded: whether signs of terms hold; without, what they are is measured and not assumed.
    """
    equations = _NormalEquations(rows, given or {}, prior or {}, bodies, free, bounded)
    x, weights = np.maximum(0.0, equations.lower), rows.used / equations.square
    for _ in range(ROUNDS):
        before = x
        x, deviations = equations.step(x, weights)
        noise, weights = equations.weighed(x)
        if (np.abs(x - before) <= SETTLED * deviations).all():
            break
    return Fit(rows, equations.theta(x), noise, equations, x, weights)


def _inverse(precision: Array) -> Array:
    """Variances; large ones where there is no prior."""
    return 1.0 / np.maximum(precision, NO_PRIOR)


def bounded_minimum(normal: Array, right: Array, lower: Array) -> tuple[Array, Array]:
    """The minimum (P,) of x^T A x / 2 - b^T x above lower bounds, and its standard deviations."""
    units = 1.0 / np.sqrt(np.maximum(np.diag(normal), np.finfo(float).tiny))
    normal = normal * np.outer(units, units) + ROUNDING * np.eye(len(units))
    inverse, right, lower = np.linalg.inv(normal), right * units, lower / units
    found = inverse @ right
    if (found < lower).any():
        # Behind the Cholesky factor of those without a bound, bounded ones stand for themselves.
        free, bounded = np.flatnonzero(lower == -np.inf), np.flatnonzero(lower > -np.inf)
        order, count = np.append(free, bounded), len(free)
        root = np.linalg.cholesky(normal[np.ix_(order, order)]).T
        target, own = np.linalg.solve(root.T, right[order]), root[count:, count:]
        nnls = required('scipy.optimize', 'identification').nnls
        found[bounded] = lower[bounded] + nnls(own, target[count:] - own @ lower[bounded])[0]
        others = target[:count] - root[:count, count:] @ found[bounded]
        found[free] = np.linalg.solve(root[:count, :count], others)
    return found * units, units * np.sqrt(np.diag(inverse))


class _NormalEquations:
    """The normal equations of rows, for weights and coordinates that change."""

    def __init__(
        self,
        rows: Rows,
        given: Mapping[str, Array],
        prior: Prior,
        bodies: LogCholesky | None,
        free: Flags | None,
        bounded: bool,
    ) -> None:
        self.rows, self._prior, self._bodies = rows, prior, bodies
        (_, self.joints, self.s), self.k = rows.shared.shape, rows.own.shape[2]
        own = [term for term, _ in rows.terms if not term.shared]
        nothing = np.zeros(self.joints)
        self._given = np.stack([given.get(term.name, nothing) for term in own], axis=1)
        self._loaded = [i for i, term in enumerate(own) if term.loaded]
        self._gain = [i for i, term in enumerate(own) if term.name == 'gain']
        signed = [bounded and term.sign > 0 for term in own]
        lower = np.where(signed, -self._given, -np.inf)
        self.lower = np.append(np.full(self.s, -np.inf), lower)
        counts = np.maximum(rows.used.sum(axis=0), 1)
        square = (rows.used * rows.torque**2).sum(axis=0) / counts
        self.square = np.where(square > 0.0, square, 1.0)
        torque = np.sqrt((rows.used * (rows.rigid + rows.torque) ** 2).sum(axis=0) / counts)
        sizes = np.sqrt((rows.used[..., None] * rows.own**2).sum(axis=0) / counts[:, None])
        sizes[:, self._loaded + self._gain] *= torque[:, None]
        plausible = PLAUSIBLE * np.maximum(torque, np.finfo(float).tiny)[:, None]
        precision = np.where(sizes > 0.0, (sizes / plausible) ** 2, 1.0)
        self._own_precision = np.where(True if free is None else free, precision, np.inf).ravel()
        self.begins = blocks(rows.times)

    def theta(self, x: Array) -> Array:
        """Coefficients (P,) of coordinates."""
        theta = x.copy()
        if self._bodies is not None:
            own = self.rows.places('bodies')
            theta[own] = self._bodies.changes(x[own])
        return theta

    def slopes(self, x: Array) -> Array:
        """Their derivatives (P, P) by the coordinates."""
        slopes = np.eye(len(x))
        if self._bodies is not None:
            own = self.rows.places('bodies')
            slopes[np.ix_(own, own)] = self._bodies.slopes(x[own])
        return slopes

    def precision(self, x: Array) -> Array:
        """(P,) 1 / variance of the prior; infinite for coefficients that are not free."""
        found = np.append(np.zeros(self.s), self._own_precision)
        for name, deviations in self._prior.items():
            own = self.rows.places(name)
            with np.errstate(divide='ignore'):
                found[own] = deviations(x[own]) ** -2.0
        if self._bodies is not None:
            found[self.rows.places('bodies')] = self._bodies.deviations**-2.0
        return found

    def columns(self, theta: Array, joint: int) -> tuple[Array, Array]:
        """Columns (N, s + k) of a joint, with the load of these coefficients; and its torque."""
        rows = self.rows
        own, torque = rows.own[:, joint].copy(), rows.torque[:, joint]
        rigid = rows.rigid[:, joint] + rows.shared[:, joint] @ theta[: self.s]
        if self._loaded:
            own[:, self._loaded] *= np.abs(rigid)[:, None]
            torque = torque - own[:, self._loaded] @ self._given[joint, self._loaded]
        if self._gain:
            others = theta[self.place(joint)[self.s :]].copy()
            others[self._gain] = 0.0
            own[:, self._gain] *= (rigid + own @ others)[:, None]
        return np.concatenate([rows.shared[:, joint], own], axis=1), torque

    def place(self, joint: int) -> Array:
        """Of the columns of a joint among all coefficients."""
        return np.append(np.arange(self.s), self.s + joint * self.k + np.arange(self.k))

    def normal(self, theta: Array, weights: Array, begins: Sequence[int]) -> tuple[Array, Array]:
        """X^T W X (B, P, P) and X^T W tau (B, P) of blocks of rows.

        Args:
            theta: (P,) coefficients, for the load.
            weights: (N, r) W.
            begins: (B + 1,) first rows of blocks, and the end of the last one.
        """
        count, size = len(begins) - 1, len(theta)
        hessians, gradients = np.zeros((count, size, size)), np.zeros((count, size))
        for joint in range(self.joints):
            columns, torque = self.columns(theta, joint)
            place = self.place(joint)
            weighted = columns * weights[:, joint, None]
            for block, (begin, end) in enumerate(pairwise(begins)):
                part = weighted[begin:end].T
                hessians[block][np.ix_(place, place)] += part @ columns[begin:end]
                gradients[block][place] += part @ torque[begin:end]
        return hessians, gradients

    def step(self, x: Array, weights: Array) -> tuple[Array, Array]:
        """The best coordinates (P,) for these weights, and their standard deviations."""
        precision, theta = self.precision(x), self.theta(x)
        hessians, gradients = self.normal(theta, weights, (0, len(weights)))
        total, right = hessians[0], gradients[0]
        prior = np.where(precision < np.inf, precision, 0.0)

        def cost(x: Array) -> float:
            theta = self.theta(x)
            return float(theta @ total @ theta - 2.0 * right @ theta + x @ (prior * x))

        for _ in range(STEPS if self._bodies else 1):
            target, deviations = self._minimum(x, total, right, precision)
            change, share = target - x, 1.0
            if self._bodies is not None:
                share /= max(
                    1.0, float(np.abs(change[self.rows.places('bodies')]).max()) / MAX_STEP
                )
                while share > MIN_SHARE and cost(x + share * change) > cost(x):
                    share *= 0.5
            x = x + share * change
            if (np.abs(share * change) <= SETTLED * deviations).all():
                break
        return x, deviations

    def _minimum(
        self, x: Array, total: Array, right: Array, precision: Array
    ) -> tuple[Array, Array]:
        """Of the cost that is linear in coordinates about these, within their bounds."""
        theta, slopes = self.theta(x), self.slopes(x)
        free = np.flatnonzero(precision < np.inf)
        normal = (slopes.T @ total @ slopes)[np.ix_(free, free)] + np.diag(precision[free])
        right = (slopes.T @ (right - total @ (theta - slopes @ x)))[free]
        new, deviations = x.copy(), np.full(len(x), np.inf)
        new[free], deviations[free] = bounded_minimum(normal, right, self.lower[free])
        return new, deviations

    def weighed(self, x: Array) -> tuple[Array, Array]:
        """The noise (r,) of residuals, and the weights (N, r) of the rows."""
        theta, used = self.theta(x), self.rows.used
        # Of too few rows all there is to explain counts as noise.
        noise, weights = np.sqrt(self.square), used / self.square
        for joint in range(self.joints):
            columns, torque = self.columns(theta, joint)
            sizes = np.abs(torque - columns @ theta[self.place(joint)])[used[:, joint]]
            # Shared coefficients count for all joints together.
            freedom, square = len(sizes) - self.k - self.s / self.joints, self.square[joint]
            if freedom >= 1.0:
                limit = FAR * max(NORMAL * float(np.median(sizes)), np.sqrt(MIN_VARIANCE * square))
                huber = limit / np.maximum(sizes, limit)
                variance = float(np.sum(huber * sizes**2)) / freedom
                noise[joint] = np.sqrt(np.clip(variance, MIN_VARIANCE * square, square))
                weights[used[:, joint], joint] = huber / noise[joint] ** 2
        return noise, weights
