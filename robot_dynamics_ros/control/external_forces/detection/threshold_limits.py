"""Thresholds that no contact exceeds, because they are above the effort limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.findings import listed

from ...torque_text import torque_text
from .contact_thresholds import PARTS
from .residual_bands import BANDS

# How long a joint accelerates to its velocity limit, for the part that grows with acceleration: an
# arm is faster, so that the part of a good threshold is far below the effort limit [s].
RISE = 1.0


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


def parts_above_limits(
    joints: Sequence[str],
    units: Sequence[str],
    limits: Array,
    speeds: Array,
    coefficients: Array,
) -> str:
    """Which parts that grow with the motion are above the effort limits, each for itself.

    That of speed at the velocity limit, that of acceleration where this limit is reached in
    `RISE`.

    Args:
        joints: names, k of them.
        units: (k) of their torques or forces.
        limits: (k,) effort limits [N m or N]; infinite for none.
        speeds: (k,) velocity limits [rad/s or m/s]; infinite for none.
        coefficients: (2, 3, k) of `ContactThresholds`.

    Returns:
        A clause; empty where all are below.
    """
    known = np.where(np.isfinite(speeds), speeds, 0.0)
    added = coefficients[:, 1:] * np.stack([known, known / RISE])
    found = [
        f'{BANDS[band]}_threshold_{PARTS[1 + part]} of {joints[joint]} adds '
        f'{torque_text(added[band, part, joint], units[joint])} at '
        f'{_motion(part, known[joint], units[joint])} (limit '
        f'{torque_text(limits[joint], units[joint])})'
        for band, part, joint in np.argwhere(added > limits).tolist()
    ]
    return f'parts of thresholds above the effort limits: {listed(found)}' if found else ''


def _motion(part: int, speed: float, unit: str) -> str:
    """The motion at which a part is compared with its limit."""
    length = 'm' if unit == 'N' else 'rad'
    return f'{speed / RISE:.3g} {length}/s^2' if part else f'{speed:.3g} {length}/s'
