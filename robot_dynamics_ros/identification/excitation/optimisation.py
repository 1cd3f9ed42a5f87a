"""The motion that tells most, from a random one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize

from robot_dynamics_ros.core.checks import Array

from .candidate_motions import Candidates
from .fourier_series import FourierSeries
from .information import Information
from .violation import MotionConstraints

# Weights of the violations, one stage after the other: first the shape, then the limits.
WEIGHTS = (3.0, 30.0, 300.0, 3000.0)
# Shares of what is allowed that stay free, for what happens between the samples: one stage with
# the largest weight after the other, until the limits hold.
RESERVES = (0.05, 0.1)
RESERVE = 0.02


class Optimisation:
    """Maximises the log det of the information by a growing weight of violations.

    Quadratic penalties and L-BFGS: Nocedal, Wright, "Numerical Optimization" (2006), sections 17.1
    and 7.2. What is violated afterwards is small.
    """

    def __init__(
        self,
        candidates: Candidates,
        information: Information,
        constraints: MotionConstraints,
        steps: int,
        advance: Callable[[int], None],
    ) -> None:
        """Take what is searched.

        Args:
            candidates: motions among which to search.
            information: of motions.
            constraints: what a motion may use.
            steps: at most, of all stages together.
            advance: called with the number of steps that were done.
        """
        self._candidates, self._information = candidates, information
        self._constraints = constraints
        self._steps, self._advance = steps, advance

    def best(self, first: FourierSeries, holds: Callable[[FourierSeries], bool]) -> FourierSeries:
        """The best motion from a first one; its limits may be violated a little.

        Args:
            first: where to begin.
            holds: whether a motion keeps its limits.
        """
        stages = [(weight, RESERVE) for weight in WEIGHTS]
        repairs = [(WEIGHTS[-1], reserve) for reserve in RESERVES]
        count = len(stages) + len(repairs)
        variables = self._candidates.variables(first)
        for number, (weight, reserve) in enumerate([*stages, *repairs]):
            share = self._steps * (number + 1) // count - self._steps * number // count
            if number >= len(stages) and holds(self._candidates.series(variables)):
                self._advance(share)
                continue
            variables = self._stage(variables, weight, reserve, share)
        return self._candidates.series(variables)

    def _stage(self, variables: Array, weight: float, reserve: float, steps: int) -> Array:
        if not steps:
            return variables
        done = 0

        def count(_: Any) -> None:
            nonlocal done
            done += 1
            self._advance(1)

        result = minimize(
            self._cost,
            variables,
            args=(weight, reserve),
            jac=True,
            method='L-BFGS-B',
            callback=count,
            options={'maxiter': steps, 'maxcor': 20, 'ftol': 1e-9},
        )
        self._advance(steps - done)
        return np.asarray(result.x)

    def _cost(self, variables: Array, weight: float, reserve: float) -> tuple[float, Array]:
        """Minus the log det of each base parameter, plus weighted violations; its slope (k,)."""
        motion = self._candidates.motion(variables)
        merit = self._information.of(*motion, slopes=True)
        violation = self._constraints.violation(*motion, reserve)
        assert merit.slopes is not None
        rank = self._information.rank
        slopes = weight * violation.slopes - merit.slopes / rank
        cost = weight * violation.total - merit.log_det / rank
        return cost, self._candidates.slope(slopes)
