"""The description of the node from a file, and the topic as `robot_dynamics` reads it."""

import pytest
import rclpy
from domains import free_domain
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String
from three_joints import URDF

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.ros.description import read_description

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def test_the_command_reads_the_topic_or_names_another(monkeypatch):
    domain, context = free_domain(), rclpy.Context()
    monkeypatch.setenv('ROS_DOMAIN_ID', str(domain))
    rclpy.init(context=context, domain_id=domain)
    node = rclpy.create_node('state_publisher', context=context, namespace='left')
    node.create_publisher(String, 'robot_description', LATCHED).publish(String(data=URDF))
    try:
        assert read_description('/left/robot_description', 60.0) == URDF
        with pytest.raises(ParameterError, match='/left/robot_description'):
            read_description('/robot_description', 2.0)
    finally:
        node.destroy_node()
        rclpy.shutdown(context=context)


def test_a_description_may_be_a_file(graph, tmp_path, monkeypatch):
    (tmp_path / 'arm.urdf').write_text(URDF)
    monkeypatch.chdir(tmp_path)
    with graph(description_file='arm.urdf') as (_, observer):
        # The topic does not replace it.
        observer.description.publish(String(data=URDF.replace('three', 'four')))
        observer.shows('description_refused')
        assert observer.figures('model')['robot'] == 'three'
