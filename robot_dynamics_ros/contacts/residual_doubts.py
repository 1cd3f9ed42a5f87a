"""What the size of the external torques tells of a recording without given thresholds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robot_dynamics_ros.control.external_forces.detection.threshold_floor import UNKNOWN_LIMIT
from robot_dynamics_ros.control.torque_text import joint_torques
from robot_dynamics_ros.core.checks import Array

from .joint_residuals import JointResiduals

# Share of the effort limit that the root of the mean square is large from [-]: identified arms
# without a contact have at most 0.035 (docs/external_forces.md).
LARGE = 0.05


def residual_doubt(
    joints: Sequence[str], units: Sequence[str], residuals: JointResiduals, limits: Array
) -> str:
    """Why it is not known whether something touches the robot all the time, as a sentence.

    Args:
        joints: names, k of them.
        units: (k) of their torques or forces.
        residuals: of the recording.
        limits: (k,) effort limits of the joints [N m or N]; not positive or infinite for none.

    Returns:
        Empty where the external torques are small.
    """
    known = (limits > 0.0) & np.isfinite(limits)
    large = np.flatnonzero(residuals.rms > LARGE * np.where(known, limits, UNKNOWN_LIMIT)).tolist()
    if not large:
        return ''
    names, kinds = [joints[row] for row in large], [units[row] for row in large]
    torques = joint_torques(names, residuals.rms[large].tolist(), kinds)
    return (
        f'the external torque is large throughout: RMS of {torques}; either the model is wrong, '
        'or something touches the robot most of the time, which only thresholds of a recording '
        'without contact can tell'
    )
