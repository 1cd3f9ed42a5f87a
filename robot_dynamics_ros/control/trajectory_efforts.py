"""The torques that a trajectory needs at its points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.dynamics import RobotDynamics
from robot_dynamics_ros.core.errors import StateError

from .trajectory import Point, Trajectory, Waypoints

# The rows of `RobotDynamics.torque_terms`.
PARTS = ('gravity', 'coriolis', 'inertial')


def trajectory_efforts(
    dynamics: RobotDynamics, joints: Sequence[str], points: Sequence[Point] | Waypoints, q: Array
) -> tuple[Array, Array]:
    """Motion and torques of inverse dynamics at every point, for the joints that move.

    Args:
        dynamics: of the robot.
        joints: names of the joints that move, k of them, in the order of the points.
        points: of the trajectory; see `Trajectory.at_points` for what they do not give.
        q: (n,) positions of all independent joints [rad or m]; those that do not move rest there.

    Returns:
        (3, p, k) rows q, v and a [rad or m, per s, per s^2], and (3, p, k) `PARTS` [N m or N].

    Raises:
        UnknownNameError: no independent joint has that name.
        StateError: the points do not make a `Trajectory`, or a torque is not finite.
    """
    indices = dynamics.model.indices_of(joints)
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
    return motion, parts
