"""Findings about motions: in degrees or millimetres, or with velocities of something else."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array

from .comparison import Finding
from .evidence.evidence import Evidence
from .velocity_findings import velocity_findings

if TYPE_CHECKING:
    from robot_dynamics_ros.recordings.quality import Quality

# Positions and speeds beyond this multiple of the largest limit are in another unit: recorded
# joints are within their limits, while a degree is 57 times as much as a radian.
FAR_POSITION, FAR_SPEED = 3.0, 10.0
NO_OTHER = 'No other finding about the robot is looked for.'


def without_wrong_motions(model: RobotModel, evidence: Sequence[Evidence]) -> list[Evidence]:
    """The same, but recordings whose motion is not that of the others have an error.

    All stay as they are where none is in rad and m: then `motion_findings` tells it.

    Args:
        model: whose joints they are.
        evidence: of each recording.
    """
    found = [next(motion_findings(model, [one]), None) if one.count else None for one in evidence]
    if all(wrong or not one.count for one, wrong in zip(evidence, found, strict=True)):
        return list(evidence)
    return [
        one
        if wrong is None
        else Evidence.of_nothing(one.file, one.topic, one.joints, _error(one.file, wrong))
        for one, wrong in zip(evidence, found, strict=True)
    ]


def _error(file: str, wrong: Finding) -> str:
    text = wrong.message.removesuffix(NO_OTHER).strip().removeprefix(f'{file}: ')
    return f'{file}: {text} This recording is left out.'


def motion_findings(model: RobotModel, evidence: Sequence[Evidence]) -> Iterator[Finding]:
    """Joints whose motion is in another unit, or whose velocities are not those of the motion.

    Args:
        model: whose joints they are.
        evidence: of each recording.
    """
    windows = [window for one in evidence for window in one.excerpts]
    found = list(velocity_findings(model, windows))
    wrong = {name for one in found for name in one.joints}
    yield from _unit_findings(model, evidence, wrong)
    for one in found:
        yield replace(one, message=f'{one.message} {NO_OTHER}')


def _unit_findings(
    model: RobotModel, evidence: Sequence[Evidence], wrong: Collection[str]
) -> Iterator[Finding]:
    """Joints whose motion is far outside the limits of the description.

    Args:
        model: whose joints they are.
        evidence: of each recording.
        wrong: joints whose velocities do not count.
    """
    right = ~np.isin(model.joint_names, list(wrong))
    positions = _largest_positions(model, evidence)
    speeds = np.where(right, _largest_speeds(model, evidence), 0.0)
    found = other_unit(model, positions, speeds)
    if found is None:
        yield from _doubts(evidence)
    else:
        yield replace(found, message=f'{found.message} {NO_OTHER}')


def other_unit(model: RobotModel, positions: Array, speeds: Array) -> Finding | None:
    """The finding that a motion is far outside the limits; None where it is not.

    Args:
        model: whose joints they are.
        positions: (n,) largest absolute position of each joint [rad or m].
        speeds: (n,) largest absolute velocity of each joint [rad/s or m/s].
    """
    ranges = np.maximum(np.abs(model.lower), np.abs(model.upper))
    far = _beyond(positions, FAR_POSITION, ranges)
    fast = _beyond(speeds, FAR_SPEED, model.velocity_bounds)
    which = np.flatnonzero(far | fast)
    if not len(which):
        return None
    worst = int(which[np.argmax(positions[which])])
    sliding = model.independent_joints[worst].kind == 'prismatic'
    unit, wanted, other = ('m', 'm', 'millimetres') if sliding else ('rad', 'rad', 'degrees')
    return Finding(
        'units',
        tuple(model.joint_names[joint] for joint in which),
        float(positions[worst]),
        f'The motion is far outside the limits: {model.joint_names[worst]} has positions up to '
        f'{positions[worst]:.3g} {unit} (limit {ranges[worst]:.3g}) and speeds up to '
        f'{speeds[worst]:.3g} {unit}/s (limit {model.velocity_limits[worst]:.3g}): {other}? '
        f'Record {wanted}.',
    )


def doubt_of(quality: Quality) -> Finding | None:
    """The finding that the jumps of a recording look like another unit; None without them."""
    if not quality.unit_doubt:
        return None
    joint, reach = quality.farthest
    return Finding('units', (joint,), reach, f'{quality.unit_doubt}.')


def _doubts(evidence: Sequence[Evidence]) -> Iterator[Finding]:
    """What recordings of a robot without limits show by themselves."""
    for one in evidence:
        found = None if one.quality is None else doubt_of(one.quality)
        if found is not None:
            yield replace(found, message=f'{one.file}: {found.message} {NO_OTHER}')
            return


def _largest_positions(model: RobotModel, evidence: Sequence[Evidence]) -> Array:
    """Of each joint (n,), also of what was cut out where positions jump often."""
    reached = [np.abs(one.span).max(axis=0) for one in evidence if one.count]
    for one in evidence:
        if one.quality is not None and one.quality.jumps_often:
            largest = one.quality.largest
            reached.append(np.array([largest.get(name, 0.0) for name in model.joint_names]))
    result: Array = np.max(reached, axis=0) if reached else np.zeros(model.size)
    return result


def _largest_speeds(model: RobotModel, evidence: Sequence[Evidence]) -> Array:
    """Of each joint (n,), in the windows."""
    speeds = [np.abs(window.velocities).max(axis=0) for one in evidence for window in one.excerpts]
    result: Array = np.max(speeds, axis=0) if speeds else np.zeros(model.size)
    return result


def _beyond(values: Array, factor: float, limits: Array) -> npt.NDArray[np.bool_]:
    """Which values (n,) are far beyond their limits; a limit of 0 or infinity is none."""
    known = np.isfinite(limits) & (limits > 0.0)
    beyond: npt.NDArray[np.bool_] = known & (values > factor * np.where(known, limits, 0.0))
    return beyond
