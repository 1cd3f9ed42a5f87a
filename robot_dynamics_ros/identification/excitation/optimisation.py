"""The motion that tells most, from random ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scipy.optimize import minimize

from robot_dynamics_ros.core.checks import Array

from .candidate_motions import Candidates
from .fourier_series import FourierSeries
from .information import Information
from .violation import Allowance

# Weights of the violations, one stage after the other: first the shape, then the limits.
WEIGHTS = (3.0, 30.0, 300.0, 3000.0)
# Share of what is allowed that stays free, for what happens between the samples.
RESERVE = 0.02


def optimised(
    first: FourierSeries,
    candidates: Candidates,
    information: Information,
    allowance: Allowance,
    steps: int,
    advance: Callable[[int], None],
) -> FourierSeries:
    """Maximise the log det of the information, with a growing weight of violations.

    Quadratic penalties and L-BFGS: Nocedal, Wright, "Numerical Optimization" (2006), sections 17.1
    and 7.2. What is violated afterwards is small; `largest_allowed` removes it.

    Args:
        first: where to begin.
        candidates: motions among which to search.
        information: of motions.
        allowance: what a motion may use.
        steps: at most, of all stages together.
        advance: called with the number of steps that were done.
    """
    variables = candidates.variables(first)
    for stage, weight in enumerate(WEIGHTS):
        share = steps * (stage + 1) // len(WEIGHTS) - steps * stage // len(WEIGHTS)
        done = 0

        def count(_: Any) -> None:
            nonlocal done
            done += 1
            advance(1)

        result = minimize(
            _cost,
            variables,
            args=(candidates, information, allowance, weight),
            jac=True,
            method='L-BFGS-B',
            callback=count,
            options={'maxiter': share, 'maxcor': 20, 'ftol': 1e-9},
        )
        advance(share - done)
        variables = result.x
    return candidates.series(variables)


def _cost(
    variables: Array,
    candidates: Candidates,
    information: Information,
    allowance: Allowance,
    weight: float,
) -> tuple[float, Array]:
    """Minus the log det of each base parameter, plus weighted violations; and its slope (k,)."""
    motion = candidates.motion(variables)
    told = information.of(*motion, slopes=True)
    violation = allowance.violation(*motion, reserve=RESERVE)
    assert told.slopes is not None
    slopes = weight * violation.slopes - told.slopes / information.rank
    return weight * violation.total - told.log_det / information.rank, candidates.slope(slopes)
