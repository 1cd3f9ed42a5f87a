"""Another description on the topic while a robot is in use."""

import numpy as np
import pytest
from std_msgs.msg import String
from three_joints import HEAVIER, INDEFINITE, URDF, state

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.ros.parameters.node_table import TABLE

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
DEFAULTS = {name: row.default for name, row in TABLE.rows.items()}


def is_active(node):
    robot = node.robot_holder.current
    return robot is not None and robot.guard.active


def test_another_description_is_taken_up_while_the_robot_runs(graph):
    with graph() as (node, observer):
        observer.description.publish(String(data=URDF))
        observer.until(lambda: is_active(node), 'activation')
        observer.description.publish(String(data=HEAVIER))
        observer.until(lambda: node.topic_counters['robot_description'].used == 2, 'the other one')
        command, _ = observer.answer_to(state(Q, V))
    heavier = RobotDynamics(parse_urdf(HEAVIER))
    np.testing.assert_allclose(command.data, heavier.bias_torque(Q, V), rtol=1e-12)


OTHERS = {
    'not XML': ('robot', 'not well-formed XML'),
    'empty': (' ', 'text is empty'),
    'indefinite': (INDEFINITE, 'not be negative'),
    'other joints': (URDF.replace('wrist', 'ankle'), 'new description are turn, slide, ankle'),
}


@pytest.mark.parametrize('other', OTHERS)
def test_another_description_that_cannot_be_used_leaves_the_old_one(graph, dynamics, other):
    text, reason = OTHERS[other]
    with graph() as (node, observer):
        observer.description.publish(String(data=URDF))
        observer.until(lambda: is_active(node), 'activation')
        observer.description.publish(String(data=text))
        counters = node.topic_counters['robot_description']
        observer.until(lambda: counters.rejected == 1, 'refusal')
        assert reason in counters.last_reason
        command, _ = observer.answer_to(state(Q, V))
    np.testing.assert_allclose(command.data, dynamics.bias_torque(Q, V), rtol=1e-12)
