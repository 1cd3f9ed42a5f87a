"""Estimates weighted by the noise of each joint, iterated, and by Huber's weights."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..regression import ReducedEquations
from .parameter_estimate import Estimate
from .regularized import Problem, noise_of
from .robust_weights import RobustWeights

# Iterations of the noise, and of Huber's weights; relative change of the noise that ends them.
OF_NOISE, OF_WEIGHTS, SETTLED = 20, 8, 0.01

Again = Callable[[RobustWeights], ReducedEquations]


def estimate(reduced: ReducedEquations, reduce_again: Again | None = None) -> Estimate:
    """The parameters by weighted least squares, robust where equations can be reduced again.

    Args:
        reduced: equations of all data.
        reduce_again: the same with other weights; None: no weights.
    """
    parameters, noise = _weighted(reduced)
    for _ in range(OF_WEIGHTS if reduce_again is not None else 0):
        assert reduce_again is not None
        before = noise
        reduced = reduce_again(RobustWeights(_unknown(reduced, parameters), noise))
        parameters, noise = _weighted(reduced)
        if _settled(before, noise):
            break
    problem = Problem.of(reduced, noise)
    return Estimate(
        reduced.layout,
        _whole(reduced, parameters),
        problem.covariance(),
        problem.scales,
        noise,
        reduced,
    )


def _weighted(reduced: ReducedEquations) -> tuple[Array, Array]:
    """Parameters (p,), and the noise (r,) that they leave, which weights the equations."""
    noise = noise_of(reduced, np.zeros(reduced.layout.size))
    parameters = np.zeros(reduced.layout.size)
    for _ in range(OF_NOISE):
        before = noise
        parameters = Problem.of(reduced, noise).solution()
        noise = noise_of(reduced, _unknown(reduced, parameters))
        if _settled(before, noise):
            break
    return parameters, noise


def _settled(before: Array, after: Array) -> bool:
    return bool((np.abs(after - before) <= SETTLED * before).all())


def _unknown(reduced: ReducedEquations, parameters: Array) -> Array:
    """Parameters (p,) without those that are known: the equations hold these already."""
    result: Array = np.where(reduced.layout.is_known, 0.0, parameters)
    return result


def _whole(reduced: ReducedEquations, parameters: Array) -> Array:
    """Parameters (p,) with those that are known."""
    layout = reduced.layout
    result: Array = np.where(layout.is_known, layout.nominal(), parameters)
    return result
