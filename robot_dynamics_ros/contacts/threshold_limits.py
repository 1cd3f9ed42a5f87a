"""Thresholds that no contact exceeds, because they are above the effort limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robot_dynamics_ros.control.external.thresholds import BANDS
from robot_dynamics_ros.control.torque_text import torque_text
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.findings import listed


def above_limits(joints: Sequence[str], units: Sequence[str], limits: Array, means: Array) -> str:
    """Which thresholds are above the effort limits, as a clause; empty where they are below.

    Args:
        joints: names, k of them.
        units: (k) of their torques or forces.
        limits: (k,) effort limits [N m or N]; infinite for none.
        means: (2, k) thresholds of collision and push, on average along a recording or at rest
            [N m or N].
    """
    found = [
        f'{BANDS[row]} {torque_text(means[row, joint], units[joint])} of {joints[joint]} (limit '
        f'{torque_text(limits[joint], units[joint])})'
        for row, joint in np.argwhere(means > limits).tolist()
    ]
    if not found:
        return ''
    return f'thresholds above the effort limits, which contacts hardly exceed: {listed(found)}'
