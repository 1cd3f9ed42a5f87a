"""The node loads the parameter file of an identified robot and commands its torque."""

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')

from domains import free_domain
from identified import identified_model
from rclpy.parameter import Parameter
from three_joints import URDF

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.identification.result_files import result_files
from robot_dynamics_ros.ros.node import DynamicsNode

UNGUARDED = [
    '-p',
    'fade_time:=0.0',
    '-p',
    'effort_limits:=[1e6]',
]
STATES = np.random.default_rng(4).uniform(-1.0, 1.0, (8, 3, 3))


def test_the_node_commands_the_torque_of_the_identified_model(tmp_path):
    model = parse_urdf(URDF)
    identified = identified_model(model)
    files = result_files(URDF, model, identified, {})
    for name in ('dynamics_node.yaml', 'friction.yaml'):
        (tmp_path / name).write_text(files[name])
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=free_domain())
    arguments = ['--ros-args', '--params-file', str(tmp_path / 'dynamics_node.yaml'), *UNGUARDED]
    node = DynamicsNode(context=context, cli_args=arguments)
    try:
        urdf = Parameter('robot_description', value=files['identified.urdf'])
        assert node.set_parameters([urdf])[0].successful
        node.trigger_configure()
        robot = node.robot_holder.require()
        expected = identified.inverse_dynamics(*np.moveaxis(STATES, 1, 0))
        for (q, v, a), torque in zip(STATES, expected, strict=True):
            robot.feedforward.compute(q, v, np.array([q, v, a]))
            np.testing.assert_allclose(robot.feedforward.effort, torque, rtol=0.0, atol=1e-4)
        q = STATES[0, 0]
        robot.feedforward.hold(q)
        held = identified.inverse_dynamics(q, 0 * q, 0 * q)
        np.testing.assert_allclose(robot.feedforward.effort, held, rtol=0.0, atol=1e-4)
    finally:
        node.destroy_node()
        rclpy.shutdown(context=context)
