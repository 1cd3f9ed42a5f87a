"""How much the prior counts, by cross-validation on the data that are fitted.

With noise alone the prior is worth one equation for each parameter: so many equations outweigh it.
Where the model lacks something, such as friction that depends on load, residuals are correlated
and the same for a whole motion. There are fewer independent equations then than the estimate
counts, and the prior is worth more: as much as makes the estimate from some periods predict the
others best (Stone, "Cross-validatory choice and assessment of statistical predictions", 1974).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import IdentificationError

from .consistency import Prior, consistent
from .estimation import Estimate, OutlierWeights
from .fitted_equations import FittedEquations
from .regression import EquationBlock, ReducedEquations

# Weights that are tried, in this order, until one predicts worse than the one before.
WEIGHTS = (1.0, 3.0, 10.0, 30.0, 100.0)
# Periods of this length [s] belong to one fold after the other: longer than the filters.
FOLDS, PERIOD = 4, 2.0
# Share of the squared error by which another weight than 1 must be better.
BETTER = 0.01


@dataclass(frozen=True)
class FoldWeights:
    """Weights of others in one fold, zero outside; plain data, for any process.

    Attributes:
        fold: its number, from 0 on.
        others: weights inside.
    """

    fold: int
    others: OutlierWeights

    def __call__(self, block: EquationBlock) -> Array:
        """The weights (m, r) of a block."""
        weights = self.others(block)
        weights[np.floor(block.times / PERIOD) % FOLDS != self.fold] = 0.0
        return weights


def prior_weight(
    equations: FittedEquations,
    weights: OutlierWeights,
    found: Estimate,
    prior: Prior = 'log_det',
    carried: Array | None = None,
) -> float:
    """The weight of the prior with which some periods predict the others best, see `consistent`.

    Args:
        equations: that are fitted; no others are looked at.
        weights: of these.
        found: the estimate without constraints.
        prior: see `consistent`.
        carried: see `consistent`.

    Returns:
        1 where no other weight is better.
    """
    folds = [equations.reduced(FoldWeights(fold, weights)) for fold in range(FOLDS)]
    if not all(one.weights.any() for one in folds):
        return WEIGHTS[0]
    errors: list[float] = []
    try:
        for weight in WEIGHTS:
            errors.append(_error(folds, found, prior, carried, weight))
            if errors[-1] > min(errors):
                break
    except IdentificationError:
        # Less data than all: what has no solution here says nothing of the whole.
        return WEIGHTS[0]
    best = int(np.argmin(errors))
    return WEIGHTS[best] if errors[best] < (1.0 - BETTER) * errors[0] else WEIGHTS[0]


def _error(
    folds: Sequence[ReducedEquations],
    found: Estimate,
    prior: Prior,
    carried: Array | None,
    weight: float,
) -> float:
    """Sum of the squared errors of all folds, each predicted by the others [-].

    In variances of the noise of each equation.
    """
    total = 0.0
    for number, left_out in enumerate(folds):
        others = ReducedEquations.merged([*folds[:number], *folds[number + 1 :]])
        parameters = consistent(others, found, prior, carried, weight).parameters
        errors = np.linalg.norm(left_out.triangles @ np.append(parameters, -1.0), axis=1)
        used = found.noise > 0.0
        total += float(np.sum((errors[used] / found.noise[used]) ** 2))
    return total
