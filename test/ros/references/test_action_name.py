"""The action of a controller beside its topic."""

import pytest

pytest.importorskip('rclpy')

from robot_dynamics_ros.ros.references.trajectory_action import action_beside


@pytest.mark.parametrize(
    ('topic', 'name'),
    [
        ('/arm_controller/joint_trajectory', '/arm_controller/follow_joint_trajectory'),
        ('/robot_dynamics/trajectory_out', ''),
        ('/left/arm/joint_trajectory', '/left/arm/follow_joint_trajectory'),
    ],
)
def test_the_name_of_the_action_follows_from_the_topic(topic, name):
    assert action_beside(topic) == name
