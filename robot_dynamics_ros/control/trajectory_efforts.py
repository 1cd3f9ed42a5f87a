"""The torques that a trajectory needs at its points, compared with the limits of the joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.dynamics import RobotDynamics
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.tree import Limits

from .feedforward import check_choices
from .trajectory import Point, Trajectory, Waypoints

# The rows of `RobotDynamics.torque_terms`.
PARTS = ('gravity', 'coriolis', 'inertial')


@dataclass(frozen=True)
class TrajectoryEfforts:
    """Motion and torques of a trajectory of k joints at its p points.

    Attributes:
        motion: (3, p, k) rows q, v and a [rad or m, per s, per s^2].
        parts: (3, p, k) gravity, Coriolis and inertial torque [N m or N].
    """

    motion: Array
    parts: Array

    @property
    def total(self) -> Array:
        """M(q) a + C(q, v) v + g(q), of all parts, shape (p, k) [N m or N]."""
        return self.sum_of(PARTS)

    def sum_of(self, terms: Sequence[str]) -> Array:
        """The sum of some parts, shape (p, k) [N m or N].

        Args:
            terms: names of the parts, of `PARTS`.

        Raises:
            ParameterError: a term does not exist or is named twice.
        """
        check_choices('terms', terms, PARTS)
        weights = [float(part in terms) for part in PARTS]
        return np.tensordot(weights, self.parts, axes=1)


def trajectory_efforts(
    dynamics: RobotDynamics, joints: Sequence[str], points: Sequence[Point] | Waypoints, q: Array
) -> TrajectoryEfforts:
    """The torques of inverse dynamics at every point, for the joints that move.

    Args:
        dynamics: of the robot.
        joints: names of the joints that move, k of them, in the order of the points.
        points: of the trajectory; see `Trajectory.at_points` for what they do not give.
        q: (n,) positions of all independent joints [rad or m]; those that do not move rest there.

    Raises:
        UnknownNameError: no independent joint has that name.
        StateError: the points do not make a `Trajectory`, or a torque is not finite.
    """
    indices = [dynamics.model.index_of(name) for name in joints]
    motion = Trajectory(points).at_points()
    states = np.zeros((motion.shape[1], 3, dynamics.model.size))
    states[:, 0] = q
    states[:, :, indices] = motion.swapaxes(0, 1)
    results = np.empty_like(states)
    state, terms = np.zeros((2, *states.shape[1:]))
    step = dynamics.bind('torque_terms', *state, out=terms)
    for given, result in zip(states, results, strict=True):
        state[...] = given
        step()
        result[...] = terms
    parts = np.ascontiguousarray(results[:, :, indices].swapaxes(0, 1))
    if not np.isfinite(parts).all():
        index = int(np.flatnonzero(~np.isfinite(parts).all(axis=(0, 2)))[0])
        raise StateError(f'point {index}: the torque is not finite')
    return TrajectoryEfforts(motion, parts)


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


def described_limits(model: RobotModel, joints: Sequence[str]) -> list[Limits]:
    """The limits of some joints in the description of the robot.

    An effort or velocity limit that is not positive counts as none, see `Limits.known`.

    Args:
        model: of the robot.
        joints: names of independent joints.

    Raises:
        UnknownNameError: no independent joint has that name.
    """
    return [model.independent_joints[model.index_of(name)].limits.known for name in joints]


def _largest(magnitudes: Array, limit: float) -> Extreme:
    point = int(np.argmax(magnitudes))
    value = float(magnitudes[point])
    return Extreme(value, point, bool(value > limit))
