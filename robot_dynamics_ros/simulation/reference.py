"""From JointTrajectory messages to trajectories."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics_ros.simulation.trajectory import Trajectory, Vector


def trajectory_from_message(
    message: JointTrajectory, joints: Sequence[str], here: Vector
) -> Trajectory:
    """Order a message's points by `joints`; those that it does not name stay `here`, (n,).

    Velocities and accelerations are used where every point carries them.

    Raises:
        ValueError: it names an unknown joint, or its points do not fit its names or time.
    """
    unknown = sorted(set(message.joint_names) - set(joints))
    if unknown or not message.joint_names:
        raise ValueError(f'it names {unknown or "no joint"}: known are {", ".join(joints)}')
    columns = [list(joints).index(name) for name in message.joint_names]
    if not message.points:
        raise ValueError('it has no points')
    times = [p.time_from_start.sec + 1e-9 * p.time_from_start.nanosec for p in message.points]

    def gather(part: str, rest: Vector) -> NDArray[np.float64]:
        table = np.tile(rest, (len(message.points), 1))
        for row, point in zip(table, message.points, strict=True):
            values = getattr(point, part)
            if len(values) != len(columns):
                raise ValueError(f'a point has {len(values)} {part} for {len(columns)} joints')
            row[columns] = values
        return table

    zero = np.zeros(len(joints))
    velocities = accelerations = None
    if all(point.velocities for point in message.points):
        velocities = gather('velocities', zero)
        if all(point.accelerations for point in message.points):
            accelerations = gather('accelerations', zero)
    return Trajectory(np.array(times), gather('positions', here), velocities, accelerations)
