"""Huber's weights: equations that are far off count less.

Sources: P. J. Huber, Robust estimation of a location parameter, Annals of Mathematical Statistics
35, 1964; A. Janot, P.-O. Vandanjon, M. Gautier, A generic instrumental variable approach for
industrial robot identification, IEEE Transactions on Control Systems Technology 22, 2014.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..regression import EquationBlock

# Standard deviations from which on an equation counts less: of noise, one of twenty.
FAR = 2.0


@dataclass(frozen=True)
class RobustWeights:
    """The weights of equations, by their residuals; plain data, which any process may apply.

    Attributes:
        parameters: (p,) by which the residuals are computed.
        noise: (r,) standard deviation of an equation [N m, N or W].
    """

    parameters: Array
    noise: Array

    def __call__(self, block: EquationBlock) -> Array:
        """Those of a block (m, r), at most 1.

        Args:
            block: of equations.
        """
        left = np.abs(block.torques - block.rows @ self.parameters)
        bound = np.broadcast_to(FAR * self.noise, left.shape)
        weights: Array = bound / np.maximum(np.maximum(left, bound), np.finfo(float).tiny)
        return np.where(bound > 0.0, weights, 1.0)
