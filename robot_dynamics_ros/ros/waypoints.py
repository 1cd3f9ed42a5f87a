"""From a JointTrajectory message to waypoints in the order of the joints, by name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics_ros.control.trajectory import Waypoints
from robot_dynamics_ros.core.checks import Array, checked_vector
from robot_dynamics_ros.core.errors import StateError

from .endpoints import nanoseconds

Order = NDArray[np.intp]


def read_points(message: JointTrajectory, joints: Sequence[str], *, start: float) -> Waypoints:
    """The points of a message.

    Args:
        message: names all of the joints and no other, in any order.
        joints: in the order of the result.
        start: time at which `time_from_start` is zero [s].

    Raises:
        StateError: joints, sizes or values are wrong.
    """
    names = list(message.joint_names)
    if missing := [name for name in joints if name not in names]:
        raise StateError(
            f'the trajectory lacks joints: {", ".join(missing)}; needed are {", ".join(joints)}'
        )
    if len(names) > len(joints):
        others = sorted({n for n in names if n not in joints or names.count(n) > 1})
        raise StateError(
            f'the trajectory names joints that are not commanded, or names them twice: '
            f'{", ".join(others)}; needed are {", ".join(joints)}'
        )
    order: Order = np.array([names.index(name) for name in joints], dtype=np.intp)
    fields = ('positions', 'velocities', 'accelerations')
    rows, has = zip(*(_rows(message, field, order) for field in fields), strict=True)
    times = start + _seconds(message)
    return Waypoints(times, np.stack(rows, axis=1), np.stack(has, axis=1))


def _rows(message: JointTrajectory, field: str, order: Order) -> tuple[Array, NDArray[np.bool_]]:
    """A field of all points (p, k), zero where a point leaves it empty, and which points give it.

    The bytes of all points are taken at once: a check of each point takes a hundred times as long.
    """
    given = [getattr(point, field) for point in message.points]
    sizes = np.array([len(values) for values in given], dtype=np.intp)
    has = (sizes > 0) | (field == 'positions')
    rows = np.zeros((len(given), order.size))
    wrong = has & (sizes != order.size)
    if not wrong.any():
        rows[has] = np.frombuffer(b''.join(given)).reshape(-1, order.size)[:, order]
        wrong = ~np.isfinite(rows).all(axis=1)
    if wrong.any():
        index = int(np.flatnonzero(wrong)[0])
        checked_vector(f'point {index}: {field}', given[index], list(message.joint_names))
    return rows, has


def _seconds(message: JointTrajectory) -> Array:
    """The time_from_start of every point (p,) [s]."""
    times = [point.time_from_start for point in message.points]
    seconds = np.array([time.sec for time in times], dtype=np.int64)
    total = seconds * 10**9 + np.array([time.nanosec for time in times], dtype=np.int64)
    if (total < 0).any():
        index = int(np.flatnonzero(total < 0)[0])
        nanoseconds(times[index], f'point {index}: time_from_start')
    return 1e-9 * total
