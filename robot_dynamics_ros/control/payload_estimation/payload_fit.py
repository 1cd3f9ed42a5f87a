"""Mass, centre and inertia of a payload from the sums of its equations, and how certain they are.

Weighted least squares: the equations of each joint count by the variance of their residuals, which
the fit itself gives (iterated); the friction parameters of a joint are eliminated from its sums.
What the motion does not determine stays at a weak prior (see `best_body`): the matrix to solve is
never singular, and an interval that the data do not narrow shows the width of the prior.

Residuals of neighbouring equations are correlated where friction or the model is not quite right.
Their variance counts as larger by the factor by which their sums over blocks of time, and over
neighbouring blocks, vary more than those of independent residuals would (K.-Y. Liang, S. Zeger,
Longitudinal data analysis using generalized linear models, Biometrika 73, 1986).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .best_body import best_body, curvature
from .body_parameters import linear_parameters, slopes
from .joint_sums import JointSums

PAYLOAD = 10
# Of the share of gravity that efforts may lack, before anything is known: its deviation is 1.
SHARE_PRECISION = 1.0
# Iterations of the weights at most, and their relative change at which they have settled.
ITERATIONS, SETTLED = 8, 0.01
# Directions of a matrix below this share of the largest one are rounding.
ROUNDING = 1e-11
# Errors are correlated up to so many blocks apart; the least number of blocks for each of them.
LAGS, BLOCKS_OF_LAG = 2, 5
# Variance of residuals, of the mean square of what there is to explain: efforts have five digits.
SMALLEST = 1e-10


@dataclass(frozen=True)
class PayloadFit:
    """What least squares gives.

    Attributes:
        theta: (10,) see `body_parameters`; of a body that can exist.
        covariance: (10, 10) of theta.
        others: (k - 10,) the wanted parameters behind the ten of the payload.
        others_deviation: (k - 10,) their standard deviations.
        noise: (r,) standard deviation of the residuals of each joint [N m or N].
        inflation: (r,) the factor of their variance, as neighbours are correlated.
        blocks: number of blocks of time.
    """

    theta: Array
    covariance: Array
    others: Array
    others_deviation: Array
    noise: Array
    inflation: Array
    blocks: int


def fit_payload(sums: JointSums, precision: Array, begin: PayloadFit | None = None) -> PayloadFit:
    """The payload that explains the equations best.

    Args:
        sums: of the equations; the first ten wanted parameters are those of the payload, in the
            order of `PARAMETERS`.
        precision: (k - 10,) of the prior of the others, which is zero: 1 / variance; infinite for
            a parameter that is known to be zero.
        begin: fit of most of these equations, to be done sooner; None: from nothing.
    """
    blocks, counts = sums.blocks, sums.counts
    total = blocks.sum(axis=0)
    if begin is None:
        theta, inflation = np.eye(10)[0], np.ones(len(counts))
        variances = _plausible(np.full(len(counts), np.inf), total, counts, sums.own)
    else:
        theta, inflation = begin.theta, begin.inflation
        variances = _plausible(begin.noise**2, total, counts, sums.own)
    for _ in range(ITERATIONS):
        before = variances * inflation
        system = _System(total, sums.shared, before, precision)
        theta = best_body(system.information, theta)
        solutions = system.solutions(linear_parameters(theta))
        squares = np.einsum('ji,jik,jk->j', solutions, total, solutions)
        # The payload itself is shared among the joints.
        freedom = counts - sums.own - PAYLOAD / len(counts)
        variances = _plausible(squares / np.maximum(freedom, 1.0), total, counts, sums.own)
        inflation = np.array(
            [
                _inflation(blocks[:, joint], solutions[joint], variances[joint])
                for joint in range(len(variances))
            ]
        )
        if (np.abs(variances * inflation - before) <= SETTLED * before).all():
            break
    covariance: Array = np.linalg.inv(curvature(system.information, theta)).astype(np.float64)
    others, deviation = system.others(linear_parameters(theta), covariance, slopes(theta))
    return PayloadFit(
        theta, covariance, others, deviation, np.sqrt(variances), inflation, len(blocks)
    )


def _plausible(variances: Array, total: Array, counts: Array, own: int) -> Array:
    """Variances (r,) of residuals, not below rounding and not above what there is to explain.

    Of joints whose equations are too few for a residual, the latter; 1 without an equation.
    """
    square = total[:, -1, -1] / np.maximum(counts, 1.0)
    few = counts < own + PAYLOAD
    limited = np.clip(np.where(few, np.inf, variances), SMALLEST * square, square)
    return np.where(square > 0.0, limited, 1.0)


class _System:
    """The normal equations of the payload, and the way back to all other parameters."""

    def __init__(self, total: Array, shared: int, variances: Array, precision: Array) -> None:
        self._total, self._shared = total, shared
        wanted = [*range(shared), total.shape[-1] - 1]
        summed = np.zeros((shared + 1, shared + 1))
        for matrix, variance in zip(total, variances, strict=True):
            summed += _eliminated(matrix, wanted) / variance
        known = np.isinf(precision)
        self._free = PAYLOAD + np.flatnonzero(~known)
        summed[self._free, self._free] += precision[~known]
        self._summed = summed
        # (11, 11), see `best_body`.
        kept = [*range(PAYLOAD), shared]
        without_known = [*kept, *self._free]
        remaining = summed[np.ix_(without_known, without_known)]
        self.information = _eliminated(remaining, list(range(len(kept))))

    def others(self, pi: Array, covariance: Array, slope: Array) -> tuple[Array, Array]:
        """The wanted parameters (k - 10,) behind the payload, and their deviations."""
        values, deviations = np.zeros((2, self._shared - PAYLOAD))
        free = self._free
        if not free.size:
            return values, deviations
        inverse = _pseudo_inverse(self._summed[np.ix_(free, free)])
        coupling = inverse @ self._summed[free, :PAYLOAD]
        values[free - PAYLOAD] = inverse @ self._summed[free, self._shared] - coupling @ pi
        through = coupling @ slope
        spread = inverse + through @ covariance @ through.T
        deviations[free - PAYLOAD] = np.sqrt(np.maximum(np.diag(spread), 0.0))
        return values, deviations

    def solutions(self, pi: Array) -> Array:
        """(r, c) of each joint: minus the best parameters, and 1 for the column to explain."""
        others, _ = self.others(pi, np.zeros((10, 10)), np.eye(10))
        result = np.zeros(self._total.shape[:2])
        result[:, : self._shared], result[:, -1] = -np.concatenate([pi, others]), 1.0
        own = slice(self._shared, -1)
        for matrix, solution in zip(self._total, result, strict=True):
            solution[own] = -_pseudo_inverse(matrix[own, own]) @ (matrix[own] @ solution)
        return result


def _inflation(blocks: Array, solution: Array, variance: float) -> float:
    """How much more the sums of residuals vary than independent ones; at least 1.

    Products of the sums over two blocks count as those over one, up to `LAGS` blocks apart: sums
    over one block alone see only errors that are shorter than it. The weights of the products of
    two residuals are then 1 up to so many blocks apart, and fall to 0 over one more, those of a
    flat-top kernel (D. Politis, J. Romano, Bias-corrected nonparametric spectral estimation,
    Journal of Time Series Analysis 16, 1995).

    Args:
        blocks: (B, c, c) products of the columns of one joint.
        solution: (c,) of it, see `_System`.
        variance: of a residual.
    """
    columns = blocks[:, :-1, :-1]
    inverse = _pseudo_inverse(columns.sum(axis=0))
    sums = blocks[:, :-1] @ solution
    shares = inverse @ columns
    found, expected = 0.0, float(np.trace(shares.sum(axis=0)))
    # The sums over all blocks are zero: of few blocks, far ones only undo what near ones say.
    for lag in range(1 + min(LAGS, len(blocks) // BLOCKS_OF_LAG)):
        pairs = 1.0 if lag == 0 else 2.0
        later, sooner = sums[lag:], sums[: len(sums) - lag]
        found += pairs * float(np.einsum('bi,ij,bj->', later, inverse, sooner)) / variance
        # Of independent residuals of a fit to the same equations.
        later, sooner = shares[lag:], shares[: len(shares) - lag]
        expected -= pairs * float(np.einsum('bij,bji->', later, sooner))
    return max(1.0, found / expected) if expected > 0.0 else 1.0


def _eliminated(matrix: Array, kept: list[int]) -> Array:
    """Products of what is left of some columns, after the others have explained what they can."""
    others = [index for index in range(len(matrix)) if index not in kept]
    beside = matrix[np.ix_(others, kept)]
    inverse = _pseudo_inverse(matrix[np.ix_(others, others)])
    return np.asarray(matrix[np.ix_(kept, kept)] - beside.T @ inverse @ beside)


def _pseudo_inverse(matrix: Array) -> Array:
    """Of a positive semidefinite matrix, each column measured by its own size."""
    size = np.sqrt(np.maximum(np.diag(matrix), 0.0))
    scale = np.where(size > 0.0, 1.0 / np.where(size > 0.0, size, 1.0), 0.0)
    values, vectors = np.linalg.eigh(matrix * np.outer(scale, scale))
    good = values > ROUNDING
    inverse = (vectors[:, good] / values[good]) @ vectors[:, good].T
    return np.asarray(inverse * np.outer(scale, scale))
