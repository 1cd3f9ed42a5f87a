"""The node loads the parameter file of an identified robot and computes its torque."""

import numpy as np
from identified import identified_model
from three_joints import URDF

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.identification.result_files import result_files

STATES = np.random.default_rng(4).uniform(-1.0, 1.0, (8, 3, 3))


def test_the_node_commands_the_torque_of_the_identified_model(graph, tmp_path):
    model = parse_urdf(URDF)
    identified = identified_model(model)
    files = result_files(URDF, model, identified, {})
    for name in ('dynamics_node.yaml', 'friction.yaml'):
        (tmp_path / name).write_text(files[name])
    loaded = ['--ros-args', '--params-file', str(tmp_path / 'dynamics_node.yaml')]
    with graph(cli_args=loaded, robot_description=files['identified.urdf']) as (node, _):
        robot = node.robot_holder.require()
        expected = identified.inverse_dynamics(*np.moveaxis(STATES, 1, 0))
        for (q, v, a), torque in zip(STATES, expected, strict=True):
            robot.feedforward.compute(q, v, np.array([q, v, a]))
            np.testing.assert_allclose(robot.feedforward.effort, torque, rtol=0.0, atol=1e-4)
        q = STATES[0, 0]
        robot.feedforward.hold(q)
        held = identified.inverse_dynamics(q, 0 * q, 0 * q)
        np.testing.assert_allclose(robot.feedforward.effort, held, rtol=0.0, atol=1e-4)
