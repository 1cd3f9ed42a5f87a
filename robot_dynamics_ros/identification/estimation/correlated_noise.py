"""Intervals for residuals that are correlated: in time, and among the joints.

What a model leaves of real torques is not white: friction that it does not have, vibrations and
noise of accelerations last longer than the time between two equations. Each time t moves a base
parameter by its influence psi_t = C sum_j w_j y_j e_j / sigma_j^2, with C the covariance that
counts white noise. The variance of their sum is what matters, with all products at lags k:
sum_k kappa(k) psi_t psi_{t-k} (Newey, West, "A simple, positive semi-definite,
heteroskedasticity and autocorrelation consistent covariance matrix", 1987), with Parzen's weights
kappa and the number of lags of Andrews, "Heteroskedasticity and autocorrelation consistent
covariance matrix estimation" (1991).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings.extra import required

from ..regression.equations import EquationBlock
from ..regression.reduced_equations import Weights
from .estimate import Estimate
from .instruments import gain_places

# Lags whose products are kept: more than correlations of arms last at 20 to 40 equations a second.
LAGS = 64
# Fewest lags.
FEWEST = 2
# Andrews' number of lags for Parzen's weights: factor, and largest correlation that counts.
PARZEN, LARGEST = 2.6614, 0.95
# Probability below the upper end of a 95 % interval.
COVERED = 0.975
# Times whose influences are multiplied together, by a block more.
TOGETHER = 1024
# Of the time between two equations: larger gaps end a run of consecutive equations.
GAP = 1.5


@dataclass(frozen=True)
class LaggedInfluence:
    """Sums of products of influences; those of several recordings add up.

    Attributes:
        intervals: (k,) between two equations, for each of k low passes and rates [s]; 0: unknown.
        products: (k, LAGS + 1, b) at each lag.
        alone: (b,) at lag 0, without products of different joints: what white noise gives.
        times: (k,) number of times with an influence.
    """

    intervals: tuple[float, ...]
    products: Array
    alone: Array
    times: Array

    @classmethod
    def merged(cls, parts: Sequence[LaggedInfluence]) -> LaggedInfluence:
        """Those of all data from those of its parts: lags of the same duration add up."""
        intervals = tuple(sorted({each for part in parts for each in part.intervals}))
        products = np.zeros((len(intervals), *parts[0].products.shape[1:]))
        times = np.zeros(len(intervals))
        for part in parts:
            places = [intervals.index(each) for each in part.intervals]
            products[places] += part.products
            times[places] += part.times
        return cls(intervals, products, np.sum([part.alone for part in parts], axis=0), times)

    @property
    def inflation(self) -> Array:
        """Variance of the sums of influences, relative to that of white noise (b,).

        It is larger by what residuals take from it, as they sum up to nothing, and by what its own
        uncertainty adds to an interval: that of Student's distribution.
        """
        special = required('scipy.special', 'identification')
        total, degrees = np.zeros(len(self.alone)), np.zeros(len(self.alone))
        for products, times in zip(self.products, self.times, strict=True):
            weights = parzen(_lags(products, times))
            sums = products[0] + 2.0 * (weights[1:] * products[1:]).sum(axis=0)
            taken = (2.0 * weights.sum(axis=0) - 1.0) / max(1.0, times)
            total += sums / np.maximum(0.5, 1.0 - taken)
            degrees += times / (2.0 * np.sum(weights**2, axis=0) - 1.0)
        student = special.stdtrit(np.maximum(1.0, degrees), COVERED) / special.ndtri(COVERED)
        alone = np.where(self.alone > 0.0, self.alone, 1.0)
        inflation: Array = np.where(self.alone > 0.0, student**2 * total / alone, 1.0)
        return inflation


def _lags(products: Array, times: float) -> Array:
    """Andrews' numbers of lags (b,), from the correlation of neighbours.

    Args:
        products: (LAGS + 1, b) at each lag.
        times: number of them.
    """
    with np.errstate(divide='ignore', invalid='ignore'):
        r = np.where(products[0] > 0.0, products[1] / products[0], 0.0)
    r = np.clip(r, -LARGEST, LARGEST)
    lags = PARZEN * (4.0 * r**2 / (1.0 - r) ** 4 * times) ** 0.2
    most = min(LAGS, max(FEWEST, times / 4.0))
    return np.asarray(np.clip(lags, FEWEST, most))


def parzen(lags: Array) -> Array:
    """Parzen's weights (LAGS + 1, b) of lags 0 and on: zero from `lags` (b,) on."""
    x = np.arange(LAGS + 1)[:, None] / lags
    near = 1.0 - 6.0 * x**2 + 6.0 * x**3
    weights: Array = np.where(x <= 0.5, near, 2.0 * np.maximum(1.0 - x, 0.0) ** 3)
    return weights


def lagged_influence(
    blocks: Iterable[EquationBlock], estimate: Estimate, weights: Weights | None = None
) -> LaggedInfluence:
    """The sums of some equations.

    Args:
        blocks: in the order of time within each recording.
        estimate: of all equations; not the consistent one, whose residuals are pulled.
        weights: of the equations in the estimate; None for equal ones.
    """
    size = len(estimate.base_columns)
    found = LaggedInfluence((), np.zeros((0, LAGS + 1, size)), np.zeros(size), np.zeros(0))
    before: Array = np.empty((0, size))
    for begins, group in _groups(blocks):
        if begins:
            before = np.empty((0, size))
        influences = np.concatenate([_influences(block, estimate, weights) for block in group])
        both = np.concatenate([before, influences.sum(axis=1)])
        times = float(sum(np.count_nonzero(block.used.any(axis=1)) for block in group))
        new = LaggedInfluence(
            (float(np.nan_to_num(group[0].interval)),),
            _products(both, len(before))[None],
            np.einsum('trb, trb -> b', influences, influences),
            np.array([times]),
        )
        found = LaggedInfluence.merged([found, new])
        before = both[-LAGS:]
    return found


def _products(influences: Array, before: int) -> Array:
    """Products (LAGS + 1, b) of influences (t, b) whose later time is not among the first ones."""
    products = np.zeros((LAGS + 1, influences.shape[1]))
    for lag in range(min(LAGS, len(influences) - 1) + 1):
        first = max(before, lag)
        products[lag] = np.einsum(
            'tb, tb -> b', influences[first:], influences[first - lag : len(influences) - lag]
        )
    return products


def _groups(blocks: Iterable[EquationBlock]) -> Iterator[tuple[bool, list[EquationBlock]]]:
    """Consecutive blocks without a gap between them, and whether there is one before them."""
    group: list[EquationBlock] = []
    begins = True
    for block in blocks:
        gap = bool(group) and not _follows(block, group[-1])
        if gap or sum(map(len, group)) >= TOGETHER:
            yield begins, group
            begins, group = gap, []
        group.append(block)
    if group:
        yield begins, group


def with_correlation(estimate: Estimate, lagged: LaggedInfluence, independence: float) -> Estimate:
    """The estimate with a covariance that counts correlated residuals.

    No standard deviation becomes smaller: that residuals alternate proves no more precision.

    Args:
        estimate: whose covariance counts the filter's correlation of white noise.
        lagged: sums over all its equations.
        independence: share of the equations that white noise leaves independent: it is counted
            already.
    """
    factors = np.sqrt(np.maximum(independence * lagged.inflation, 1.0))
    covariance = estimate.base_covariance * np.outer(factors, factors)
    return replace(estimate, base_covariance=covariance)


def _influences(block: EquationBlock, estimate: Estimate, weights: Weights | None) -> Array:
    """What each equation adds to the base parameters (m, r, b)."""
    noise = np.where(estimate.noise > 0.0, estimate.noise, np.inf)
    residuals = block.torques - block.rows @ estimate.parameters
    shares = np.ones(residuals.shape) if weights is None else weights(block)
    scores = np.where(block.used, shares * residuals, 0.0) / noise**2
    chosen = block.rows[:, :, list(estimate.base_columns)]
    for equation, place in gain_places(block.layout, block.equations, estimate.base_columns):
        gain = estimate.parameters[estimate.base_columns[place]]
        chosen[:, equation, place] += residuals[:, equation] / gain
    influences: Array = (chosen @ estimate.base_covariance) * scores[:, :, None]
    return influences


def _follows(block: EquationBlock, last: EquationBlock) -> bool:
    """Whether a block continues the one before without a gap."""
    if block.recording != last.recording or not len(block) or not len(last):
        return False
    step = block.times[0] - last.times[-1]
    if np.isfinite(block.interval):
        return bool(0.0 < step < GAP * block.interval)
    steps = np.diff(np.concatenate([last.times[-2:], block.times[:2]]))
    return bool((steps > 0.0).all() and steps.max() < GAP * steps.min())
