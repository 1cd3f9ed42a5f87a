"""Limits of the joints of a robot, from its URDF, and what is assumed without them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.sampling import position_range
from robot_dynamics_ros.core.model.tree import Joint
from robot_dynamics_ros.core.urdf_xml import read_xml

# Where the URDF gives no velocity limit [rad/s], [m/s].
ASSUMED_ANGULAR_SPEED, ASSUMED_LINEAR_SPEED = 1.0, 0.25
# Without an acceleration limit, a joint reaches its largest speed in this time [s].
RISE_TIME = 0.25
# Of which a motion uses a share of the limit.
QUANTITIES = ('position', 'velocity', 'acceleration', 'jerk', 'effort')


@dataclass(frozen=True)
class MotionLimits:
    """Limits of the independent joints in SI units; mimic joints keep theirs too.

    Attributes:
        middle: (n,) of the ranges of positions.
        largest: (5, n) of `QUANTITIES`, the position from its middle; infinite without a limit.
        assumptions: what the URDF does not give, as sentences.
    """

    middle: Array
    largest: Array
    assumptions: tuple[str, ...] = ()

    @classmethod
    def of(cls, model: RobotModel, urdf: str, acceleration: float | None) -> MotionLimits:
        """The limits of a robot.

        Args:
            model: the robot.
            urdf: text of its URDF; `acceleration`, `deceleration` and `jerk` of a <limit> are
                those of version 1.2 (urdfdom 6).
            acceleration: largest of each joint; None: that of the URDF, or the velocity limit
                within `RISE_TIME`.

        Raises:
            ParameterError: a joint that is not continuous has no position limits, a limit is not a
                positive number, or a mimic joint cannot keep its limits.
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
        given = _given(urdf)
        # Speed, acceleration and jerk.
        rates = np.array([[joint.limits.known.velocity, *given[joint.name]] for joint in joints]).T
        usual = np.where(model.sliding, ASSUMED_LINEAR_SPEED, ASSUMED_ANGULAR_SPEED)
        slow, effort = np.isinf(rates[0]), model.effort_bounds
        rates[0] = np.where(slow, usual, rates[0])
        for joint in model.joints:
            if joint.mimicked is not None:
                _narrow(ranges, rates, joint, given[joint.name])
        assumed = np.isinf(rates[1]) & (acceleration is None)
        rates[1] = np.where(assumed, rates[0] / RISE_TIME, rates[1])
        if acceleration is not None:
            rates[1] = acceleration
        names = np.array(model.joint_names)
        remarks = {
            'no position limits: taken as 3.14 rad to each side of zero': names[
                [joint.kind == 'continuous' for joint in joints]
            ],
            f'no velocity limit: taken as {ASSUMED_ANGULAR_SPEED:g} rad/s or '
            f'{ASSUMED_LINEAR_SPEED:g} m/s': names[slow],
            'no effort limit: taken as none': names[np.isinf(effort)],
            f'no acceleration limit: the velocity limit is reached in {RISE_TIME:g} s; give that '
            'of the robot with --acceleration': names[assumed],
        }
        return cls(
            ranges.mean(axis=1),
            np.vstack([np.ptp(ranges, axis=1) / 2.0, rates, effort]),
            tuple(f'{", ".join(which)}: {what}' for what, which in remarks.items() if len(which)),
        )

    def home(self) -> Array:
        """Zero, or the position nearest to it (n,) [rad or m]."""
        return np.clip(0.0, self.middle - self.largest[0], self.middle + self.largest[0])


def _has_limits(joint: Joint) -> bool:
    """Whether its position limits are a range that can be meant."""
    return position_range(joint) == (joint.limits.lower, joint.limits.upper)


def _given(urdf: str) -> dict[str, tuple[float, float]]:
    """Limits of acceleration and jerk of each joint; infinite where there are none."""
    found = {}
    for joint in read_xml(urdf).iterfind('joint'):
        limit, values = joint.find('limit'), {}
        for name in ('acceleration', 'deceleration', 'jerk'):
            text = 'inf' if limit is None else limit.get(name, 'inf')
            try:
                values[name] = float(text)
            except ValueError:
                values[name] = math.nan
            if not values[name] > 0.0:
                raise ParameterError(
                    f'{joint.get("name")}: {name}="{text}" in its <limit>: a number above 0 is '
                    'needed'
                )
        largest = min(values['acceleration'], values['deceleration'])
        found[joint.get('name', '')] = largest, values['jerk']
    return found


def _narrow(ranges: Array, rates: Array, mimic: Joint, given: tuple[float, float]) -> None:
    """Narrow ranges (n, 2) and rates (3, n) in place, so that a mimic joint keeps its limits."""
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
    own = np.array([mimic.limits.known.velocity, *given]) / abs(multiplier)
    rates[:, index] = np.minimum(rates[:, index], own)
