"""Findings about the samples: units, velocities, efforts that are not measured, what was cut."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.core.model.findings import listed
from robot_dynamics_ros.recordings import Motion
from robot_dynamics_ros.recordings.quality import Quality

from .findings import TABLE, Finding
from .observations import MIN_ROWS, Observations

# Positions and speeds beyond this multiple of the largest limit are in another unit: recorded
# joints are within their limits, while a degree is 57 times as much as a radian.
FAR_POSITION, FAR_SPEED = 3.0, 10.0
# A joint whose positions change more slowly, root mean square, is not judged [rad/s], [m/s].
TURNING, SLIDING = 0.05, 0.01
# A joint that moves less stands still [rad or m].
STILL = 1e-3
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
# Share of the samples from which on dropouts are reported.
DROPOUTS = 0.01
# Counts that are findings of another code, or that say nothing of the samples.
OTHERS = ('without_efforts', 'of_other_joints')


class Reach:
    """How far and how fast the joints of a recording move, and how their velocities fit.

    Attributes:
        span: (2, n) smallest and largest position of each joint [rad or m].
        speeds: (n,) largest absolute velocity of each joint [rad/s or m/s].
        efforts: (2, n) smallest and largest effort of each joint; infinite without one [N m or N].
    """

    def __init__(self, size: int) -> None:
        """Begin with no sample of n joints."""
        nowhere = np.outer([np.inf, -np.inf], np.ones(size))
        self.span, self.efforts, self.speeds = nowhere, nowhere.copy(), np.zeros(size)
        self._sums, self._count = np.zeros((3, size)), 0

    def add(self, motion: Motion) -> None:
        """Take a motion; NaN does not count."""
        for ends, values in (self.span, motion.positions), (self.efforts, motion.efforts):
            np.fmin(ends[0], np.fmin.reduce(values), out=ends[0])
            np.fmax(ends[1], np.fmax.reduce(values), out=ends[1])
        v = motion.velocities
        np.maximum(self.speeds, np.abs(v).max(axis=0), out=self.speeds)
        if len(motion) > 1:
            rates = np.gradient(motion.positions, 1.0 / motion.rate, axis=0)
            self._sums += (v**2).sum(axis=0), (rates**2).sum(axis=0), (v * rates).sum(axis=0)
            self._count += len(motion)

    def velocities(self) -> Array:
        """Mean squares of velocities, of derivatives, and means of their products (3, n)."""
        return self._sums / max(self._count, 1)


def motion_findings(model: RobotModel, reach: Reach, quality: Quality) -> list[Finding]:
    """Joints whose motion is in another unit, or whose velocities are not those of the motion."""
    velocities = [*_velocity_findings(model, reach)]
    wrong = [name for one in velocities for name in one.joints]
    speeds = np.where(np.isin(model.joint_names, wrong), 0.0, reach.speeds)
    return [*_unit_finding(model, np.abs(reach.span).max(axis=0), speeds, quality), *velocities]


def check_motion(name: str, model: RobotModel, reach: Reach, quality: Quality) -> None:
    """Refuse a recording whose motion is in another unit, or has velocities of something else.

    Raises:
        RecordingError: it has `units`.
    """
    for wrong in motion_findings(model, reach, quality):
        raise RecordingError(f'{name}: {wrong.head}: {wrong.message}. {TABLE[wrong.code].advice}')


def _unit_finding(
    model: RobotModel, positions: Array, speeds: Array, quality: Quality
) -> Iterator[Finding]:
    """That positions (n,) or speeds (n,) are far outside the limits, or jump as degrees do."""
    if quality.jumps_often:
        # Also of what was cut out.
        cut = [quality.largest.get(name, 0.0) for name in model.joint_names]
        positions = np.maximum(positions, cut)
    ranges = np.maximum(np.abs(model.lower), np.abs(model.upper))
    far = (ranges > 0.0) & (positions > FAR_POSITION * ranges)
    far |= (model.velocity_bounds > 0.0) & (speeds > FAR_SPEED * model.velocity_bounds)
    which = np.flatnonzero(far)
    if len(which):
        worst = int(which[np.argmax(positions[which])])
        unit, other = ('m', 'mm') if model.sliding[worst] else ('rad', 'degrees')
        text = (
            f'{positions[worst]:.3g} {unit}, {speeds[worst]:.3g} {unit}/s at '
            f'{model.joint_names[worst]}, limits {ranges[worst]:.3g}, '
            f'{model.velocity_limits[worst]:.3g}: {other}?'
        )
        joints = tuple(model.joint_names[joint] for joint in which)
        yield Finding('units', joints, float(positions[worst]), text)
    elif quality.unit_doubt:
        joint, farthest = quality.farthest
        yield Finding('units', (joint,), farthest, quality.unit_doubt)


def _velocity_findings(model: RobotModel, reach: Reach) -> Iterator[Finding]:
    """Joints whose velocities are not the derivatives of their positions, by the reason."""
    squares = reach.velocities()
    speeds, slopes = np.sqrt(squares[:2])
    groups: dict[str, list[int]] = {}
    gains = squares[2] / np.maximum(squares[1], np.finfo(float).tiny)
    for joint in np.flatnonzero(slopes > np.where(model.sliding, SLIDING, TURNING)).tolist():
        gain = gains[joint]
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
    for why, joints in groups.items():
        names, gain = tuple(model.joint_names[joint] for joint in joints), np.median(gains[joints])
        text = f'velocities {gain:.3g} times the derivatives of the positions, {why}'
        yield Finding('units', names, float(gain), text)


def sample_findings(
    seen: Observations, reach: Reach, quality: Quality, remark: str
) -> list[Finding]:
    """What is wrong with a recording."""
    torques, found = seen.torques, []
    names = torques.model.joint_names
    if torques.missing:
        text = 'not recorded, though the position matters'
        if torques.dependent:
            text += f'; not judged: {listed(torques.dependent, 3)}'
        joints = (*torques.missing, *torques.dependent)
        found.append(Finding('missing', joints, None, text, more=remark))
    if still := tuple(np.array(names)[reach.span[1] - reach.span[0] < STILL].tolist()):
        found.append(Finding('still', still, None, 'no motion'))
    elif len(seen.rows.times) < MIN_ROWS:
        duration = len(seen.samples.times) / seen.motions[0].rate if seen.motions else 0.0
        found.append(Finding('short', (), duration, f'{duration:.3g} s of motion', 's'))
    return [*found, *_efforts(names, seen, reach, quality), *_samples(quality)]


def _efforts(
    names: tuple[str, ...], seen: Observations, reach: Reach, quality: Quality
) -> Iterator[Finding]:
    """Joints whose effort is not measured, always or for a while, by the reason."""
    low, high = reach.efforts
    groups: dict[tuple[str, float | None], list[str]] = {}
    for joint, name in enumerate(names):
        value = None
        if name in quality.implausible:
            efforts = quality.implausible[name]
            value, why = float(efforts.count), efforts.sentence(name)
        elif not np.isfinite(low[joint]):
            why = 'no effort is measured, NaN or empty'
        elif low[joint] == high[joint] == 0.0:
            why = 'the effort is 0 throughout: the driver does not measure it'
        # Filtered, a constant is constant but for rounding.
        elif high[joint] - low[joint] <= 1e-6 * abs(high[joint]):
            why = 'the effort is one and the same throughout'
        elif seen.silent[joint]:
            why = 'the effort is noise about 0: the driver does not measure it'
        elif lost := quality.missing_efforts.get(name, 0):
            value, why = float(lost), f'{lost} efforts are NaN or infinite: not used'
        else:
            continue
        groups.setdefault((why, value), []).append(name)
    for (why, value), joints in groups.items():
        yield Finding('no_effort', tuple(joints), value, why)


def _samples(quality: Quality) -> Iterator[Finding]:
    """The counts that are not zero."""
    for one in quality.counts():
        few = one.name == 'dropouts' and one.number <= DROPOUTS * quality.samples
        if one.number and not few and one.name not in OTHERS:
            yield Finding('samples', (), float(one.number), str(one))
