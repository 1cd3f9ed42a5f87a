"""Weights of the equations of joints that move fast."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..regression.equations import EquationBlock
from .outlier_weights import OutlierWeights
from .period_weights import PeriodWeights


@dataclass(frozen=True)
class FastWeights:
    """Weights of others, and zero for the equations of slow joints; plain data, for any process.

    Attributes:
        limits: (n,) speeds below which a joint is slow [rad/s or m/s].
        others: weights of fast ones.
    """

    limits: tuple[float, ...]
    others: OutlierWeights | PeriodWeights

    def __call__(self, block: EquationBlock) -> Array:
        """The weights (m, n) of a block in torque form, whose terms have viscous friction."""
        weights = self.others(block)
        weights[np.abs(block.velocities) < np.array(self.limits)] = 0.0
        return weights
