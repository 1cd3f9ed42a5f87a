"""Whether friction near reversals is that of the law: viscous and Coulomb's, full from the start.

Friction of drives may reach its full size only at some speed, and stiction exceeds it: then what
is left at slow speeds is larger than at fast ones, and the parameters depend on the speeds that
are fitted. With noise alone both have the same variance (Goldfeld, Quandt, "Some tests for
homoscedasticity", 1965).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .estimation import Estimate, FastWeights, OutlierWeights, estimate
from .fitted_equations import FittedEquations
from .observability import BaseParameters
from .regression import EquationOptions, ReducedEquations

# Dead bands below which a joint is slow: 0.2 rad/s, 0.05 m/s.
BANDS = 10.0
# RMS of slow equations, relative to that of fast ones, from which on the law does not hold.
LARGER = 1.3
# Standard deviations of the ratio of two variances of noise that are certain.
DEVIATIONS = 5.0
# Share of fast equations that the estimate from them alone needs.
LEAST_FAST = 0.5


@dataclass(frozen=True)
class FrictionLaw:
    """Joints at which the law of friction does not hold near reversals.

    Attributes:
        joints: their names.
        shift: (b,) by how much base parameters change where fast equations alone are fitted; zero
            where the law holds at all joints.
    """

    joints: tuple[str, ...]
    shift: Array

    def widened(self, found: Estimate) -> Estimate:
        """The estimate, its intervals wide enough for what the choice of speeds changes."""
        covariance = found.base_covariance + np.outer(self.shift, self.shift)
        return replace(found, base_covariance=covariance)


def friction_law(
    equations: FittedEquations,
    weights: OutlierWeights,
    weighted: ReducedEquations,
    base: BaseParameters,
    found: Estimate,
) -> FrictionLaw:
    """Compare slow equations with fast ones.

    Args:
        equations: that are fitted.
        weights: of these.
        weighted: with these weights.
        base: what they determine.
        found: the estimate from them.
    """
    layout = base.layout
    holds = FrictionLaw((), np.zeros(len(base.columns)))
    if weighted.equations != layout.joints or 'viscous' not in layout.terms:
        return holds
    limits = BANDS * EquationOptions().bands(layout.model)
    fast = equations.reduced(FastWeights(tuple(limits.tolist()), weights))
    used = weighted.weights > 0.0
    if np.any(fast.weights[used] < LEAST_FAST * weighted.weights[used]):
        return holds
    larger = _larger(weighted, fast, found.parameters)
    joints = tuple(name for name, one in zip(layout.joints, larger, strict=True) if one)
    if not joints:
        return holds
    alone = estimate(fast, base=base)
    return FrictionLaw(joints, base.values(alone.parameters) - base.values(found.parameters))


def law_words(joints: Sequence[str]) -> str:
    """The sentence of the verdict.

    Args:
        joints: at which the law does not hold.
    """
    return (
        f'Below 0.2 rad/s or 0.05 m/s the residuals at {", ".join(joints)} are larger than above: '
        'friction near reversals is not that of the model, viscous and Coulomb friction. The '
        'intervals include what the fit to faster motion alone changes, and may still be too '
        'narrow.'
    )


def _larger(weighted: ReducedEquations, fast: ReducedEquations, parameters: Array) -> Array:
    """(r,) bool: whether slow equations certainly leave more than fast ones."""
    unknown = np.append(parameters, -1.0)
    squares = [np.sum((one.triangles @ unknown) ** 2, axis=1) for one in (weighted, fast)]
    numbers = np.stack([weighted.weights - fast.weights, fast.weights])
    with np.errstate(all='ignore'):
        slow, quick = (squares[0] - squares[1]) / numbers[0], squares[1] / numbers[1]
        ratio = np.nan_to_num(slow / quick)
        spread = np.sqrt((2.0 / (numbers * weighted.independence)).sum(axis=0))
        certain = ratio > 1.0 + DEVIATIONS * np.nan_to_num(spread, nan=np.inf)
    larger: Array = certain & (ratio > LARGER**2)
    return larger
