"""Findings about the unit of a motion: degrees or millimetres instead of radians and metres."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array

from .comparison import Finding
from .evidence.evidence import Evidence
from .explanations.observations import Observations

# Positions and speeds beyond this multiple of the largest limit are in another unit: recorded
# joints are within their limits, while a degree is 57 times as much as a radian.
FAR_POSITION, FAR_SPEED = 3.0, 10.0


def unit_findings(
    model: RobotModel, evidence: Sequence[Evidence], observations: Observations
) -> Iterator[Finding]:
    """Joints whose motion is far outside the limits of the description.

    Args:
        model: whose joints they are.
        evidence: of each recording.
        observations: windows of all of them.
    """
    positions = _largest_positions(model, evidence)
    speeds = np.abs(observations.velocities).max(axis=0, initial=0.0)
    ranges = np.maximum(np.abs(model.lower), np.abs(model.upper))
    far = _beyond(positions, FAR_POSITION, ranges)
    fast = _beyond(speeds, FAR_SPEED, model.velocity_limits)
    which = np.flatnonzero(far | fast)
    if not len(which):
        return
    worst = int(which[np.argmax(positions[which])])
    sliding = model.independent_joints[worst].kind == 'prismatic'
    unit, wanted, other = ('m', 'm', 'millimetres') if sliding else ('rad', 'rad', 'degrees')
    yield Finding(
        'units',
        tuple(model.joint_names[joint] for joint in which),
        float(positions[worst]),
        f'The motion is far outside the limits: {model.joint_names[worst]} has positions up to '
        f'{positions[worst]:.3g} {unit} (limit {ranges[worst]:.3g}) and speeds up to '
        f'{speeds[worst]:.3g} {unit}/s (limit {model.velocity_limits[worst]:.3g}): {other}? '
        f'Record {wanted}. No other finding about the robot is looked for.',
    )


def _largest_positions(model: RobotModel, evidence: Sequence[Evidence]) -> Array:
    spans = [np.abs(one.span).max(axis=0) for one in evidence if one.count]
    largest: Array = np.max(spans, axis=0) if spans else np.zeros(model.size)
    return largest


def _beyond(values: Array, factor: float, limits: Array) -> npt.NDArray[np.bool_]:
    """Which values (n,) are far beyond their limits; a limit of 0 or infinity is none."""
    known = np.isfinite(limits) & (limits > 0.0)
    beyond: npt.NDArray[np.bool_] = known & (values > factor * np.where(known, limits, 0.0))
    return beyond
