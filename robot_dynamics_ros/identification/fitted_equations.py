"""What an identification asks of the equations that it fits: here, or computed by other processes.

Each answer is a sum over the recordings, and takes one pass over them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from robot_dynamics_ros.core.checks import Array

from .estimation import (
    Estimate,
    LaggedInfluence,
    Period,
    WindowSums,
    disturbed_periods,
    lagged_influence,
    window_sums,
)
from .regression import EquationBlock, ReducedEquations, Weights, reduce


class FittedEquations(Protocol):
    """The equations of all data that are fitted, as often as they are needed."""

    def reduced(self, weights: Weights | None = None) -> ReducedEquations:
        """The equations reduced to triangles.

        Args:
            weights: of the equations; None for equal ones.

        Raises:
            ParameterError: there is no equation.
        """

    def windows(self, columns: tuple[int, ...], scales: Array, size: int) -> WindowSums:
        """Sums over windows of time, see `window_sums`.

        Args:
            columns: (c,) that are fitted.
            scales: (c,) plausible magnitudes of their parameters.
            size: equations of each joint in a window.
        """

    def disturbed(self, robust: Estimate) -> tuple[Period, ...]:
        """When something touched the robot, see `disturbed_periods`.

        Args:
            robust: estimate from all equations.
        """

    def influence(self, found: Estimate, weights: Weights) -> LaggedInfluence:
        """How residuals are correlated, see `lagged_influence`.

        Args:
            found: estimate from all equations.
            weights: of the equations in that estimate.
        """


@dataclass(frozen=True)
class LocalEquations:
    """Equations that this process has, or computes again for each answer.

    Attributes:
        blocks: can be iterated again and again: a list, or `RecordedEquations`; those of a
            recording follow each other, in the order of time.
    """

    blocks: Iterable[EquationBlock]

    def reduced(self, weights: Weights | None = None) -> ReducedEquations:
        """As `FittedEquations.reduced`."""
        return reduce(self.blocks, weights)

    def windows(self, columns: tuple[int, ...], scales: Array, size: int) -> WindowSums:
        """As `FittedEquations.windows`."""
        return window_sums(self.blocks, columns, scales, size)

    def disturbed(self, robust: Estimate) -> tuple[Period, ...]:
        """As `FittedEquations.disturbed`."""
        return disturbed_periods(self.blocks, robust.parameters)

    def influence(self, found: Estimate, weights: Weights) -> LaggedInfluence:
        """As `FittedEquations.influence`."""
        return lagged_influence(self.blocks, found, weights)
