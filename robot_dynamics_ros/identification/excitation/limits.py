"""Limits of the joints of a robot, from its URDF, and what is assumed without them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.sampling import position_range
from robot_dynamics_ros.core.model.tree import Joint
from robot_dynamics_ros.core.urdf_xml import read_xml

# Where the URDF gives no velocity limit [rad/s], [m/s]: slow enough for any arm. Without an
# acceleration limit, a joint reaches its largest speed in this time [s].
ASSUMED_ANGULAR_SPEED, ASSUMED_LINEAR_SPEED, RISE_TIME = 1.0, 0.25, 0.25
# Of which a motion uses a share of the limit.
QUANTITIES = ('position', 'velocity', 'acceleration', 'jerk', 'effort')


@dataclass(frozen=True)
class MotionLimits:
    """Limits of the independent joints in SI units; mimic joints keep theirs too."""

    middle: Array  #: (n,) of the ranges of positions
    largest: Array  #: (5, n) of `QUANTITIES`, positions from the middle; infinite without a limit
    assumptions: tuple[str, ...] = ()  #: what the URDF does not give, as sentences

    @classmethod
    def of(cls, model: RobotModel, urdf: str, acceleration: float | None) -> MotionLimits:
        """The limits of a robot with the text of its URDF; rates as of URDF 1.2.

        Where an acceleration is given, it is that of all joints [rad/s^2 or m/s^2].

        Raises:
            ParameterError: a joint that is not continuous has no position limits, a limit is not a
                positive number, or a mimic joint cannot keep its limits.
        """
        # A motion of the hardware must not guess a range.
        if unknown := [
            f'{joint.name} ({joint.kind}, {joint.limits.lower:g} to {joint.limits.upper:g})'
            for joint in model.independent_joints
            if joint.kind != 'continuous' and not _has_limits(joint)
        ]:
            raise ParameterError(
                f'no usable position limits in the URDF: {", ".join(unknown)}. Give those of the '
                'hardware, or leave these joints out with --joints'
            )
        ranges, (speed, rise, jerk) = _ranges_and_rates(model, urdf)
        usual = np.where(model.sliding, ASSUMED_LINEAR_SPEED, ASSUMED_ANGULAR_SPEED)
        slow, effort = np.isinf(speed), model.effort_bounds
        speed = np.where(slow, usual, speed)
        assumed = np.isinf(rise) & (acceleration is None)
        rise = np.where(assumed, speed / RISE_TIME, acceleration or rise)
        continuous = [joint.kind == 'continuous' for joint in model.independent_joints]
        remarks = {
            'no position limits: taken as 3.14 rad to each side of zero': continuous,
            f'no velocity limit: taken as {ASSUMED_ANGULAR_SPEED:g} rad/s or '
            f'{ASSUMED_LINEAR_SPEED:g} m/s': slow,
            'no effort limit: taken as none': np.isinf(effort),
            f'no acceleration limit: the velocity limit is reached in {RISE_TIME:g} s; give that '
            'of the robot with --acceleration': assumed,
        }
        names = np.array(model.joint_names)
        return cls(
            ranges.mean(axis=1),
            np.vstack([np.ptp(ranges, axis=1) / 2.0, speed, rise, jerk, effort]),
            tuple(f'{", ".join(names[own])}: {what}' for what, own in remarks.items() if any(own)),
        )

    def home(self) -> Array:
        """Zero, or the position nearest to it (n,) [rad or m]."""
        return np.clip(0.0, self.middle - self.largest[0], self.middle + self.largest[0])


def _has_limits(joint: Joint) -> bool:
    """Whether its position limits are a range that can be meant."""
    return position_range(joint) == (joint.limits.lower, joint.limits.upper)


def _ranges_and_rates(model: RobotModel, urdf: str) -> tuple[Array, Array]:
    """Ranges (n, 2), and largest velocities, accelerations and jerks (3, n), of all joints."""
    limits = {one.get('name'): one.find('limit') for one in read_xml(urdf).iterfind('joint')}
    ranges, rates = np.tile([-np.inf, np.inf], (model.size, 1)), np.full((3, model.size), np.inf)
    for joint in model.joints:
        index, multiplier = joint.coordinate.index, joint.coordinate.multiplier
        # Without limits of its own, a mimic joint is limited by the joint that it mimics.
        if joint.mimicked is not None and (multiplier == 0.0 or not _has_limits(joint)):
            continue
        ends = (np.array(position_range(joint)) - joint.coordinate.offset) / multiplier
        ranges[index] = max(ranges[index, 0], ends.min()), min(ranges[index, 1], ends.max())
        if ranges[index, 0] >= ranges[index, 1]:
            raise ParameterError(
                f'{joint.name} mimics {joint.mimicked}, and their position limits have no '
                'position in common: correct the URDF'
            )
        rise, fall, jerk = (
            _given(joint.name, limits[joint.name], name)
            for name in ('acceleration', 'deceleration', 'jerk')
        )
        given = np.array([joint.limits.known.velocity, min(rise, fall), jerk]) / abs(multiplier)
        rates[:, index] = np.minimum(rates[:, index], given)
    return ranges, rates


def _given(joint: str, limit: Element | None, name: str) -> float:
    """A number of a <limit>; infinite where there is none."""
    text = 'inf' if limit is None else limit.get(name, 'inf')
    with suppress(ValueError):
        if float(text) > 0.0:
            return float(text)
    raise ParameterError(f'{joint}: {name}="{text}" in its <limit> is no number above 0')
