"""The efforts, speeds and positions of a trajectory, compared with the limits of each joint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.tree import Limits

from .trajectory_efforts import TrajectoryEfforts


@dataclass(frozen=True)
class Extreme:
    """The worst effort, velocity or position of one joint in a trajectory.

    Attributes:
        value: effort [N m or N], speed [rad/s or m/s] or position [rad or m].
        point: index of the point of the trajectory.
        exceeded: whether the value is beyond a limit.
    """

    value: float
    point: int
    exceeded: bool


@dataclass(frozen=True)
class JointDemand:
    """What a trajectory demands of one joint.

    Attributes:
        joint: name of the joint.
        limits: of the joint; infinite where there are none.
        effort: the largest magnitude of the total torque [N m or N].
        velocity: the largest speed [rad/s or m/s].
        position: the position farthest beyond a limit, or closest to one [rad or m].
    """

    joint: str
    limits: Limits
    effort: Extreme
    velocity: Extreme
    position: Extreme

    def excesses(self) -> list[str]:
        """A message for each exceeded limit: joint, value, point and what is allowed."""
        allowed = {
            'effort': f'{self.limits.effort:.4g}',
            'velocity': f'{self.limits.velocity:.4g}',
            'position': f'{self.limits.lower:.4g} to {self.limits.upper:.4g}',
        }
        extremes = {kind: getattr(self, kind) for kind in allowed}
        return [
            f'{self.joint}: {kind} {extreme.value:.4g} at point {extreme.point}, allowed is '
            f'{allowed[kind]}'
            for kind, extreme in extremes.items()
            if extreme.exceeded
        ]


def joint_demands(
    efforts: TrajectoryEfforts, joints: Sequence[str], limits: Sequence[Limits]
) -> list[JointDemand]:
    """The demand on each joint of a trajectory; only its points count, not what is between them.

    Args:
        efforts: torques and motion of the trajectory.
        joints: names of its joints, k of them.
        limits: of these joints, k of them.
    """
    position, velocity, _ = efforts.motion
    lower = np.array([limit.lower for limit in limits])
    upper = np.array([limit.upper for limit in limits])
    # How far inside its limits each position is, (p, k).
    room = np.minimum(position - lower, upper - position)
    speeds, magnitudes = np.abs(velocity), np.abs(efforts.total)
    demands = []
    for column, (joint, limit) in enumerate(zip(joints, limits, strict=True)):
        nearest = int(np.argmin(room[:, column]))
        at_limit = Extreme(
            float(position[nearest, column]), nearest, bool(room[nearest, column] < 0.0)
        )
        demands.append(
            JointDemand(
                joint,
                limit,
                effort=_largest(magnitudes[:, column], limit.effort),
                velocity=_largest(speeds[:, column], limit.velocity),
                position=at_limit,
            )
        )
    return demands


def described_limits(
    model: RobotModel, joints: Sequence[str], *, effort_scale: float = 1.0
) -> list[Limits]:
    """The limits of some joints in the description of the robot.

    An effort or velocity limit that is not positive counts as none, see `Limits.known`.

    Args:
        model: of the robot.
        joints: names of independent joints.
        effort_scale: share of the effort limits that may be used [-].

    Raises:
        UnknownNameError: no independent joint has that name.
    """
    known = [model.independent_joints[model.index_of(name)].limits.known for name in joints]
    return [replace(limits, effort=limits.effort * effort_scale) for limits in known]


def _largest(magnitudes: Array, limit: float) -> Extreme:
    point = int(np.argmax(magnitudes))
    value = float(magnitudes[point])
    return Extreme(value, point, bool(value > limit))
