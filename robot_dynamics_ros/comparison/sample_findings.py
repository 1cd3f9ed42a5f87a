"""Findings about the samples: units, velocities, efforts that are not measured, what was cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.core.friction import dead_bands
from robot_dynamics_ros.core.model.findings import listed
from robot_dynamics_ros.recordings import Motion, Recording
from robot_dynamics_ros.recordings.quality import OFTEN, Quality

from .findings import TABLE, Finding
from .observations import MIN_ROWS, Observations
from .recorded_joints import names_of

# Positions and speeds beyond this multiple of the largest limit are in another unit: recorded
# joints are within their limits, while a degree is 57 times as much as a radian.
FAR_POSITION, FAR_SPEED = 3.0, 10.0
# RMS of the difference of velocities and derivatives of positions, of that of the derivatives: the
# differences of samples at four times the cutoff, and filters of drivers, make less of it.
UNLIKE = 0.6
# A joint that moves less stands still [rad or m].
STILL = 1e-3


def motion_findings(
    model: RobotModel, motions: Iterable[Motion], quality: Quality
) -> list[Finding]:
    """Joints whose motion is in another unit, or whose velocities are not those of the motion."""
    (positions, speeds), sums, count = np.zeros((2, model.size)), np.zeros((3, model.size)), 0
    for motion in motions:
        q, v = motion.positions, motion.velocities
        positions, speeds = np.maximum((positions, speeds), np.abs([q, v]).max(axis=1, initial=0))
        if len(motion) > 1:
            rates = np.gradient(q, 1.0 / motion.rate, axis=0)
            sums += np.stack([v**2, rates**2, v * rates]).sum(axis=1)
            count += len(motion)
    squares, slopes, both = sums / max(count, 1)
    wrong = squares - 2.0 * both + slopes > UNLIKE**2 * slopes
    wrong &= slopes > dead_bands(model) ** 2
    found = []
    if quality.jumps_often:
        # Also of what was cut out.
        cut = [quality.largest.get(name, 0.0) for name in model.joint_names]
        positions = np.maximum(positions, cut)
    ranges = np.maximum(np.abs(model.lower), np.abs(model.upper))
    far = (ranges > 0.0) & (positions > FAR_POSITION * ranges)
    fast = (model.velocity_bounds > 0.0) & (speeds > FAR_SPEED * model.velocity_bounds)
    # Velocities of something else say nothing of the unit.
    far |= fast & ~wrong
    if far.any():
        worst = int(np.argmax(positions * far))
        name, limit = model.joint_names[worst], model.velocity_limits[worst]
        unit, other = ('m', 'mm') if model.sliding[worst] else ('rad', 'degrees')
        reached = f'{positions[worst]:.3g} {unit}, {speeds[worst]:.3g} {unit}/s at {name}'
        text = f'{reached}, limits {ranges[worst]:.3g}, {limit:.3g}: {other}?'
        found.append(Finding('units', names_of(model, far), float(positions[worst]), text))
    elif quality.unit_doubt:
        joint, farthest, text = quality.unit_doubt
        found.append(Finding('units', (joint,), farthest, text))
    if wrong.any():
        gain = float(np.median(both[wrong] / slopes[wrong]))
        text = f'velocities {gain:.3g} times the derivatives of the positions'
        found.append(Finding('units', names_of(model, wrong), gain, text))
    return found


def check_motion(name: str, model: RobotModel, recording: Recording) -> None:
    """Refuse a recording whose motion is in another unit, or has velocities of something else.

    Raises:
        RecordingError: it has `units`.
    """

    def motions() -> Iterator[Motion]:
        # What is too short for the filter is not judged.
        with suppress(RecordingError):
            yield from recording.motions(efforts=False)

    for wrong in motion_findings(model, motions(), recording.quality):
        raise RecordingError(f'{name}: {wrong.head}: {wrong.message}. {TABLE[wrong.code].advice}')


def sample_findings(seen: Observations, quality: Quality, remark: str) -> Iterator[Finding]:
    """What is wrong with a recording."""
    torques, model, samples = seen.torques, seen.torques.model, seen.samples
    if torques.missing:
        unknown = f'; not judged: {listed(torques.dependent, 3)}' if torques.dependent else ''
        text = f'not recorded, though the position matters{unknown}'
        yield Finding('missing', (*torques.missing, *torques.dependent), None, text, more=remark)
    if still := names_of(model, np.ptp(samples.positions, axis=0) < STILL):
        yield Finding('still', still, None, 'no motion')
    elif len(seen.times) < MIN_ROWS:
        duration = len(samples.times) / seen.motions[0].rate
        yield Finding('short', (), duration, f'{duration:.3g} s of motion', 's')
    groups: dict[tuple[str, float | None], list[str]] = {}
    for joint, name in enumerate(model.joint_names):
        efforts = samples.measured[:, joint]
        if why := _no_effort(name, efforts[np.isfinite(efforts)], quality, seen.silent[joint]):
            groups.setdefault(why, []).append(name)
    for (text, value), joints in groups.items():
        yield Finding('no_effort', tuple(joints), value, text)
    for name, number, text in quality.counts():
        few = name == 'dropouts' and number <= OFTEN * quality.samples
        # Counts that are findings of another code, or that say nothing of the samples.
        if not (few or name in ('without_efforts', 'of_other_joints')):
            yield Finding('samples', (), float(number), text)


def _no_effort(
    name: str, efforts: Array, quality: Quality, is_noise: bool
) -> tuple[str, float | None] | None:
    """Why the effort of a joint is not measured, always or in so many samples; None if it is."""
    if name in quality.implausible:
        found = quality.implausible[name]
        return found.sentence(name), float(found.count)
    if not len(efforts):
        return 'no effort is measured, NaN or empty', None
    # Filtered, a constant is constant but for rounding.
    if np.ptp(efforts) <= 1e-6 * abs(efforts[0]):
        return f'the effort is {efforts[0]:.3g} throughout: the driver does not measure it', None
    if is_noise:
        return 'the effort is noise about 0: the driver does not measure it', None
    lost = quality.missing_efforts.get(name, 0)
    return (f'{lost} efforts are NaN or infinite: not used', float(lost)) if lost else None
