"""Configuring, activating and their refusals; parameters."""

import re

import numpy as np
import pytest
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.parameter import Parameter
from references import follow, point, trajectory
from std_msgs.msg import String
from three_joints import HEAVIER, INDEFINITE, URDF, state

from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.ros.parameter_table import TABLE

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
CHANGED = 'robot_description', 'joints', 'terms', 'gravity'
DEFAULTS = {name: TABLE.rows[name].default for name in CHANGED}


def label(observer):
    return observer.call(GetState, '/robot_dynamics/get_state').current_state.label


def change(observer, transition):
    request = ChangeState.Request()
    request.transition.id = transition
    return observer.call(
        ChangeState, '/robot_dynamics/change_state', transition=request.transition
    ).success


def test_the_description_may_come_from_the_latched_topic(graph, dynamics):
    with graph() as (_, observer):
        assert label(observer) == 'unconfigured'
        observer.description.publish(String(data=URDF))
        observer.until(lambda: label(observer) == 'active', 'activation')
        command, _ = observer.answer_to(state(Q, V))
    np.testing.assert_allclose(command.data, dynamics.bias_torque(Q, V), rtol=1e-12)


def test_without_autostart_each_step_is_asked_for(graph):
    with graph(robot_description=URDF, autostart=False) as (_, observer):
        observer.states.publish(state(Q, V))
        assert change(observer, Transition.TRANSITION_CONFIGURE)
        assert label(observer) == 'inactive'
        observer.states.publish(state(Q, V))
        # The next answer comes after any of that state.
        assert label(observer) == 'inactive'
        assert not observer.commands
        assert change(observer, Transition.TRANSITION_ACTIVATE)
        observer.answer_to(state(Q, V))


REFUSED = {
    'not XML': ({'robot_description': 'robot'}, 'not well-formed XML'),
    'an indefinite mass matrix': ({'robot_description': INDEFINITE}, 'not be negative'),
    'xacro that was not expanded': (
        {'robot_description': URDF.replace('value="1.5"', 'value="${mass}"')},
        'is xacro',
    ),
    'a package path': (
        {'robot_description': 'package://arm/urdf/arm.urdf'},
        "'package://arm/urdf/arm.urdf' looks like",
    ),
    'no moving joint': (
        {'robot_description': '<robot name="r"><link name="l"/></robot>'},
        'no moving joint',
    ),
    'an unknown joint': (
        {'robot_description': URDF, 'joints': ['elbow']},
        "'elbow': known are turn, slide, wrist",
    ),
    'a joint twice': ({'robot_description': URDF, 'joints': ['turn', 'turn']}, 'named twice'),
    'an unknown term': ({'robot_description': URDF, 'terms': ['weight']}, 'allowed are gravity'),
}


@pytest.mark.parametrize('configured', [True, False])
def test_a_topic_beside_the_parameter_is_said(graph, configured):
    """`description:=` beside robot_state_publisher."""
    used = {'robot_description': URDF, 'autostart': configured}
    with graph(**used) as (node, observer):
        counters = node.topic_counters['robot_description']
        observer.description.publish(String(data=URDF))
        observer.until(lambda: counters.used, 'the same text')
        observer.description.publish(String(data=HEAVIER))
        observer.until(lambda: counters.rejected, 'refusal')
        assert 'leave the parameter' in counters.last_reason
        assert label(observer) == ('active' if configured else 'unconfigured')


def test_a_robot_put_out_of_service_stays_so(graph):
    """A robot_state_publisher that starts again must not arm it."""
    with graph() as (node, observer):
        observer.description.publish(String(data=URDF))
        observer.until(lambda: label(observer) == 'active', 'activation')
        assert change(observer, Transition.TRANSITION_DEACTIVATE)
        assert change(observer, Transition.TRANSITION_CLEANUP)
        before = node.topic_counters['robot_description'].used
        observer.description.publish(String(data=URDF))
        observer.until(
            lambda: node.topic_counters['robot_description'].used > before, 'description'
        )
        assert label(observer) == 'unconfigured'


def test_wrong_torque_terms_are_caught_before_they_are_commanded(graph, monkeypatch, capfd):
    right = RobotDynamics.torque_terms
    monkeypatch.setattr(RobotDynamics, 'torque_terms', lambda self, *args: -right(self, *args))
    with graph(robot_description=URDF) as (_, observer):
        assert label(observer) == 'unconfigured'
    assert 'in torque_terms' in capfd.readouterr().err


def warnings_about_the_back_end(capfd):
    lines = capfd.readouterr().err.splitlines()
    return [line for line in lines if '[WARN]' in line and 'plain Python' in line]


def test_plain_python_computes_the_same(graph, dynamics, monkeypatch, capfd):
    monkeypatch.setenv('ROBOT_DYNAMICS_BACKEND', 'python')
    with graph(robot_description=URDF) as (_, observer):
        command, _ = observer.answer_to(state(Q, V))
    np.testing.assert_allclose(command.data, dynamics.bias_torque(Q, V), rtol=1e-12)
    assert warnings_about_the_back_end(capfd) == []


def test_plain_python_that_was_not_asked_for_is_a_warning(graph, monkeypatch, capfd):
    pytest.importorskip('llvmlite')
    monkeypatch.setattr('llvmlite.binding.llvm_version_info', (14, 0, 6))  # of Ubuntu 24.04
    with graph(robot_description=URDF) as (_, observer):
        observer.answer_to(state(Q, V))
    (warning,) = warnings_about_the_back_end(capfd)
    assert re.search(r'llvmlite .* 0\.44', warning)


def test_a_transition_that_is_not_allowed_is_answered_and_logged(graph, capfd):
    requests = {
        'transition 3': {'id': Transition.TRANSITION_ACTIVATE},
        'transition launch': {'label': 'launch'},
        # As in rclpy, the label counts.
        'transition activate': {'id': Transition.TRANSITION_CONFIGURE, 'label': 'activate'},
    }
    with graph(robot_description=URDF, autostart=False) as (_, observer):
        for named, fields in requests.items():
            transition, name = Transition(**fields), '/robot_dynamics/change_state'
            assert not observer.call(ChangeState, name, transition=transition).success
            said = capfd.readouterr().err
            assert named in said
            assert 'configure (1), shutdown (5)' in said
        assert label(observer) == 'unconfigured'


def test_a_refused_configuration_can_be_repaired(graph, capfd):
    """One node refuses each in turn, says why, and takes the right one after it."""
    with graph() as (node, observer):
        for parameters, reason in REFUSED.values():
            for name, value in {**DEFAULTS, **parameters}.items():
                (result,) = node.set_parameters([Parameter(name, value=value)])
                if not result.successful:
                    # A value that no robot could have is refused before.
                    assert reason in result.reason
                    break
            else:
                assert not change(observer, Transition.TRANSITION_CONFIGURE)
                assert label(observer) == 'unconfigured'
                assert reason in capfd.readouterr().err
        for name, value in {**DEFAULTS, 'robot_description': URDF}.items():
            assert node.set_parameters([Parameter(name, value=value)])[0].successful
        assert change(observer, Transition.TRANSITION_CONFIGURE)
        assert change(observer, Transition.TRANSITION_ACTIVATE)
        observer.answer_to(state(Q, V))


def test_a_running_node_refuses_bad_and_structural_changes(graph, dynamics):
    bad = [
        ('joints', ['turn'], 'read on configure'),
        ('robot_description', URDF, 'read on configure'),
        ('terms', ['weight'], "terms[0] is 'weight', allowed are gravity"),
        ('terms', 'gravity', "terms is 'gravity', a list"),
        ('gravity', [0.0, 0.0, float('nan')], 'gravity[2] is nan'),
        ('gravity', [0.0, 0.0, -9.81e3], 'gravity[2] is -9810'),
        ('effort_limits', [1.0, 2.0], 'effort_limits has 2 values'),
        ('effort_limits', [-1.0], 'effort_limits[0] is -1.0, '),
        ('external_frame', 'nose', 'nose'),
        ('evaluate_at', 'nowhere', 'allowed are reference, state'),
        ('autostart', 1, 'bool is needed'),
    ]
    with graph(robot_description=URDF) as (node, observer):
        for name, value, reason in bad:
            before = node.get_parameter(name).value
            (result,) = node.set_parameters([Parameter(name, value=value)])
            assert not result.successful
            assert reason in result.reason
            assert node.get_parameter(name).value == before
        (result,) = node.set_parameters([Parameter('terms', Parameter.Type.NOT_SET)])
        assert not result.successful
        assert 'cannot be deleted' in result.reason
        command, _ = observer.answer_to(state(Q, V))
    np.testing.assert_allclose(command.data, dynamics.bias_torque(Q, V), rtol=1e-12)


def test_deactivation_stops_commands_and_forgets_the_reference(graph, dynamics):
    with graph(robot_description=URDF) as (node, observer):
        follow(node, observer, trajectory(point(Q, V, V)))
        observer.answer_to(state(Q, V))
        assert change(observer, Transition.TRANSITION_DEACTIVATE)
        observer.until(
            lambda: observer.torques[-1].mode == JointTorques.MODE_SILENT, 'the last torques'
        )
        assert change(observer, Transition.TRANSITION_ACTIVATE)
        command, _ = observer.answer_to(state(Q, V))
    np.testing.assert_allclose(command.data, dynamics.bias_torque(Q, V), rtol=1e-12)
