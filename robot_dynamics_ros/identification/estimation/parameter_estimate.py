"""An estimate of the parameters, with its uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from robot_dynamics_ros.core.checks import Array

from ..parameters.parameter_layout import ParameterLayout
from ..regression import ReducedEquations

Method = Literal['robust', 'consistent']


@dataclass(frozen=True)
class Estimate:
    """Parameters, and what is known of their errors.

    Attributes:
        layout: of the parameters.
        parameters: (p,) full ones; what data do not tell is as described.
        covariance: (p, p) of these; what data do not tell has that of the prior.
        plausible: (p,) plausible magnitudes: what is known of parameters without data.
        noise: (r,) standard deviation of an equation [N m, N or W].
        reduced: the equations, with the weights of the estimate.
        method: 'robust', or 'consistent' where each body is physically possible.
    """

    layout: ParameterLayout
    parameters: Array
    covariance: Array
    plausible: Array
    noise: Array
    reduced: ReducedEquations
    method: Method = 'robust'

    @property
    def weight(self) -> float:
        """Mean weight of the equations, 1 where no sample is far off."""
        total = float(self.reduced.counts.sum())
        return float(self.reduced.weights.sum()) / total if total else 1.0
