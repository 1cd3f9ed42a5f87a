"""The inertial parameters of a payload by weighted least squares, from sums of equations.

The equations of joint j are r = Y pi + Z x + F_j f_j + e: the ten inertial parameters pi of the
payload and others x, which all joints share, and the friction f_j of that joint. Least squares
needs the products of these columns alone, which are added up in blocks of time (L. Ljung, System
Identification, 2nd ed., section 11.2). The equations of a joint count by the variance of their
residuals, iterated. Weak priors keep what the motion does not determine.

Residuals of neighbouring equations are correlated where friction or the model is not quite
right. Their variance counts as larger by the factor by which their sums over blocks, and over
neighbouring blocks, vary more than those of independent residuals would (K.-Y. Liang, S. Zeger,
Longitudinal data analysis using generalized linear models, Biometrika 73, 1986).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.inertial_parameters import body_of, parameters_of
from robot_dynamics_ros.core.spatial import ZERO, Inertia

# Number of parameters of a body.
PAYLOAD = 10
# Duration of a block of time [s]; with more blocks than this, neighbours are joined.
BLOCK, MOST_BLOCKS = 1.0, 128
# Standard deviations of the prior: of the mass [kg], and for each kg of it, of the first moment
# [m] and of the inertia about the frame [m^2]; and the least mass that the latter are for [kg].
MASS, CENTER, INERTIA, LEAST_MASS = 100.0, 0.3, 0.04, 0.1
# Iterations of the weights at most, and their relative change at which they have settled.
ITERATIONS, SETTLED = 8, 0.01
# Directions of a matrix below this share of its diagonal are rounding; so are smaller masses [kg].
ROUNDING, ROUNDED_MASS = 1e-11, 1e-9
# Errors are correlated up to so many blocks apart; the least number of blocks for each of them.
LAGS, BLOCKS_OF_LAG = 2, 5
# Variance of residuals, of the mean square of what there is to explain: efforts have five digits.
SMALLEST = 1e-10
# A body that exists extends by this much, root mean square, along each axis [m].
THINNEST = 1e-3


class BlockSums:
    """Products of the columns [Y, Z, F, r] of r joints, in blocks of time.

    The first column of F is 1: the torque offset of the joint.

    Attributes:
        shared: number of columns of Y and Z, which all joints share.
        duration: of a block [s]; doubles when there are too many.
    """

    def __init__(self, joints: int, shared: int, own: int) -> None:
        """Without an equation; F has so many columns of its own for each joint."""
        self.shared, self.duration = shared, BLOCK
        self._shape = joints, *2 * [shared + own + 1]
        self._blocks: defaultdict[int, Array] = defaultdict(lambda: np.zeros(self._shape))

    def add(self, times: Array, columns: Array, used: npt.NDArray[np.bool_]) -> None:
        """Add equations.

        Args:
            times: (N,) of them [s].
            columns: (N, r, c) of each joint.
            used: (N, r) whether an equation counts.
        """
        numbers = np.floor(times / self.duration).astype(int)
        by_joint = np.where(used[..., None], columns, 0.0).transpose(1, 0, 2)
        for number in np.unique(numbers).tolist():
            part = by_joint[:, numbers == number]
            self._blocks[number] = self._blocks[number] + part.transpose(0, 2, 1) @ part
        while len(self._blocks) > MOST_BLOCKS:
            finer, self.duration = self._blocks, 2.0 * self.duration
            self._blocks = defaultdict(finer.default_factory)
            for number, products in finer.items():
                self._blocks[number // 2] = self._blocks[number // 2] + products

    @property
    def products(self) -> Array:
        """(B, r, c, c) of each block."""
        return np.array([*self._blocks.values()]).reshape(-1, *self._shape)


@dataclass(frozen=True)
class PayloadFit:
    """What least squares gives.

    Attributes:
        body: (10,) mass, centre, and inertia about the centre; of a body that can exist, unless
            its mass is negative.
        deviations: (10,) its standard deviations.
        share: first parameter behind those of the payload, with its standard deviation.
        noise: (r,) standard deviation of the residuals of each joint [N m or N].
        inflation: (r,) the factor of their variance, as neighbours are correlated.
        blocks: number of blocks of time.
    """

    body: Array
    deviations: Array
    share: tuple[float, float]
    noise: Array
    inflation: Array
    blocks: int


def fit_payload(sums: BlockSums, precision: Array) -> PayloadFit:
    """The payload that explains the equations best.

    Args:
        sums: of the equations; their first ten columns are those of the payload.
        precision: (k - 10,) 1 / variance of the prior of the other shared parameters, which is
            zero.
    """
    blocks, shared = sums.products, sums.shared
    total = blocks.sum(axis=0)
    counts = total[:, shared, shared]
    joints, own = len(total), total.shape[1] - shared - 1
    size = shared + joints * own
    # Of each joint: its columns among all unknowns and the right-hand side.
    friction = range(shared, size)
    places = [[*range(shared), *friction[j * own :][:own], size] for j in range(joints)]
    square = total[:, -1, -1] / np.maximum(counts, 1.0)
    square = np.where(square > 0.0, square, 1.0)
    variances, inflation, mass = square, np.ones(joints), 1.0
    for _ in range(ITERATIONS):
        weights = variances * inflation
        normal = np.zeros((size + 1, size + 1))
        for place, matrix, weight in zip(places, total, weights, strict=True):
            normal[np.ix_(place, place)] += matrix / weight
        scale = max(abs(mass), LEAST_MASS)
        deviations = [MASS, *[scale * CENTER] * 3, *[scale * INERTIA] * 6]
        normal[range(shared), range(shared)] += [*np.power(deviations, -2.0), *precision]
        covariance = _inverse(normal[:-1, :-1])
        unknowns = covariance @ normal[:-1, -1]
        mass = float(unknowns[0])
        # What leaves the residual of a joint of its columns.
        residuals = np.array([np.append(-unknowns, 1.0)[place] for place in places])
        squares = np.einsum('ji,jik,jk->j', residuals, total, residuals)
        # The payload itself is shared among the joints.
        freedom = counts - own - PAYLOAD / joints
        # Of too few equations all there is to explain counts as noise.
        found = np.where(counts < own + PAYLOAD, square, squares / np.maximum(freedom, 1.0))
        variances = np.clip(found, SMALLEST * square, square)
        by_joint = zip(blocks.swapaxes(0, 1), residuals, variances, strict=True)
        inflation = np.array([_inflation(*one) for one in by_joint])
        if np.allclose(variances * inflation, weights, rtol=SETTLED, atol=0.0):
            break
    pi, spread = unknowns[:PAYLOAD].copy(), covariance[:PAYLOAD, :PAYLOAD]
    pi[0] = pi[0] if abs(pi[0]) > ROUNDED_MASS else ROUNDED_MASS
    # Exact derivatives, by complex steps.
    slopes = np.array([central(pi + 1e-30j * unit).imag for unit in np.eye(PAYLOAD)]).T / 1e-30
    body = central(pi)
    if mass > 0.0:
        body = possible(body)
    return PayloadFit(
        body,
        np.sqrt(np.diag(slopes @ spread @ slopes.T)),
        (float(unknowns[PAYLOAD]), float(np.sqrt(covariance[PAYLOAD, PAYLOAD]))),
        np.sqrt(variances),
        inflation,
        len(blocks),
    )


def central(pi: npt.NDArray[Any]) -> Array:
    """Mass, centre, and inertia about the centre (10,), of `PARAMETERS` (10,), real or complex."""
    body = body_of(pi.tolist())
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.rotational_at_center_of_mass
    return np.array([body.mass, *body.center_of_mass, xx, xy, yy, xz, yz, zz])


def possible(body: Array) -> Array:
    """The nearest body with that mass and centre that can exist; both (10,) as of `central`.

    Its second moments trace(I) / 2 - I are positive definite (P. Wensing, S. Kim, J.-J. Slotine,
    Linear matrix inequalities for physically consistent inertial parameter identification, IEEE
    RA-L 3, 2018). Nearest in the Frobenius norm are those whose lower eigenvalues are raised (N.
    Higham, Computing a nearest symmetric positive semidefinite matrix, 1988).
    """
    mass = float(body[0])
    values, axes = np.linalg.eigh(body_of([mass, *ZERO, *body[4:]]).second_moment)
    moments = (axes * np.maximum(values, THINNEST**2 * mass)) @ axes.T
    return np.append(body[:4], parameters_of(Inertia(mass, ZERO, moments.tolist()))[4:])


def _inflation(blocks: Array, residual: Array, variance: float) -> float:
    """How much more the sums of residuals vary than independent ones; at least 1.

    Products of the sums over two blocks count as those over one, up to `LAGS` blocks apart: sums
    over one block alone see only errors that are shorter than it. The weights of the products of
    two residuals are then 1 up to so many blocks apart, and fall to 0 over one more, those of a
    flat-top kernel (D. Politis, J. Romano, Bias-corrected nonparametric spectral estimation,
    Journal of Time Series Analysis 16, 1995).

    Args:
        blocks: (B, c, c) products of the columns of one joint.
        residual: (c,) what leaves the residual of these columns.
        variance: of a residual.
    """
    columns = blocks[:, :-1, :-1]
    inverse = _inverse(columns.sum(axis=0))
    sums, shares = blocks[:, :-1] @ residual, inverse @ columns
    found, expected = 0.0, float(np.trace(shares.sum(axis=0)))
    # The sums over all blocks are zero: of few blocks, far ones only undo what near ones say.
    for lag in range(1 + min(LAGS, len(blocks) // BLOCKS_OF_LAG)):
        pairs, sooner = 1.0 if lag == 0 else 2.0, slice(len(blocks) - lag)
        found += pairs * float(np.einsum('bi,ij,bj->', sums[lag:], inverse, sums[sooner]))
        # Of independent residuals of a fit to the same equations.
        expected -= pairs * float(np.einsum('bij,bji->', shares[lag:], shares[sooner]))
    return max(1.0, found / variance / expected) if expected > 0.0 else 1.0


def _inverse(matrix: Array) -> Array:
    """Of a positive semidefinite matrix, each column measured by its own size."""
    size = np.diag(matrix)
    scale = 1.0 / np.sqrt(np.where(size > 0.0, size, 1.0))
    both = np.outer(scale, scale)
    return np.asarray(np.linalg.inv(matrix * both + ROUNDING * np.eye(len(matrix))) * both)
