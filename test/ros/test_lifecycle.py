"""Configuring, activating, stopping and their refusals; what outlives each."""

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.parameter import Parameter
from references import follow, point, trajectory
from std_msgs.msg import String
from std_srvs.srv import SetBool
from three_joints import HEAVIER, INDEFINITE, URDF, state

from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_interfaces.srv import GetGravity
from robot_dynamics_ros.control import guarded_feedforward
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.ros.parameter_table import TABLE

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
CHANGED = 'robot_description', 'joints', 'terms', 'gravity'
DEFAULTS = {name: TABLE.rows[name].default for name in CHANGED}


def label(observer):
    return observer.call(GetState, 'get_state').current_state.label


def change(observer, name):
    return observer.call(ChangeState, 'change_state', transition=Transition(label=name)).success


def test_the_description_may_come_from_the_latched_topic_once(graph, dynamics):
    """A robot_state_publisher that starts again must not arm a robot put out of service."""
    with graph() as (node, observer):
        assert label(observer) == 'unconfigured'
        observer.description.publish(String(data=URDF))
        observer.until(lambda: label(observer) == 'active', 'activation')
        command, _ = observer.answer_to(state(Q, V))
        np.testing.assert_allclose(command.data, dynamics.bias_torque(Q, V), rtol=1e-12)
        assert change(observer, 'deactivate')
        assert change(observer, 'cleanup')
        counters = node.topic_counters['robot_description']
        before = counters.used
        observer.description.publish(String(data=URDF))
        observer.until(lambda: counters.used > before, 'description')
        assert label(observer) == 'unconfigured'


@pytest.mark.parametrize('text', [HEAVIER, '<robot/>'], ids=['heavier', 'broken'])
def test_a_new_description_changes_nothing_until_it_is_configured(guarded, dynamics, text):
    torque = dynamics.bias_torque(Q, V)
    with guarded(robot_description='') as scene:
        scene.observer.description.publish(String(data=URDF))
        scene.settle(torque)
        scene.observer.description.publish(String(data=text))
        scene.shows('description_unused')
        scene.observer.description.publish(String(data=' '))
        scene.shows('description_refused')
        np.testing.assert_allclose(scene.next_commands(), [torque] * 5, rtol=1e-12)
        scene.trigger('deactivate', 'cleanup', 'configure')
        if text == HEAVIER:
            scene.trigger('activate')
            scene.settle(RobotDynamics(parse_urdf(HEAVIER)).bias_torque(Q, V))
            scene.gone('description_unused')
        else:
            scene.shows('refused')


@pytest.mark.parametrize('configured', [True, False])
def test_a_topic_beside_the_parameter_is_refused(graph, configured):
    """`description:=` beside robot_state_publisher."""
    with graph(robot_description=URDF, autostart=configured) as (node, observer):
        counters = node.topic_counters['robot_description']
        observer.description.publish(String(data=URDF))
        observer.until(lambda: counters.used, 'the same text')
        observer.description.publish(String(data=HEAVIER))
        observer.until(lambda: counters.rejected, 'refusal')
        assert label(observer) == ('active' if configured else 'unconfigured')


def test_without_autostart_each_step_is_asked_for_and_others_are_refused(graph):
    with graph(robot_description=URDF, autostart=False) as (_, observer):
        refused = (
            {'id': Transition.TRANSITION_ACTIVATE},
            {'label': 'launch'},
            # As in rclpy, the label counts.
            {'id': Transition.TRANSITION_CONFIGURE, 'label': 'activate'},
        )
        for fields in refused:
            transition = Transition(**fields)
            assert not observer.call(ChangeState, 'change_state', transition=transition).success
            assert observer.lines('configure (1), shutdown (5)')
        observer.states.publish(state(Q, V))
        assert change(observer, 'configure')
        assert label(observer) == 'inactive'
        observer.states.publish(state(Q, V))
        # The next answer comes after any of that state.
        assert label(observer) == 'inactive'
        assert not observer.commands
        assert change(observer, 'activate')
        observer.answer_to(state(Q, V))


REFUSED = {
    'XML': {'robot_description': 'robot'},
    'negative': {'robot_description': INDEFINITE},
    'xacro': {'robot_description': URDF.replace('value="1.5"', 'value="${mass}"')},
    'package://arm': {'robot_description': 'package://arm/urdf/arm.urdf'},
    'no moving joint': {'robot_description': '<robot name="r"><link name="l"/></robot>'},
    "'elbow'": {'robot_description': URDF, 'joints': ['elbow']},
    'turn': {'robot_description': URDF, 'joints': ['turn', 'turn']},
    'weight': {'robot_description': URDF, 'terms': ['weight']},
}


def test_a_refused_configuration_can_be_repaired(graph):
    """One node refuses each in turn, says why, and takes the right one after it."""
    with graph() as (node, observer):
        for named, parameters in REFUSED.items():
            for name, value in {**DEFAULTS, **parameters}.items():
                (result,) = node.set_parameters([Parameter(name, value=value)])
                if not result.successful:
                    # A value that no robot could have is refused before.
                    assert named in result.reason
                    break
            else:
                assert not change(observer, 'configure')
                assert label(observer) == 'unconfigured'
                assert named in observer.shows('refused').message
        for name, value in {**DEFAULTS, 'robot_description': URDF}.items():
            assert node.set_parameters([Parameter(name, value=value)])[0].successful
        assert change(observer, 'configure')
        assert change(observer, 'activate')
        observer.answer_to(state(Q, V))


def test_wrong_torque_terms_are_caught_before_they_are_commanded(graph, monkeypatch):
    right = RobotDynamics.torque_terms
    monkeypatch.setattr(RobotDynamics, 'torque_terms', lambda self, *args: -right(self, *args))
    with graph(robot_description=URDF) as (_, observer):
        assert label(observer) == 'unconfigured'
        assert 'torque_terms' in observer.shows('refused').message


@pytest.mark.parametrize('asked', [True, False])
def test_plain_python_computes_the_same_and_is_logged_where_nobody_asked_for_it(
    graph, dynamics, monkeypatch, asked
):
    pytest.importorskip('llvmlite')
    if asked:
        monkeypatch.setenv('ROBOT_DYNAMICS_BACKEND', 'python')
    else:
        monkeypatch.setattr('llvmlite.binding.llvm_version_info', (14, 0, 6))  # of Ubuntu 24.04
    # A text of its own, so that the back end is chosen anew.
    with graph(robot_description=f'{URDF}<!-- {asked} -->') as (_, observer):
        command, _ = observer.answer_to(state(Q, V))
        warnings = [line for line in observer.lines('plain Python') if '[WARN]' in line]
    np.testing.assert_allclose(command.data, dynamics.bias_torque(Q, V), rtol=1e-12)
    assert bool(warnings) is not asked
    assert asked or 'llvmlite 0.44' in warnings[0]


def test_a_running_node_refuses_bad_and_structural_changes(graph, dynamics):
    bad = [
        ('joints', ['turn'], 'configure'),
        ('robot_description', URDF, 'configure'),
        ('terms', ['weight'], "terms[0] is 'weight'"),
        ('terms', 'gravity', "terms is 'gravity'"),
        ('gravity', [0.0, 0.0, float('nan')], 'gravity[2] is nan'),
        ('gravity', [0.0, 0.0, -9.81e3], 'gravity[2] is -9810'),
        ('effort_limits', [1.0, 2.0], 'effort_limits has 2'),
        ('effort_limits', [-1.0], 'effort_limits[0] is -1.0'),
        ('external_frame', 'nose', 'nose'),
        ('evaluate_at', 'nowhere', 'nowhere'),
        ('autostart', 1, 'bool'),
    ]
    with graph(robot_description=URDF) as (node, observer):
        for name, value, named in bad:
            before = node.get_parameter(name).value
            (result,) = node.set_parameters([Parameter(name, value=value)])
            assert not result.successful
            assert named in result.reason
            assert node.get_parameter(name).value == before
        (result,) = node.set_parameters([Parameter('terms', Parameter.Type.NOT_SET)])
        assert not result.successful
        command, _ = observer.answer_to(state(Q, V))
    np.testing.assert_allclose(command.data, dynamics.bias_torque(Q, V), rtol=1e-12)


# A signal during the start


@pytest.mark.parametrize('where', ['before', 'robot_of', 'trigger_configure'])
def test_a_start_does_not_go_on_after_an_end_was_asked_for(graph, where):
    with graph(start=False, robot_description=URDF) as (node, observer):
        owner = node._configuration if where == 'robot_of' else node
        real = getattr(owner, where, None)

        def interrupted(*arguments):
            result = real(*arguments)
            node.end_requested = True
            return result

        setattr(owner, where, interrupted)
        node.end_requested = where == 'before'
        node.start()
        robot = node.robot_holder.current
        assert (robot is not None) == (where == 'trigger_configure')
        assert robot is None or not robot.guard.supervisor.active
        assert bool(observer.lines('compiled in')) == (robot is not None)


# The end of torque, and its return


@pytest.mark.contract
def test_services_are_answered_during_the_fade_of_a_deactivation(guarded, dynamics):
    with guarded() as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        scene.set(fade_time=3.0)
        deactivation = scene.transition('deactivate')
        before = len(scene.recording)
        scene.until(lambda: len(scene.recording) > before + 5, 'commands of the fade')
        assert scene.call(GetGravity, 'get_gravity', state=state(Q)).success
        assert not deactivation.done()
        scene.until(deactivation.done, 'the end of the fade')
        assert deactivation.result().success
        scene.settle(np.zeros(3))
        scene.until_silent()


@pytest.mark.parametrize(
    ('way', 'on_stop'), [('deactivated', 'hold'), ('disabled', 'zero'), ('stale', 'hold')]
)
def test_torque_ends_on_the_documented_command_and_returns(guarded, dynamics, way, on_stop):
    """Stale: the last command is reached although no state comes."""
    last = dynamics.gravity_torque(Q) if on_stop == 'hold' else np.zeros(3)
    with guarded(on_stop=on_stop) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        if way == 'stale':
            scene.driver.pause()
        if way == 'disabled':
            assert scene.call(SetBool, 'enable', data=False).success
        else:
            assert change(scene.observer, 'deactivate')
        scene.settle(last)
        scene.until_silent()
        if way == 'disabled':
            scene.observer.reference.publish(trajectory(point(Q)))
            scene.shows('reference_refused')
            # What a person has disabled stays so.
            scene.trigger('deactivate', 'cleanup', 'configure', 'activate')
            scene.shows('disabled')
            scene.until_silent()
            assert scene.call(SetBool, 'enable', data=True).success
        else:
            scene.driver.resume()
            assert change(scene.observer, 'activate')
        scene.settle(dynamics.bias_torque(Q, V))


def test_commands_go_on_from_the_last_one_after_cleanup(guarded, dynamics):
    """The recording, which checks each step, would see a leap."""
    with guarded(on_stop='hold') as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        scene.trigger('deactivate', 'cleanup')
        scene.settle(dynamics.gravity_torque(Q))
        scene.trigger('configure', 'activate')
        scene.settle(dynamics.bias_torque(Q, V))


def test_nothing_but_enable_ends_a_fault(guarded, dynamics, monkeypatch):
    """As of states that stay away for longer than the node holds an arm that nobody sees."""
    torque = dynamics.bias_torque(Q, V)
    with guarded(state_timeout=0.1) as scene:
        scene.settle(torque)
        scene.driver.pause()
        with monkeypatch.context() as soon:
            soon.setattr(guarded_feedforward, 'LONGEST_STALE', 0.5)
            assert scene.shows('fault').level == DiagnosticStatus.ERROR
        scene.trigger('deactivate', 'cleanup', 'configure', 'activate')
        scene.driver.resume()
        scene.shows('fault')
        scene.until_silent()
        assert scene.call(SetBool, 'enable', data=True).success
        scene.settle(torque)


def test_deactivation_forgets_the_reference(graph, dynamics):
    with graph(robot_description=URDF) as (node, observer):
        follow(node, observer, trajectory(point(Q, V, V)))
        observer.answer_to(state(Q, V))
        assert change(observer, 'deactivate')
        observer.until(
            lambda: observer.torques[-1].mode == JointTorques.MODE_SILENT, 'the last torques'
        )
        assert change(observer, 'activate')
        command, _ = observer.answer_to(state(Q, V))
    np.testing.assert_allclose(command.data, dynamics.bias_torque(Q, V), rtol=1e-12)
