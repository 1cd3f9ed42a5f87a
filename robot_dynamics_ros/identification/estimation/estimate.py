"""What an estimate is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from robot_dynamics_ros.core.checks import Array

from ..parameters.parameter_layout import ParameterLayout

Method = Literal['weighted', 'robust', 'consistent']


@dataclass(frozen=True)
class Estimate:
    """Parameters of a robot from its data.

    Attributes:
        layout: of the parameters.
        parameters: (p,) base parameters of the data, completed by the description.
        base_columns: (b,) columns of the base parameters, those of `BaseParameters.columns`.
        base_covariance: (b, b) of the base parameters.
        noise: (r,) standard deviation of each equation: of each joint [N m or N], or of the
            power [W]; zero for an equation that was never used.
        method: 'weighted', 'robust' or 'consistent'.
        least_noise: of a consistent estimate: what was taken for the noise of a joint at least,
            as a share of its torque.
        prior_weight: of a consistent estimate: how many equations the prior of a parameter is
            worth.
    """

    layout: ParameterLayout
    parameters: Array
    base_columns: tuple[int, ...]
    base_covariance: Array
    noise: Array
    method: Method
    least_noise: float = 0.0
    prior_weight: float = 1.0
