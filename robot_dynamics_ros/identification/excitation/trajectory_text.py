"""An excitation motion as YAML: a JointTrajectory, or a goal of FollowJointTrajectory."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from robot_dynamics_ros.core.checks import Array

from .excited_motion import Excitation

# Digits behind the point of positions, and of velocities and accelerations: rounding changes the
# accelerations between points by less than 1e-3 rad/s^2.
POSITION_DIGITS, RATE_DIGITS = 7, 6


def trajectory_text(excitation: Excitation, remarks: Sequence[str]) -> str:
    """A trajectory_msgs/JointTrajectory, as `ros2 topic pub` takes it.

    Args:
        excitation: the motion.
        remarks: comments, each one line.
    """
    return '\n'.join([*_comments(remarks), *_trajectory(excitation)]) + '\n'


def goal_text(excitation: Excitation, remarks: Sequence[str]) -> str:
    """A goal of control_msgs/FollowJointTrajectory, as `ros2 action send_goal` takes it.

    Args:
        excitation: the motion.
        remarks: comments, each one line.
    """
    indented = [f'  {line}' for line in _trajectory(excitation)]
    return '\n'.join([*_comments(remarks), 'trajectory:', *indented]) + '\n'


def _comments(remarks: Sequence[str]) -> Iterator[str]:
    for remark in remarks:
        yield f'# {" ".join(remark.split())}'


def _trajectory(excitation: Excitation) -> Iterator[str]:
    names = ', '.join(
        json.dumps(name, ensure_ascii=False) for name in excitation.model.joint_names
    )
    yield f'joint_names: [{names}]'
    yield 'points:'
    times = excitation.times
    for time, q, v, a in zip(times, *excitation.series.at(times), strict=True):
        sec, nanosec = divmod(round(1e9 * time), 10**9)
        yield (
            f'- {{positions: {_list(q, POSITION_DIGITS)}, velocities: {_list(v, RATE_DIGITS)}, '
            f'accelerations: {_list(a, RATE_DIGITS)}, '
            f'time_from_start: {{sec: {sec}, nanosec: {nanosec}}}}}'
        )


def _list(values: Array, digits: int) -> str:
    # Adding zero makes 0.0 of -0.0.
    return f'[{", ".join(f"{round(float(x), digits) + 0.0:.{digits}f}" for x in values)}]'
