"""An active node that nobody talks to but the test, by calling what the middleware calls."""

import math
from contextlib import contextmanager

import rclpy
from domains import free_domain
from rclpy.parameter import Parameter
from three_joints import URDF

from robot_dynamics_ros.ros.node import DynamicsNode


@contextmanager
def fed_node(**parameters):
    """The node, with these parameters, until the end of the block."""
    context = rclpy.Context()
    parameters = {
        'robot_description': URDF,
        'fade_time': 0.0,
        'on_restart': 'fade_from_zero',
        'effort_limits': [math.inf, 200.0, 20.0],
        **parameters,
    }
    rclpy.init(context=context, domain_id=free_domain())
    node = DynamicsNode(
        context=context,
        parameter_overrides=[Parameter(name, value=value) for name, value in parameters.items()],
    )
    try:
        node.start()
        yield node
    finally:
        node.destroy_node()
        rclpy.shutdown(context=context)
