"""The torques that a trajectory needs at its points, compared with the limits of the joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.dynamics import RobotDynamics
from robot_dynamics_ros.core.errors import StateError
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
        return np.tensordot([float(part in terms) for part in PARTS], self.parts, axes=1)


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
class JointDemand:
    """What a trajectory demands of one joint: message JointDemand says what each field is.

    In rad, rad/s and N m, or m, m/s and N. A limit that is not known is infinite; a point is an
    index.
    """

    joint_name: str
    effort: float
    effort_limit: float
    effort_exceeded: bool
    effort_point: int
    velocity: float
    velocity_limit: float
    velocity_exceeded: bool
    velocity_point: int
    position: float
    position_lower: float
    position_upper: float
    position_exceeded: bool
    position_point: int

    def excesses(self) -> list[str]:
        """A message for each exceeded limit: joint, value, point and what is allowed."""
        allowed = {
            'effort': f'{self.effort_limit:.4g}',
            'velocity': f'{self.velocity_limit:.4g}',
            'position': f'{self.position_lower:.4g} to {self.position_upper:.4g}',
        }
        return [
            f'{self.joint_name}: {kind} {getattr(self, kind):.4g} at point '
            f'{getattr(self, f"{kind}_point")}, allowed is {limit}'
            for kind, limit in allowed.items()
            if getattr(self, f'{kind}_exceeded')
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
    demands, (q, v, _), total = [], efforts.motion, efforts.total
    for column, (joint, limit) in enumerate(zip(joints, limits, strict=True)):
        # How far inside its limits each position is (p,).
        room = np.minimum(q[:, column] - limit.lower, limit.upper - q[:, column])
        nearest = int(room.argmin())
        demands.append(
            JointDemand(
                joint,
                *_largest(total[:, column], limit.effort),
                *_largest(v[:, column], limit.velocity),
                *(float(q[nearest, column]), limit.lower, limit.upper),
                *(bool(room[nearest] < 0.0), nearest),
            )
        )
    return demands


def _largest(values: Array, limit: float) -> tuple[float, float, bool, int]:
    """The largest magnitude, its limit, whether that is exceeded, and where."""
    point = int(np.abs(values).argmax())
    value = abs(float(values[point]))
    return value, limit, bool(value > limit), point
