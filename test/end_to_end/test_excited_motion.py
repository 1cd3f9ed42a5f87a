"""What `robot_dynamics excite` writes is a message that an arm reads as the motion."""

import numpy as np
import pytest
import yaml

pytest.importorskip('rclpy')
pytest.importorskip('mujoco')
pytest.importorskip('scipy')
pytest.importorskip('coal')
pytest.importorskip('robot_dynamics_interfaces.msg')

from builtin_interfaces.msg import Duration
from excited_arm import JOINTS, excited
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robot_dynamics_ros.simulation.simulated_arm import read_reference


def test_the_written_trajectory_is_the_exciting_motion():
    """As `ros2 topic pub` makes a message of the YAML; named joints, in any order."""
    found = excited()
    fields = yaml.safe_load(found.trajectory_text(['a remark']))
    points = [
        JointTrajectoryPoint(**{**point, 'time_from_start': Duration(**point['time_from_start'])})
        for point in fields['points']
    ]
    message = JointTrajectory(joint_names=fields['joint_names'], points=points)
    backwards = tuple(reversed(JOINTS))
    trajectory = read_reference(message, backwards, np.zeros(len(JOINTS)))
    assert trajectory.end == pytest.approx(found.settings.duration, abs=1.0)
    for time in np.linspace(trajectory.start, found.settings.duration, 100)[1:-1]:
        q, v, a = trajectory.at(time)[:, ::-1]
        expected = found.series.at(np.array([time]))
        for value, wanted in zip((q, v, a), expected, strict=True):
            np.testing.assert_allclose(value, wanted[0], atol=0.02 * (1.0 + np.abs(wanted).max()))
