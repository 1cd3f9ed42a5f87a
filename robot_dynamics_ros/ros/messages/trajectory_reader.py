"""From a JointTrajectory message to a `Trajectory` of the commanded joints, by name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from builtin_interfaces.msg import Duration, Time
from numpy.typing import NDArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core.checks import Array, checked_vector
from robot_dynamics_ros.core.errors import StateError

# A reference may end this long before it is received [s]: streamed points are stamped when they
# are computed, and the transport takes time.
LARGEST_DELAY = 0.2

Order = NDArray[np.intp]


def read_trajectory(
    message: JointTrajectory,
    joints: Sequence[str],
    *,
    now: int,
    epoch: int,
    current: tuple[Array, Array] | None = None,
) -> Trajectory:
    """The reference of a message, in seconds since the epoch.

    Args:
        message: names every commanded joint and no other, in any order. With a stamp of zero it
            starts now.
        joints: names of the commanded joints, k of them.
        now: time of the node's clock [ns].
        epoch: zero of the result [ns]; close to now, so that a float resolves nanoseconds.
        current: q and v (k,) of the robot; a trajectory of several points that begins later than
            now is extended by this point.

    Raises:
        StateError: joints, sizes, values or times are wrong, or the trajectory has ended.
    """
    start = 1e-9 * ((_nanoseconds('header.stamp', message.header.stamp) or now) - epoch)
    points = read_points(message, joints, start=start)
    arrival = 1e-9 * (now - epoch)
    if points[-1].time < arrival - LARGEST_DELAY:
        raise StateError(
            f'the trajectory ended {arrival - points[-1].time:.3g} s ago, allowed are '
            f'{LARGEST_DELAY:g} s: check header.stamp and the clocks'
        )
    if current is not None and len(points) > 1 and arrival < points[0].time:
        q, v = current
        points.insert(0, Point(arrival, q, v, np.zeros_like(q)))
    return Trajectory(points)


def read_points(message: JointTrajectory, joints: Sequence[str], *, start: float) -> list[Point]:
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
    return [
        _point(point, index, names, order, start) for index, point in enumerate(message.points)
    ]


def _point(
    point: JointTrajectoryPoint, index: int, names: list[str], order: Order, start: float
) -> Point:
    def vector(field: str) -> Array:
        values = checked_vector(f'point {index}: {field}', getattr(point, field), names)
        return values.take(order)

    return Point(
        start + 1e-9 * _nanoseconds(f'point {index}: time_from_start', point.time_from_start),
        vector('positions'),
        vector('velocities') if len(point.velocities) else None,
        vector('accelerations') if len(point.accelerations) else None,
    )


def _nanoseconds(name: str, time: Time | Duration) -> int:
    total = int(time.sec) * 10**9 + int(time.nanosec)
    if total < 0:
        raise StateError(f'{name} is {1e-9 * total:g} s, it must not be negative')
    return total
