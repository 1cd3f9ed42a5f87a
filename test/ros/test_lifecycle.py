"""Configuring, activating, stopping and their refusals; what outlives each."""

import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticStatus
from domains import free_domain
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from references import point, trajectory
from std_msgs.msg import String
from std_srvs.srv import SetBool
from three_joints import HEAVIER, INDEFINITE, URDF, state

from robot_dynamics_interfaces.srv import GetGravity
from robot_dynamics_ros.control import guarded_feedforward
from robot_dynamics_ros.core import ParameterError, RobotDynamics, parse_urdf
from robot_dynamics_ros.ros.description import read_description
from robot_dynamics_ros.ros.parameter_table import TABLE

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
CHANGED = 'robot_description', 'description_file', 'joint_model', 'joints', 'terms'
DEFAULTS = {name: TABLE.rows[name].default for name in CHANGED}


def label(observer):
    return observer.call(GetState, 'get_state').current_state.label


def change(observer, name):
    return observer.call(ChangeState, 'change_state', transition=Transition(label=name)).success


def test_a_description_from_the_topic_changes_nothing_until_it_is_configured(guarded, dynamics):
    """A robot_state_publisher that starts again must not arm a robot put out of service."""
    torque = dynamics.bias_torque(Q, V)
    with guarded(robot_description='') as scene:
        assert label(scene) == 'unconfigured'
        publish = scene.description.publish
        publish(String(data=URDF))
        scene.settle(torque)
        publish(String(data='<robot/>'))
        scene.shows('description_unused')
        publish(String(data=' '))
        scene.shows('description_refused')
        np.testing.assert_allclose(scene.next_commands(), [torque] * 5, rtol=1e-12)
        scene.trigger('deactivate', 'cleanup', 'configure')
        scene.shows('refused')
        counters = scene.robot.topic_counters['robot_description']
        before = counters.used
        publish(String(data=HEAVIER))
        scene.until(lambda: counters.used > before, 'description')
        assert label(scene) == 'unconfigured'
        scene.trigger('configure', 'activate')
        scene.settle(RobotDynamics(parse_urdf(HEAVIER)).bias_torque(Q, V))
        scene.gone('description_unused')


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
    'nothing.urdf': {'description_file': 'nothing.urdf'},
    'both.urdf': {'description_file': 'both.urdf', 'robot_description': URDF},
    'nothing.yaml': {'robot_description': URDF, 'joint_model': 'nothing.yaml'},
    "'lift'": {'robot_description': URDF, 'joint_model': 'lift.yaml'},
}


def test_a_refused_configuration_can_be_repaired(graph, tmp_path, monkeypatch):
    """One node refuses each in turn, says why, and takes the right one after it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'lift.yaml').write_text('joints: {lift: {viscous: 1.0}}')
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
    # A text of its own, so that it is compiled anew.
    with graph(robot_description=f'{URDF}<!-- wrong -->') as (_, observer):
        assert label(observer) == 'unconfigured'
        assert 'torque_terms' in observer.shows('refused').message


def test_plain_python_computes_the_same_and_is_logged(graph, dynamics, monkeypatch):
    pytest.importorskip('llvmlite')
    monkeypatch.setattr('llvmlite.binding.llvm_version_info', (13, 0, 0))
    # A text of its own, so that the back end is chosen anew.
    with graph(robot_description=f'{URDF}<!-- -->') as (_, observer):
        command, _ = observer.answer_to(state(Q, V))
        assert [line for line in observer.lines('plain Python') if '[WARN]' in line]
    np.testing.assert_allclose(command.data, dynamics.bias_torque(Q, V), rtol=1e-12)


def test_a_running_node_refuses_bad_and_structural_changes(lent, dynamics):
    bad = [
        ('joints', ['turn'], 'configure'),
        ('joint_model', 'friction.yaml', 'configure'),
        ('robot_description', URDF, 'configure'),
        ('terms', ['weight'], "terms[0] is 'weight'"),
        ('terms', 'gravity', "terms is 'gravity'"),
        ('gravity', [0.0, 0.0, float('nan')], 'gravity[2] is nan'),
        ('gravity', [0.0, 0.0, -9.81e3], 'gravity[2] is -9810'),
        ('effort_limits', [1.0, 2.0], 'effort_limits has 2'),
        ('effort_limits', [-1.0], 'effort_limits[0] is -1.0'),
        ('external_frame', 'nose', 'nose'),
        ('autostart', 1, 'bool'),
    ]
    for name, value, named in bad:
        before = lent.robot.get_parameter(name).value
        assert named in lent.refused(**{name: value})
        assert lent.robot.get_parameter(name).value == before
    (result,) = lent.robot.set_parameters([Parameter('terms', Parameter.Type.NOT_SET)])
    assert not result.successful
    command, _ = lent.answer_to(state(Q, V))
    np.testing.assert_allclose(command.data, dynamics.bias_torque(Q, V), rtol=1e-12)


# A signal during the start


def test_a_start_does_not_go_on_after_an_end_was_asked_for(graph, monkeypatch):
    with graph(start=False, robot_description=URDF) as (node, observer):
        robot_of = node._configuration.robot_of

        def interrupted(*arguments):
            node.signals = 1
            return robot_of(*arguments)

        monkeypatch.setattr(node._configuration, 'robot_of', interrupted)
        node.start()
        assert label(observer) == 'unconfigured'


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


def test_torque_ends_on_the_documented_command_and_returns(guarded, dynamics):
    """What a person has disabled stays so, without a reference."""
    with guarded() as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        assert scene.call(SetBool, 'enable', data=False).success
        scene.settle(np.zeros(3))
        scene.until_silent()
        scene.reference.publish(trajectory(point(Q)))
        scene.shows('reference_refused')
        scene.trigger('deactivate', 'cleanup', 'configure', 'activate')
        scene.shows('disabled')
        scene.until_silent()
        assert scene.call(SetBool, 'enable', data=True).success
        scene.settle(dynamics.bias_torque(Q, V))


def test_commands_go_on_from_the_last_one_after_cleanup(guarded, dynamics):
    """The recording, which checks each step, would see a leap. The reference is forgotten."""
    with guarded(on_stop='hold', reference_timeout=60.0) as scene:
        scene.follow(trajectory(point(Q, V, V)))
        scene.settle(dynamics.inverse_dynamics(Q, V, V))
        scene.trigger('deactivate', 'activate')
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
