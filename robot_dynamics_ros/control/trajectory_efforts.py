"""The torques that a trajectory needs at its points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.dynamics import RobotDynamics
from robot_dynamics_ros.core.errors import StateError

from .feedforward import check_choices
from .trajectory import Point, Trajectory

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
    dynamics: RobotDynamics, joints: Sequence[str], points: Sequence[Point], q: Array
) -> TrajectoryEfforts:
    """The torques of inverse dynamics at every point, for the joints that move.

    Args:
        dynamics: of the robot.
        joints: names of the joints that move, k of them, in the order of the points.
        points: of the trajectory; `point_motion` completes missing velocities and accelerations.
        q: (n,) positions of all independent joints [rad or m]; those that do not move rest there.

    Raises:
        UnknownNameError: no independent joint has that name.
        StateError: the points do not make a `Trajectory`, or a torque is not finite.
    """
    indices = [dynamics.model.index_of(name) for name in joints]
    motion = point_motion(points)
    state = np.zeros((3, dynamics.model.size))
    state[0] = q
    terms = np.zeros_like(state)
    step = dynamics.bind('torque_terms', *state, out=terms)
    parts = np.zeros_like(motion)
    for index in range(len(points)):
        state[:, indices] = motion[:, index]
        step()
        parts[:, index] = terms[:, indices]
    if not np.isfinite(parts).all():
        index = int(np.flatnonzero(~np.isfinite(parts).all(axis=(0, 2)))[0])
        raise StateError(f'point {index}: the torque is not finite')
    return TrajectoryEfforts(motion, parts)


def point_motion(points: Sequence[Point]) -> Array:
    """Rows q, v and a at every point of a trajectory, shape (3, p, k).

    Missing velocities and accelerations are those of `Trajectory` just after the point: of the
    polynomial that begins there, and zero at the last point, where the reference rests.

    Args:
        points: of the trajectory.

    Raises:
        StateError: the points do not make a `Trajectory`.
    """
    trajectory = Trajectory(points)
    motion = np.stack([trajectory.at(point.time) for point in points], axis=1)
    for index, point in enumerate(points):
        motion[0, index] = point.q
        if point.v is not None:
            motion[1, index] = point.v
        if point.a is not None:
            motion[2, index] = point.a
    return motion
