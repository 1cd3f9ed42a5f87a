"""Findings about motions: in another unit, or with velocities of something else."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.recordings import Motion
from robot_dynamics_ros.recordings.quality import Quality

from .evidence import Reach
from .findings import TABLE, Finding

# Positions and speeds beyond this multiple of the largest limit are in another unit: recorded
# joints are within their limits, while a degree is 57 times as much as a radian.
FAR_POSITION, FAR_SPEED = 3.0, 10.0
# A joint whose positions change more slowly, root mean square, is not judged [rad/s], [m/s].
TURNING, SLIDING = 0.05, 0.01
# RMS of a velocity that is zero, of that of the derivative.
ZERO = 0.02
# Correlations from which on two signals are the same but for a factor, and below which they are
# different ones: noise, and the filter of a driver, lie between.
ALIKE, UNLIKE = 0.9, 0.5
# Neither the filter of a driver nor differences of samples at four times the cutoff change a
# velocity by more than this factor.
FACTOR = 1.6
# What a factor says, to 5 %.
NEAR = 0.05
UNITS = {
    -1.0: 'with the opposite sign',
    180.0 / np.pi: 'as deg/s beside rad',
    np.pi / 180.0: 'as rad/s beside degrees',
    30.0 / np.pi: 'as turns per minute beside rad',
    1e3: 'as mm/s beside m',
    1e-3: 'as m/s beside mm',
}


def motion_findings(model: RobotModel, reach: Reach, quality: Quality) -> list[Finding]:
    """Joints whose motion is in another unit, or whose velocities are not those of the motion."""
    velocities = _velocity_findings(model, reach.excerpts)
    wrong = [name for one in velocities for name in one.joints]
    speeds = np.where(np.isin(model.joint_names, wrong), 0.0, reach.speeds)
    return [*_unit_finding(model, np.abs(reach.span).max(axis=0), speeds, quality), *velocities]


def check_motion(name: str, model: RobotModel, reach: Reach, quality: Quality) -> None:
    """Refuse a recording whose motion is in another unit, or has velocities of something else.

    Raises:
        RecordingError: it has `units`.
    """
    for wrong in motion_findings(model, reach, quality):
        raise RecordingError(f'{name}: {wrong.code}: {wrong.message} {TABLE[wrong.code].advice}')


def _unit_finding(
    model: RobotModel, positions: Array, speeds: Array, quality: Quality
) -> list[Finding]:
    """That positions (n,) or speeds (n,) are far outside the limits, or jump as degrees do."""
    if quality.jumps_often:
        # Also of what was cut out.
        cut = [quality.largest.get(name, 0.0) for name in model.joint_names]
        positions = np.maximum(positions, cut)
    ranges = np.maximum(np.abs(model.lower), np.abs(model.upper))
    far = np.zeros(model.size, dtype=bool)
    for values, factor, limits in (
        (positions, FAR_POSITION, ranges),
        (speeds, FAR_SPEED, model.velocity_bounds),
    ):
        far |= (limits > 0.0) & (values > factor * limits)
    which = np.flatnonzero(far)
    if len(which):
        worst = int(which[np.argmax(positions[which])])
        unit, other = ('m', 'millimetres') if model.sliding[worst] else ('rad', 'degrees')
        text = (
            f'{positions[worst]:.3g} {unit} (limit {ranges[worst]:.3g}) and {speeds[worst]:.3g} '
            f'{unit}/s (limit {model.velocity_limits[worst]:.3g}) are reached by '
            f'{model.joint_names[worst]}: far outside the limits, {other}?'
        )
        joints = tuple(model.joint_names[joint] for joint in which)
        return [Finding('units', joints, float(positions[worst]), text)]
    if quality.unit_doubt:
        joint, farthest = quality.farthest
        return [Finding('units', (joint,), farthest, f'{quality.unit_doubt}.')]
    return []


def _velocity_findings(model: RobotModel, windows: Iterable[Motion]) -> list[Finding]:
    """Joints whose velocities are not the derivatives of their positions, by the reason."""
    count, sums = 0, np.zeros((3, model.size))
    for window in windows:
        v, rates = window.velocities, np.gradient(window.positions, 1.0 / window.rate, axis=0)
        sums += (v**2).sum(axis=0), (rates**2).sum(axis=0), (v * rates).sum(axis=0)
        count += len(rates)
    speeds, slopes = np.sqrt(sums[:2] / max(count, 1))
    groups: dict[str, list[int]] = {}
    gains = np.zeros(model.size)
    for joint in np.flatnonzero(slopes > np.where(model.sliding, SLIDING, TURNING)).tolist():
        gain = gains[joint] = sums[2, joint] / sums[1, joint]
        likeness = gain * slopes[joint] / speeds[joint] if speeds[joint] else 0.0
        if abs(likeness) > ALIKE:
            if 1.0 / FACTOR <= gain <= FACTOR:
                continue
            near = (
                text for factor, text in UNITS.items() if math.isclose(gain, factor, rel_tol=NEAR)
            )
            why = next(near, 'in another unit, or the stamps run at another speed')
        elif speeds[joint] < ZERO * slopes[joint]:
            why = 'which change'
        elif abs(likeness) < UNLIKE:
            why = 'which they do not follow'
        else:
            continue
        groups.setdefault(why, []).append(joint)
    found = []
    for why, joints in groups.items():
        names = tuple(model.joint_names[joint] for joint in joints)
        gain = float(np.median(gains[joints]))
        text = (
            f'The velocities of {", ".join(names)} are {gain:.3g} times the derivatives of the '
            f'positions, {why}.'
        )
        found.append(Finding('units', names, gain, text))
    return found
