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
        products: (LAGS + 1, b) at each lag.
        alone: (b,) at lag 0, without products of different joints: what white noise gives.
        times: number of times with an influence.
    """

    products: Array
    alone: Array
    times: float

    @classmethod
    def merged(cls, parts: Sequence[LaggedInfluence]) -> LaggedInfluence:
        """Those of all data from those of its parts."""
        return cls(
            np.sum([part.products for part in parts], axis=0),
            np.sum([part.alone for part in parts], axis=0),
            float(sum(part.times for part in parts)),
        )

    @property
    def inflation(self) -> Array:
        """Variance of the sums of influences, relative to that of white noise (b,).

        It is larger by what residuals take from it, as they sum up to nothing, and by what its own
        uncertainty adds to an interval: that of Student's distribution.
        """
        special = required('scipy.special', 'identification')
        weights = parzen(self._lags())
        total = self.products[0] + 2.0 * weights[1:] @ self.products[1:]
        taken = (2.0 * weights.sum() - 1.0) / max(1.0, self.times)
        degrees = max(1.0, self.times / (2.0 * np.sum(weights**2) - 1.0))
        student = float(special.stdtrit(degrees, COVERED) / special.ndtri(COVERED))
        alone = np.where(self.alone > 0.0, self.alone, 1.0)
        relative = student**2 / max(0.5, 1.0 - taken) * total / alone
        inflation: Array = np.where(self.alone > 0.0, relative, 1.0)
        return inflation

    def _lags(self) -> float:
        """Andrews' number of lags, from the usual correlation of neighbours."""
        some = self.products[0] > 0.0
        if not some.any():
            return FEWEST
        r = float(np.median(self.products[1, some] / self.products[0, some]))
        r = float(np.clip(r, -LARGEST, LARGEST))
        lags = PARZEN * (4.0 * r**2 / (1.0 - r) ** 4 * self.times) ** 0.2
        return float(np.clip(lags, FEWEST, min(LAGS, max(FEWEST, self.times / 4.0))))


def parzen(lags: float) -> Array:
    """Parzen's weights (LAGS + 1,) of lags 0 and on: zero from `lags` on."""
    x = np.arange(LAGS + 1) / lags
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
    products, alone, times = np.zeros((LAGS + 1, size)), np.zeros(size), 0.0
    before: Array = np.empty((0, size))
    for begins, group in _groups(blocks):
        if begins:
            before = np.empty((0, size))
        parts = [_influences(block, estimate, weights) for block in group]
        both = np.concatenate([before, *(part.sum(axis=1) for part in parts)])
        for lag in range(min(LAGS, len(both) - 1) + 1):
            # Products whose later time is in this group.
            first = max(len(before), lag)
            products[lag] += np.einsum(
                'tb, tb -> b', both[first:], both[first - lag : len(both) - lag]
            )
        alone += sum(np.einsum('trb, trb -> b', part, part) for part in parts)
        times += sum(np.count_nonzero(block.used.any(axis=1)) for block in group)
        before = both[-LAGS:]
    return LaggedInfluence(products, alone, times)


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
    steps = np.diff(np.concatenate([last.times[-2:], block.times[:2]]))
    return bool((steps > 0.0).all() and steps.max() < GAP * steps.min())
