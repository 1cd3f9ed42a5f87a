"""One fit: weights of joints by their noise, weights of samples, bounds, and the prior.

The rows of a joint count by the variance of their residuals; single rows that are far off count
less (P. Huber, "Robust estimation of a location parameter", 1964). Both are iterated. Coefficients
of friction and rotors are not negative. A body may be given by coordinates in which it always can
exist, see `bodies`; each step is linear in them (Gauss, Newton).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
TINY = np.finfo(float).tiny


class Fit:
    """Coefficients that explain rows best.

    Attributes:
        rows: that were fitted.
        theta: (P,) coefficients that all joints share, then those of each joint.
        noise: (n,) standard deviation of the residuals [N m or N].
        begins: (B + 1,) first rows of blocks of time, and the end of the last one.
    """

    def __init__(
        self,
        rows: Rows,
        *,
        given: Mapping[str, Array] | None = None,
        prior: Prior | None = None,
        bodies: LogCholesky | None = None,
        free: Flags | None = None,
        bounded: bool = True,
    ) -> None:
        """Find the coefficients of rows.

        Args:
            rows: of the regression; terms of joints are changes of what is given.
            given: coefficients (n,) of terms of joints whose torque the rows do not have any more,
                that of `load` excepted; without one, zero.
            prior: standard deviations (k,) of shared coefficients from their values, whose mean is
                zero: infinite for none, and 0 for those that are not free.
            bodies: coordinates of the term `bodies`.
            free: (n, k) which terms each joint has; others are zero. None: all.
            bounded: whether signs of terms hold; without, what they are is measured.
        """
        self.rows, self._bodies, self._prior = rows, bodies, prior or {}
        self.begins, (_, joints, self._s) = blocks(rows.times), rows.shared.shape
        counts, terms = np.maximum(rows.used.sum(axis=0), 1), rows.own_terms
        square = (rows.used * rows.torque**2).sum(axis=0) / counts
        self._square = np.where(square > 0.0, square, 1.0)
        known = [(given or {}).get(term.name, np.zeros(joints)) for term in terms]
        self._given = np.reshape(known, (-1, joints)).T
        signed = [bounded and term.sign > 0 for term in terms]
        lower = np.where(signed, -self._given, -np.inf)
        self._lower = np.append(np.full(self._s, -np.inf), lower)
        torque = np.sqrt((rows.used * (rows.rigid + rows.torque) ** 2).sum(axis=0) / counts)
        sizes = np.sqrt((rows.used[..., None] * rows.own**2).sum(axis=0) / counts[:, None])
        sizes[:, [term.loaded or term.name == 'gain' for term in terms]] *= torque[:, None]
        plausible = PLAUSIBLE * np.maximum(torque, TINY)[:, None]
        precision = np.where(sizes > 0.0, (sizes / plausible) ** 2, 1.0)
        self._own = np.where(True if free is None else free, precision, np.inf).ravel()
        self._x, self._weights = np.maximum(0.0, self._lower), rows.used / self._square
        for _ in range(ROUNDS):
            before = self._x
            deviations = self._step()
            self.noise = self._weigh()
            if (np.abs(self._x - before) <= SETTLED * deviations).all():
                break
        self.theta = self._coefficients(self._x)[0]

    @cached_property
    def precision(self) -> Array:
        """1 / variance (P,) of the prior of coordinates; infinite for those that are not free."""
        return self._precision(self._x)

    @cached_property
    def slopes(self) -> Array:
        """Derivatives (P, P) of the coefficients by what the covariances are of."""
        return np.where(self.precision == np.inf, 0.0, self._coefficients(self._x)[1])

    @cached_property
    def covariances(self) -> Covariances:
        """Of coordinates, which are the coefficients, but for those of bodies."""
        slopes, prior = self.slopes, np.where(self.precision == np.inf, 1.0, self.precision)
        hessians, gradients = self._normal(self.theta, self.begins)
        scores = (gradients - hessians @ self.theta) @ slopes
        for block, one in enumerate(hessians):
            hessians[block] = slopes.T @ one @ slopes
        return covariances(hessians, scores, prior)

    def value(self, name: str) -> Array:
        """Coefficients of a term: (k,) shared ones, or (n,) of each joint."""
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
        variances = slopes**2 @ (1.0 / np.maximum(self.precision, NO_PRIOR))
        return np.asarray(NORMAL_INTERVAL * np.sqrt(variances))

    def predicted(self, rows: Rows) -> Array:
        """What the terms add to the torque of the model (N, n), of rows with these terms."""
        joints = range(rows.torque.shape[1])
        each = [
            rows.columns(self.theta, joint) @ self.theta[rows.place(joint)] for joint in joints
        ]
        return np.stack(each, axis=1)

    def _coefficients(self, x: Array) -> tuple[Array, Array]:
        """Coefficients (P,) of coordinates, and their derivatives (P, P)."""
        theta, slopes = x.copy(), np.eye(len(x))
        if self._bodies is not None:
            own = self.rows.places('bodies')
            theta[own], slopes[np.ix_(own, own)] = self._bodies.changes(x[own])
        return theta, slopes

    def _precision(self, x: Array) -> Array:
        """(P,) 1 / variance of the prior; infinite for coefficients that are not free."""
        found = np.append(np.zeros(self._s), self._own)
        for name, deviations in self._prior.items():
            own = self.rows.places(name)
            with np.errstate(divide='ignore'):
                found[own] = deviations(x[own]) ** -2.0
        if self._bodies is not None:
            found[self.rows.places('bodies')] = self._bodies.deviations**-2.0
        return found

    def _equations(self, theta: Array, joint: int) -> tuple[Array, Array]:
        """Columns (N, s + k) of a joint, and the torque (N,) that they are to be.

        The torque has what a given coefficient of the load explains.
        """
        columns = self.rows.columns(theta, joint)
        loaded = [term.loaded for term in self.rows.own_terms]
        known = columns[:, self._s :] @ np.where(loaded, self._given[joint], 0.0)
        return columns, self.rows.torque[:, joint] - known

    def _normal(self, theta: Array, begins: Sequence[int]) -> tuple[Array, Array]:
        """X^T W X (B, P, P) and X^T W tau (B, P) of blocks of rows, with the load of `theta`."""
        count, size = len(begins) - 1, len(theta)
        hessians, gradients = np.zeros((count, size, size)), np.zeros((count, size))
        for joint, weights in enumerate(self._weights.T):
            columns, torque = self._equations(theta, joint)
            place, weighted = self.rows.place(joint), columns * weights[:, None]
            for block, (begin, end) in enumerate(pairwise(begins)):
                part = weighted[begin:end].T
                hessians[block][np.ix_(place, place)] += part @ columns[begin:end]
                gradients[block][place] += part @ torque[begin:end]
        return hessians, gradients

    def _step(self) -> Array:
        """Take the best coordinates for these weights; their standard deviations (P,)."""
        x, precision = self._x, self._precision(self._x)
        (total,), (right,) = self._normal(self._coefficients(x)[0], (0, len(self.rows.times)))
        free = np.flatnonzero(precision < np.inf)
        prior, deviations = np.where(precision < np.inf, precision, 0.0), np.full(len(x), np.inf)
        curved = self.rows.places('bodies') if self._bodies else free[:0]

        def cost(x: Array) -> float:
            theta, _ = self._coefficients(x)
            return float(theta @ total @ theta - 2.0 * right @ theta + x @ (prior * x))

        for _ in range(STEPS if self._bodies else 1):
            # The cost is linear in coordinates about these.
            theta, slopes = self._coefficients(x)
            normal = (slopes.T @ total @ slopes + np.diag(prior))[np.ix_(free, free)]
            target = (slopes.T @ (right - total @ (theta - slopes @ x)))[free]
            change = np.zeros(len(x))
            found, deviations[free] = bounded_minimum(normal, target, self._lower[free])
            change[free] = found - x[free]
            share = 1.0 / max(1.0, np.abs(change[curved]).max(initial=0.0) / MAX_STEP)
            while self._bodies and share > MIN_SHARE and cost(x + share * change) > cost(x):
                share *= 0.5
            x = x + share * change
            if (np.abs(share * change) <= SETTLED * deviations).all():
                break
        self._x = x
        return deviations

    def _weigh(self) -> Array:
        """Weigh the rows by their residuals, whose noise (n,) this is."""
        (theta, _), used = self._coefficients(self._x), self.rows.used
        # Of too few rows all there is to explain counts as noise.
        noise, self._weights = np.sqrt(self._square), used / self._square
        for joint, square in enumerate(self._square.tolist()):
            columns, torque = self._equations(theta, joint)
            residual = torque - columns @ theta[self.rows.place(joint)]
            sizes = np.abs(residual)[used[:, joint]]
            # Shared coefficients count for all joints together.
            freedom = len(sizes) - self.rows.own.shape[2] - self._s / len(noise)
            if freedom >= 1.0:
                limit = FAR * max(NORMAL * float(np.median(sizes)), np.sqrt(MIN_VARIANCE * square))
                huber = limit / np.maximum(sizes, limit)
                variance = float(np.sum(huber * sizes**2)) / freedom
                noise[joint] = np.sqrt(np.clip(variance, MIN_VARIANCE * square, square))
                self._weights[used[:, joint], joint] = huber / noise[joint] ** 2
        return noise


def bounded_minimum(normal: Array, right: Array, lower: Array) -> tuple[Array, Array]:
    """The minimum (P,) of x^T A x / 2 - b^T x above lower bounds, and its standard deviations."""
    units = 1.0 / np.sqrt(np.maximum(np.diag(normal), TINY))
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
