"""The estimate: weighted least squares, then Huber's weights until nothing changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..observability import BaseParameters, base_parameters
from ..observability.whitened import whitened
from ..regression.reduced_equations import ReducedEquations
from .completion import completed
from .estimate import Estimate, Method
from .huber import HuberWeights, normal_noise
from .least_squares import Solution, least_squares

# Passes over the equations, and the change of the noise at which they end.
PASSES, CHANGE = 10, 0.01


def estimate(
    reduced: ReducedEquations,
    reduce_again: Callable[[HuberWeights], ReducedEquations] | None = None,
    base: BaseParameters | None = None,
) -> Estimate:
    """Parameters by weighted least squares, robust where the equations can be reduced again.

    Args:
        reduced: the equations, without weights.
        reduce_again: the same equations with weights; None: no robust estimate.
        base: what they determine, where it is known already.
    """
    base = base or base_parameters(reduced)
    white = whitened(reduced, base.columns)
    solution = least_squares(reduced, base, white.noise)
    method: Method = 'weighted'
    if reduce_again is not None:
        method = 'robust'
        solution = _robust(solution, base, white.scales, reduce_again)
    parameters = completed(base, solution.values, white.scales)
    return Estimate(
        base.layout,
        parameters,
        base.columns,
        solution.covariance,
        solution.noise,
        method,
    )


def _robust(
    solution: Solution,
    base: BaseParameters,
    scales: Array,
    reduce_again: Callable[[HuberWeights], ReducedEquations],
) -> Solution:
    """The solution that its own weights give again."""
    normal = normal_noise()
    for _ in range(PASSES):
        parameters = completed(base, solution.values, scales)
        again = reduce_again(HuberWeights(parameters, solution.noise))
        before = solution.noise
        solution = least_squares(again, base, before, normal.variance)
        if np.allclose(solution.noise, before, rtol=CHANGE, atol=0.0):
            break
    return replace(solution, covariance=normal.covariance * solution.covariance)
