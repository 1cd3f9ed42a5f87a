"""The limits that a trajectory keeps, and what is assumed where a URDF gives none."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.sampling import position_range
from robot_dynamics_ros.core.model.tree import Joint

# Where the URDF gives no velocity limit [rad/s], [m/s].
ASSUMED_ANGULAR_SPEED, ASSUMED_LINEAR_SPEED = 1.0, 0.25
# A URDF gives no acceleration limit: a joint reaches its largest speed in this time [s].
RISE_TIME = 0.25


@dataclass(frozen=True)
class MotionLimits:
    """Limits of the independent joints, each (n,), in SI units; mimic joints keep theirs too.

    Attributes:
        middle: of the range of positions.
        half: of the range of positions.
        velocity: largest speeds.
        acceleration: largest accelerations.
        effort: largest torques and forces; infinite where there is no limit.
        assumptions: what the URDF does not give, as sentences.
    """

    middle: Array
    half: Array
    velocity: Array
    acceleration: Array
    effort: Array
    assumptions: tuple[str, ...] = ()

    @classmethod
    def of(cls, model: RobotModel, acceleration: float | None) -> MotionLimits:
        """The limits of a robot.

        Args:
            model: the robot.
            acceleration: largest of each joint; None: the velocity limit within `RISE_TIME`.

        Raises:
            ParameterError: a joint that is not continuous has no position limits, or a mimic
                joint cannot keep its limits.
        """
        joints = model.independent_joints
        # A motion of the hardware must not guess a range.
        if unknown := [
            f'{joint.name} ({joint.kind}, {joint.limits.lower:g} to {joint.limits.upper:g})'
            for joint in joints
            if joint.kind != 'continuous' and not _has_limits(joint)
        ]:
            raise ParameterError(
                f'no usable position limits in the URDF: {", ".join(unknown)}. Give lower and '
                'upper limits of the hardware, or leave these joints out with --joints'
            )
        ranges = np.array([position_range(joint) for joint in joints])
        speeds = np.array([_speed(joint) for joint in joints])
        for joint in model.joints:
            if joint.mimicked is not None:
                _narrow(ranges, speeds, joint)
        assumed = {
            'no position limits: taken as 3.14 rad to each side of zero': [
                joint.name for joint in joints if joint.kind == 'continuous'
            ],
            f'no velocity limit: taken as {ASSUMED_ANGULAR_SPEED:g} rad/s or '
            f'{ASSUMED_LINEAR_SPEED:g} m/s': [
                joint.name for joint in joints if math.isinf(joint.limits.known.velocity)
            ],
            'no effort limit: taken as none': [
                joint.name for joint in joints if math.isinf(joint.limits.known.effort)
            ],
            f'no acceleration limits: the velocity limit is reached in {RISE_TIME:g} s; give those'
            ' of the robot with --acceleration': ['all joints'] if acceleration is None else [],
        }
        return cls(
            ranges.mean(axis=1),
            np.ptp(ranges, axis=1) / 2.0,
            speeds,
            speeds / RISE_TIME if acceleration is None else np.full(len(joints), acceleration),
            model.effort_bounds,
            tuple(f'{", ".join(names)}: {what}' for what, names in assumed.items() if names),
        )


def _has_limits(joint: Joint) -> bool:
    """Whether its position limits are a range that can be meant."""
    return position_range(joint) == (joint.limits.lower, joint.limits.upper)


def _narrow(ranges: Array, speeds: Array, mimic: Joint) -> None:
    """Narrow ranges (n, 2) and speeds (n,) in place, so that a mimic joint keeps its limits."""
    coordinate = mimic.coordinate
    index, multiplier = coordinate.index, coordinate.multiplier
    # Without limits of its own, it is limited by the joint that it mimics.
    if multiplier == 0.0 or not _has_limits(mimic):
        return
    ends = (np.array(position_range(mimic)) - coordinate.offset) / multiplier
    ranges[index] = max(ranges[index, 0], ends.min()), min(ranges[index, 1], ends.max())
    if ranges[index, 0] >= ranges[index, 1]:
        raise ParameterError(
            f'{mimic.name} mimics {mimic.mimicked}, and their position limits have no position in '
            'common: correct the URDF'
        )
    speeds[index] = min(speeds[index], mimic.limits.known.velocity / abs(multiplier))


def _speed(joint: Joint) -> float:
    limit = joint.limits.known.velocity
    if limit < math.inf:
        return limit
    return ASSUMED_LINEAR_SPEED if joint.kind == 'prismatic' else ASSUMED_ANGULAR_SPEED
