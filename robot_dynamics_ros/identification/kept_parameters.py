"""Parameters that no torque depends on, as the description has them.

A solver moves them a little, and the digits of a description would be lost for nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from robot_dynamics_ros.core.errors import InertiaError

from .estimation import Estimate
from .observability import Structure
from .parameters.parameter_layout import BODY


def with_kept_parameters(structure: Structure, final: Estimate) -> Estimate:
    """The same torques, with what no torque depends on as described, if such bodies can exist.

    Args:
        structure: of the robot.
        final: a physically consistent estimate.
    """
    layout = final.layout
    bodies = slice(0, BODY * len(layout.model.joints))
    felt = np.any(structure.combination, axis=0)
    parameters = final.parameters.copy()
    parameters[bodies] = np.where(felt, parameters, layout.nominal())[bodies]
    try:
        layout.model.with_inertial_parameters(parameters[bodies])
    except InertiaError:
        return final
    return replace(final, parameters=parameters)
