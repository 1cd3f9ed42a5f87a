"""Full parameters from base parameters and the description."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..observability import BaseParameters


def completed(base: BaseParameters, values: Array, scales: Array) -> Array:
    """The parameters (p,) with these base parameters that are nearest to the description.

    Nearest in units of plausible parameters: pi = pi_0 + S^2 K^T (K S^2 K^T)^-1 (beta - K pi_0)
    with K the combination and S the scales. Known parameters, and those that the data do not
    tell, are those of the description.

    Args:
        base: what the data determine.
        values: (b,) base parameters.
        scales: (p,) plausible magnitudes of the parameters.
    """
    described = base.layout.nominal()
    free = np.where(base.layout.is_known, 0.0, scales)
    free[list(base.undetermined_columns)] = 0.0
    # In units of the scales: (b, p), with the identity in the independent columns.
    spread = base.combination * free / free[list(base.columns), None]
    missing = (values - base.values(described)) / free[list(base.columns)]
    change, *_ = np.linalg.lstsq(spread, missing, rcond=None)
    parameters: Array = described + free * change
    return parameters
