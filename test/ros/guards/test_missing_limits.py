"""A node does not command a joint whose effort limit was forgotten."""

import math
import re

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.parameter import Parameter
from three_joints import URDF, state

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
AXIS = '<axis xyz="0 0 1"/></joint>'
MISSING = 'effort_limits for turn'


def urdf(effort):
    """The robot with this effort limit of the joint that has none."""
    limit = f'<axis xyz="0 0 1"/><limit effort="{effort}" velocity="3"/></joint>'
    return URDF.replace(AXIS, limit)


def activate(observer):
    transition = Transition(id=Transition.TRANSITION_ACTIVATE)
    name = '/robot_dynamics/change_state'
    return observer.call(ChangeState, name, transition=transition).success


@pytest.mark.parametrize('description', [URDF, urdf(0)], ids=['missing', 'zero'])
def test_it_activates_after_effort_limits_is_set(guarded, dynamics, description, capfd):
    """CAD exports leave limits out, or write 0; .inf says that none is meant."""
    given = {'robot_description': description, 'effort_limits': []}
    with guarded(fade_time=0.0, **given) as scene:
        assert not activate(scene.observer)
        found = scene.status('model', 'cannot be activated')
        assert found.level == DiagnosticStatus.ERROR
        assert MISSING in found.message
        scene.until_silent()
        scene.set(effort_limits=[math.inf, 200.0, 20.0])
        assert activate(scene.observer)
        scene.settle(dynamics.bias_torque(Q, V))
        # They must not go while it commands.
        (result,) = scene.node.set_parameters([Parameter('effort_limits', value=[])])
        assert not result.successful
        assert MISSING in result.reason
        scene.settle(dynamics.bias_torque(Q, V))
    assert re.search(f'not activated: .*{MISSING}', capfd.readouterr().err)


def test_a_joint_that_is_not_commanded_needs_none(graph):
    described = {'robot_description': URDF, 'effort_limits': []}
    with graph(**described, joints=['wrist', 'slide']) as (_, observer):
        observer.answer_to(state(Q, V))
