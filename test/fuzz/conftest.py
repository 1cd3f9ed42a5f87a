"""A node that is fed with anything."""

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('robot_dynamics_interfaces')

import rclpy
from domains import free_domain
from rclpy.parameter import Parameter
from three_joints import URDF

from robot_dynamics_ros.ros.node import DynamicsNode


@pytest.fixture(scope='module')
def node():
    """An active node that nobody talks to but the test, by calling what the middleware calls."""
    context = rclpy.Context()
    parameters = {'robot_description': URDF, 'fade_time': 0.0, 'exclusive_commands': 'ignore'}
    rclpy.init(context=context, domain_id=free_domain())
    node = DynamicsNode(
        context=context,
        parameter_overrides=[Parameter(name, value=value) for name, value in parameters.items()],
    )
    node.start()
    yield node
    node.destroy_node()
    rclpy.shutdown(context=context)
