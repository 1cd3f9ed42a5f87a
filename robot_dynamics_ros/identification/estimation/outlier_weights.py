"""Weights of the final estimate: least squares, but for what is certainly not the robot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..regression.equations import EquationBlock
from .disturbances import Period
from .huber import HuberWeights

# Standard deviations of a robust estimate: a single sample that is farther off, as an effort that
# was sent wrong, has no more influence than that. Friction that the model lacks is nearer.
GROSS = 10.0


@dataclass(frozen=True)
class OutlierWeights:
    """0 in disturbed periods, 1 elsewhere, and less beyond `GROSS`; plain data.

    Residuals of real arms have longer tails than a normal distribution: what the model lacks, at
    all of the motion that it is to predict. Huber's weights with the threshold for normal noise
    take these equations out of the estimate, and make it worse where they come again.

    Attributes:
        parameters: (p,) of a robust estimate.
        noise: (r,) standard deviation of the equations, robust too.
        periods: disturbed ones.
    """

    parameters: Array
    noise: Array
    periods: tuple[Period, ...] = ()

    def __call__(self, block: EquationBlock) -> Array:
        """The weights (m, r) of a block."""
        weights = HuberWeights(self.parameters, self.noise, GROSS)(block)
        for period in self.periods:
            if period.recording == block.recording:
                inside = (block.times >= period.begin) & (block.times <= period.end)
                weights[inside] = 0.0
        return np.asarray(weights)
