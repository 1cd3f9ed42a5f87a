"""From JointTrajectory messages to trajectories."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core.checks import checked_vector
from robot_dynamics_ros.core.errors import StateError

Vector = NDArray[np.float64]


def trajectory_from_message(
    message: JointTrajectory, joints: Sequence[str], here: Vector
) -> Trajectory:
    """The trajectory of a message, its points in the order of `joints`.

    Args:
        message: names some or all of the joints.
        joints: of the arm, n of them.
        here: positions (n,) of the joints that the message does not name.

    Raises:
        StateError: it names an unknown joint, or sizes, values or times of its points are wrong.
    """
    names = list(message.joint_names)
    unknown = sorted(set(names) - set(joints))
    if unknown or not names:
        raise StateError(
            f'the trajectory names {", ".join(unknown) or "no joint"}: known are '
            f'{", ".join(joints)}'
        )
    columns = [list(joints).index(name) for name in names]

    def vector(point: JointTrajectoryPoint, part: str, rest: Vector) -> Vector:
        values = rest.copy()
        values[columns] = checked_vector(part, getattr(point, part), names)
        return values

    still = np.zeros(len(joints))
    return Trajectory(
        [
            Point(
                point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec,
                vector(point, 'positions', here),
                vector(point, 'velocities', still) if len(point.velocities) else None,
                vector(point, 'accelerations', still) if len(point.accelerations) else None,
            )
            for point in message.points
        ]
    )
