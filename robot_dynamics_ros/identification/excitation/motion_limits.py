"""The limits of an excitation motion, and what is assumed where a description gives none."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.sampling import position_range
from robot_dynamics_ros.core.model.tree import Joint

# Where the description gives no velocity limit [rad/s], [m/s].
ASSUMED_ANGULAR_SPEED, ASSUMED_LINEAR_SPEED = 1.0, 0.25
# Descriptions give no acceleration limit: a joint reaches its largest speed in this time [s].
RISE_TIME = 0.25


@dataclass(frozen=True)
class MotionLimits:
    """Limits of the independent joints, each (n,), in SI units; mimic joints keep theirs too.

    Attributes:
        lower: smallest positions.
        upper: largest positions.
        velocity: largest speeds.
        acceleration: largest accelerations.
        effort: largest torques and forces; infinite where there is no limit.
        assumptions: what the description does not give, as sentences.
    """

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    effort: Array
    assumptions: tuple[str, ...] = ()

    @property
    def middle(self) -> Array:
        """Positions (n,) in the middle of their ranges."""
        middle: Array = (self.lower + self.upper) / 2.0
        return middle

    @property
    def half(self) -> Array:
        """Half of the ranges of the positions (n,)."""
        half: Array = (self.upper - self.lower) / 2.0
        return half

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
        _require_limits(joints)
        ranges = np.array([position_range(joint) for joint in joints])
        speeds = np.array([_speed(joint) for joint in joints])
        for joint in model.joints:
            if joint.mimicked is not None:
                _narrow(ranges, speeds, joint)
        accelerations = speeds / RISE_TIME if acceleration is None else acceleration
        return cls(
            ranges[:, 0],
            ranges[:, 1],
            speeds,
            np.broadcast_to(accelerations, speeds.shape),
            model.effort_bounds,
            tuple(_assumptions(joints, acceleration)),
        )


def _has_limits(joint: Joint) -> bool:
    """Whether its position limits are a range that can be meant."""
    return position_range(joint) == (joint.limits.lower, joint.limits.upper)


def _require_limits(joints: tuple[Joint, ...]) -> None:
    """Refuse joints whose range is unknown: a motion of the hardware must not guess it.

    Raises:
        ParameterError: see the message.
    """
    unknown = [
        f'{joint.name} ({joint.kind}, {joint.limits.lower:g} to {joint.limits.upper:g})'
        for joint in joints
        if joint.kind != 'continuous' and not _has_limits(joint)
    ]
    if unknown:
        raise ParameterError(
            f'no usable position limits in the description: {", ".join(unknown)}. Give lower and '
            'upper limits of the hardware, or leave these joints out with --joints'
        )


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
            'common: correct the description'
        )
    speeds[index] = min(speeds[index], mimic.limits.known.velocity / abs(multiplier))


def _speed(joint: Joint) -> float:
    limit = joint.limits.known.velocity
    if limit < math.inf:
        return limit
    return ASSUMED_LINEAR_SPEED if joint.kind == 'prismatic' else ASSUMED_ANGULAR_SPEED


def _assumptions(joints: tuple[Joint, ...], acceleration: float | None) -> list[str]:
    said = []
    for what, value, missing in (
        (
            'position limits', '3.14 rad to each side of zero',
            [j.name for j in joints if j.kind == 'continuous'],
        ),
        (
            'velocity limit', f'{ASSUMED_ANGULAR_SPEED:g} rad/s or {ASSUMED_LINEAR_SPEED:g} m/s',
            [j.name for j in joints if math.isinf(j.limits.known.velocity)],
        ),
        (
            'effort limit', 'none',
            [j.name for j in joints if math.isinf(j.limits.known.effort)],
        ),
    ):  # fmt: skip
        if missing:
            said.append(f'no {what} in the description of {", ".join(missing)}: taken as {value}')
    if acceleration is None:
        said.append(
            'acceleration limits are assumed: the velocity limit is reached in '
            f'{RISE_TIME:g} s; give the limit of the robot with --acceleration'
        )
    return said
