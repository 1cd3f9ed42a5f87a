"""Weights that bound the influence of equations that do not fit.

Huber, "Robust estimation of a location parameter" (1964); for the inverse dynamics of robots
Janot, Vandanjon, Gautier, "A generic instrumental variable approach for industrial robot
identification" (2014).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings.extra import required

from ..regression.equations import EquationBlock

# Standard deviations up to which a residual has its whole weight: 95 % of the efficiency of least
# squares with normal noise.
THRESHOLD = 1.345


@dataclass(frozen=True)
class HuberWeights:
    """min(1, k sigma / |residual|) of each equation; plain data, for any process.

    Attributes:
        parameters: (p,) from which residuals are computed.
        noise: (r,) standard deviation of the equations.
        threshold: k [-].
    """

    parameters: Array
    noise: Array
    threshold: float = THRESHOLD

    def __call__(self, block: EquationBlock) -> Array:
        """The weights (m, r) of a block."""
        residuals = np.abs(block.rows @ self.parameters - block.torques)
        with np.errstate(divide='ignore', invalid='ignore'):
            weights = self.threshold * self.noise / residuals
        weights[residuals <= self.threshold * self.noise] = 1.0
        return weights


@dataclass(frozen=True)
class NormalNoise:
    """What Huber's weights make of normal noise of variance 1, by integrals of its density.

    Attributes:
        variance: of weighted squares, E[w z^2] / E[w].
        covariance: factor on sigma^2 (Y^T W Y)^-1: E[psi^2] E[w] / E[psi']^2.
    """

    variance: float
    covariance: float


def normal_noise(k: float = THRESHOLD) -> NormalNoise:
    """Those of weights with threshold k [-]."""
    special = required('scipy.special', 'identification')
    density = math.exp(-0.5 * k**2) / math.sqrt(2.0 * math.pi)
    outside = 0.5 * math.erfc(k / math.sqrt(2.0))
    inside = 1.0 - 2.0 * outside
    # E[w]: k times the integral of density / z beyond k is half of E1(k^2 / 2) / sqrt(2 pi).
    weight = inside + k * float(special.exp1(0.5 * k**2)) / math.sqrt(2.0 * math.pi)
    # w z^2 is z^2 inside and k |z| outside, together `inside`; psi^2 is z^2 and k^2.
    influence = inside - 2.0 * k * density + 2.0 * k**2 * outside
    return NormalNoise(inside / weight, influence * weight / inside**2)
