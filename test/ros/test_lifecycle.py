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

from robot_dynamics_ros.control.guarded_feedforward import REPEATS
from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.ros.parameter_table import TABLE

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
DEFAULTS = {name: row.default for name, row in TABLE.rows.items()}


def label(observer):
    return observer.call(GetState, '/robot_dynamics/get_state').current_state.label


def change(observer, transition):
    request = ChangeState.Request()
    request.transition.id = transition
    return observer.call(
        ChangeState, '/robot_dynamics/change_state', transition=request.transition
    ).success


def test_autostart_activates(graph):
    with graph(robot_description=URDF) as (_, observer):
        assert label(observer) == 'active'


def test_the_description_may_come_from_the_latched_topic(graph, dynamics):
    with graph() as (_, observer):
        assert label(observer) == 'unconfigured'
        observer.description.publish(String(data=URDF))
        observer.until(lambda: label(observer) == 'active', 'activation')
        command, _ = observer.answer_to(state(Q, V))
    np.testing.assert_allclose(command.data, dynamics.bias_torque(Q, V), rtol=1e-12)


def test_without_autostart_each_step_is_asked_for(graph):
    with graph(robot_description=URDF, autostart=False) as (node, observer):
        observer.states.publish(state(Q, V))
        assert change(observer, Transition.TRANSITION_CONFIGURE)
        assert label(observer) == 'inactive'
        before = node.topic_counters['joint_states'].used
        observer.states.publish(state(Q, V))
        observer.until(lambda: node.topic_counters['joint_states'].used > before, 'state')
        assert not observer.commands
        assert change(observer, Transition.TRANSITION_ACTIVATE)
        observer.answer_to(state(Q, V))


def test_deactivation_stops_commands_and_forgets_the_reference(graph, dynamics):
    with graph(robot_description=URDF) as (node, observer):
        follow(node, observer, trajectory(point(Q, V, V)))
        observer.answer_to(state(Q, V))
        assert change(observer, Transition.TRANSITION_DEACTIVATE)
        # The answer, the last command and its repeats.
        sent = 2 + REPEATS
        observer.until(lambda: len(observer.commands) == sent, 'the last command')
        used = node.topic_counters['joint_states'].used
        observer.states.publish(state(Q, V))
        observer.until(lambda: node.topic_counters['joint_states'].used > used, 'state')
        assert len(observer.commands) == sent
        assert change(observer, Transition.TRANSITION_ACTIVATE)
        command, _ = observer.answer_to(state(Q, V))
    np.testing.assert_allclose(command.data, dynamics.bias_torque(Q, V), rtol=1e-12)


def test_after_cleanup_another_robot_can_be_configured(graph):
    with graph(robot_description=URDF) as (node, observer):
        assert change(observer, Transition.TRANSITION_DEACTIVATE)
        assert change(observer, Transition.TRANSITION_CLEANUP)
        heavier = URDF.replace('<mass value="1.5"/>', '<mass value="3"/>')
        assert node.set_parameters([Parameter('robot_description', value=heavier)])[0].successful
        assert change(observer, Transition.TRANSITION_CONFIGURE)
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
    'a wrong type': ({'robot_description': URDF, 'gravity': 9.81}, 'a list is needed'),
    'too few numbers': ({'robot_description': URDF, 'gravity': [9.81]}, 'gravity has 1 values'),
}


@pytest.mark.parametrize('bad', REFUSED)
def test_a_refused_configuration_can_be_repaired(graph, bad, capfd):
    parameters, reason = REFUSED[bad]
    with graph(**parameters) as (node, observer):
        assert label(observer) == 'unconfigured'
        assert not change(observer, Transition.TRANSITION_CONFIGURE)
        defaults = {**DEFAULTS, 'robot_description': URDF}
        repairs = [Parameter(name, value=defaults[name]) for name in parameters]
        assert all(result.successful for result in node.set_parameters(repairs))
        assert change(observer, Transition.TRANSITION_CONFIGURE)
        assert change(observer, Transition.TRANSITION_ACTIVATE)
        observer.answer_to(state(Q, V))
    assert reason in capfd.readouterr().err


@pytest.mark.parametrize(
    ('name', 'value', 'reason'),
    [
        ('joints', ['turn'], 'read on configure'),
        ('robot_description', URDF, 'read on configure'),
        ('terms', ['weight'], "terms[0] is 'weight', allowed are gravity"),
        ('terms', 'gravity', "terms is 'gravity', a list"),
        ('gravity', [0.0, 0.0, float('nan')], 'gravity[2] is nan'),
        ('gravity', ['down', 'down', 'down'], "gravity[0] is 'down', a number"),
        ('evaluate_at', 'nowhere', 'allowed are reference, state'),
        ('autostart', 1, 'bool is needed'),
    ],
)
def test_a_running_node_refuses_bad_and_structural_changes(graph, dynamics, name, value, reason):
    with graph(robot_description=URDF) as (node, observer):
        (result,) = node.set_parameters([Parameter(name, value=value)])
        assert not result.successful
        assert reason in result.reason
        command, _ = observer.answer_to(state(Q, V))
    np.testing.assert_allclose(command.data, dynamics.bias_torque(Q, V), rtol=1e-12)


def test_a_description_that_changes_while_running_is_refused_and_said(graph):
    with graph(robot_description=URDF) as (node, observer):
        observer.description.publish(String(data='<robot/>'))
        observer.until(lambda: node.topic_counters['robot_description'].rejected, 'refusal')
        observer.answer_to(state(Q, V))


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


def test_unexpanded_xacro_on_the_topic_is_said(graph, capfd):
    with graph() as (_, observer):
        text = URDF.replace('value="1.5"', 'value="${mass}"')
        observer.description.publish(String(data=text))
        said = []

        def heard():
            said.append(capfd.readouterr().err)
            return 'is xacro' in ''.join(said)

        observer.until(heard, 'the reason')
        assert label(observer) == 'unconfigured'


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


def test_a_parameter_cannot_be_deleted(graph, dynamics):
    with graph(robot_description=URDF) as (node, observer):
        (result,) = node.set_parameters([Parameter('terms', Parameter.Type.NOT_SET)])
        assert not result.successful
        assert 'cannot be deleted' in result.reason
        assert node.set_parameters([Parameter('gravity', value=[0.0, 0.0, 9.81])])[0].successful
        command, _ = observer.answer_to(state(Q))
    np.testing.assert_allclose(command.data, -dynamics.gravity_torque(Q), rtol=1e-12)


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


def test_plain_python_that_was_not_asked_for_is_a_warning(graph, dynamics, monkeypatch, capfd):
    pytest.importorskip('llvmlite')
    monkeypatch.setattr('llvmlite.__version__', '0.41.1')  # of Ubuntu 24.04
    with graph(robot_description=URDF) as (_, observer):
        command, _ = observer.answer_to(state(Q, V))
    np.testing.assert_allclose(command.data, dynamics.bias_torque(Q, V), rtol=1e-12)
    (warning,) = warnings_about_the_back_end(capfd)
    assert re.search(r'llvmlite 0\.41\.1.* 0\.44', warning)


@pytest.mark.parametrize(
    ('request_', 'named'),
    [
        ({'id': Transition.TRANSITION_ACTIVATE}, 'transition 3'),
        ({'label': 'activate'}, 'transition activate'),
        ({'label': 'launch'}, 'transition launch'),
        # As in rclpy, the label counts.
        ({'id': Transition.TRANSITION_CONFIGURE, 'label': 'activate'}, 'transition activate'),
    ],
)
def test_a_transition_that_is_not_allowed_is_answered_and_logged(graph, capfd, request_, named):
    with graph(robot_description=URDF, autostart=False) as (_, observer):
        transition = Transition(**request_)
        response = observer.call(
            ChangeState, '/robot_dynamics/change_state', transition=transition
        )
        assert not response.success
        assert label(observer) == 'unconfigured'
        configure = Transition(label='configure')
        assert observer.call(
            ChangeState, '/robot_dynamics/change_state', transition=configure
        ).success
        assert label(observer) == 'inactive'
    said = capfd.readouterr().err
    assert named in said
    assert 'configure (1), shutdown (5)' in said
