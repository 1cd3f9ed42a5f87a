"""What the node says of itself, from its start to its first command, and when it is silent."""

import re
from types import SimpleNamespace

import pytest
from captured_log import Log
from diagnostic_msgs.msg import DiagnosticArray
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import SetBool
from three_joints import JOINTS, URDF, state

from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_ros.control.supervisor import Inhibition, Mode
from robot_dynamics_ros.ros.monitoring import startup_log
from robot_dynamics_ros.ros.monitoring.near_misses import subscribers_of
from robot_dynamics_ros.ros.robot.missing_states import never_measured

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """Waiting is said earlier, so that the tests wait less."""
    monkeypatch.setattr(startup_log, 'PERIOD', 0.05)
    monkeypatch.setattr(startup_log, 'PATIENCE', 0.2)


@pytest.fixture
def log(capfd):
    return Log(capfd)


def test_a_description_is_waited_for_under_its_full_name(graph, log):
    with graph(namespace='/arm') as (_, observer):
        line = log.until(observer, 'waiting for a description')
        assert re.search('/arm/observer publishes.*/arm/robot_description', line)
        elsewhere = observer.node.create_publisher(String, '/robot_description', 1)
        observer.node.destroy_publisher(observer.description)
        line = log.until(observer, '/arm/robot_description has no publisher')
        line = log.until(observer, '; /robot_description has a publisher')
        assert 'remap /arm/robot_description:=/robot_description' in line
        observer.node.destroy_publisher(elsewhere)


def test_states_in_another_namespace_are_named_with_what_to_do(graph, log):
    with graph(robot_description=URDF, namespace='/arm') as (_, observer):
        elsewhere = observer.node.create_publisher(JointState, '/left/joint_states', 10)
        observer.node.destroy_publisher(observer.states)
        line = log.until(observer, '/left/joint_states has a publisher')
        assert 'waiting for joint' in line
        assert '/arm/joint_states has no publisher' in line
        assert 'node in namespace /left' in line
        assert 'remap /arm/joint_states:=/left/joint_states' in line
        observer.node.destroy_publisher(elsewhere)


def test_from_the_start_to_the_first_command(graph, log):
    with graph(robot_description=URDF) as (_, observer):
        log.until(observer, 'configured: robot')
        log.until(observer, 'torques go to /robot_dynamics/commands')
        log.until(observer, 'received by /observer')
        log.until(observer, 'no joint state')
        assert not log.lines('commanding')
        observer.answer_to(state(Q, V))
        log.until(observer, 'came on /joint_states')
        line = log.until(observer, 'commanding turn, slide, wrist on /robot_dynamics/commands')
        assert 'gravity + coriolis + inertial' in line
        for _ in range(20):
            observer.answer_to(state(Q, V))
    for words in ('configured: robot', 'active:', 'the first valid', 'commanding', 'silent'):
        assert len(log.lines(words)) == 1, words


def test_a_node_without_subscribers_names_one_that_comes_and_one_that_leaves(graph, log):
    with graph(robot_description=URDF) as (_, observer):
        log.until(observer, 'received by /observer')
        observer.node.destroy_subscription(observer.received)
        log.until(observer, '/observer no longer receives')
    assert not log.lines('no node')


def test_a_joint_that_never_comes_is_named_with_the_line_to_add(graph, log):
    """The text is that of diagnostics and of the services."""
    with graph(robot_description=URDF, joints=['turn', 'slide']) as (node, observer):
        observer.states.publish(state(Q[:2], V[:2], names=JOINTS[:2]))
        line = log.until(observer, 'commanded: never in joint_states: wrist')
        assert line.endswith(never_measured(node.robot_holder.require()))
        assert 'set parameter locked_joints: {wrist: 0}' in line
    assert len(log.lines('never in joint_states')) == 1


def test_an_inhibition_is_logged_with_its_reason(graph, log):
    inhibition = Inhibition('the door is open', 'as soon as it is closed')
    with graph(robot_description=URDF) as (node, observer):
        node.robot_holder.require().guard.supervisor.inhibitions.put('door', inhibition)
        observer.states.publish(state(Q, V))
        log.until(observer, 'door is open')


def test_an_inactive_node_says_how_to_activate_it(graph, log):
    with graph(robot_description=URDF, autostart=False, namespace='/arm') as (node, observer):
        node.trigger_configure()
        line = log.until(observer, 'inactive: no torque')
    assert 'ros2 lifecycle set /arm/robot_dynamics activate' in line


def test_the_second_publisher_logs_its_silence_and_its_start(graph, log):
    with graph(robot_description=URDF, start=False) as (
        node,
        observer,
    ):
        topic = '/robot_dynamics/commands'
        other = observer.node.create_publisher(Float64MultiArray, topic, 10)
        observer.until(lambda: node.count_publishers(topic) == 2, 'discovery')
        node.start()

        def said(words):
            observer.states.publish(state(Q, V))
            return log.lines(words)

        observer.until(lambda: said('commanded: /observer'), 'silence')
        line = log.lines('commanded: /observer')[0]
        assert f'publishes on {topic}' in line
        assert not log.lines('commanding')
        observer.node.destroy_publisher(other)
        observer.until(lambda: said('commanding turn'), 'commands')


def test_disabled_is_a_reason_with_a_remedy(graph, log):
    with graph(robot_description=URDF) as (_, observer):
        observer.answer_to(state(Q, V))
        observer.call(SetBool, '/robot_dynamics/enable', data=False)
        log.until(observer, 'disabled: call ~/enable')


def test_torques_say_mode_and_fault(graph):
    """The last message, when commands have ceased, says that too."""
    with graph(robot_description=URDF, on_stop='hold') as (node, observer):
        _, torques = observer.answer_to(state(Q, V))
        assert (torques.mode, torques.fault) == (JointTorques.MODE_FOLLOW, '')
        guard = node.robot_holder.require().guard
        with node.robot_holder.lock:
            guard.supervisor.fault = 'on purpose'
        observer.until(
            lambda: observer.torques[-1].mode == JointTorques.MODE_SILENT, 'the last torques'
        )
        modes = [torques.mode for torques in observer.torques]
        assert modes.count(JointTorques.MODE_SILENT) == 1
        assert set(modes) == {
            JointTorques.MODE_FOLLOW,
            JointTorques.MODE_HOLD,
            JointTorques.MODE_SILENT,
        }
        assert observer.torques[-1].fault == 'on purpose'
        assert list(observer.torques[-1].effort) == list(observer.commands[-1].data)
        assert len(observer.torques) == len(observer.commands) + 1


def test_two_arms_differ_in_diagnostics_by_the_full_name(graph):
    with graph(robot_description=URDF, namespace='/left') as (_, observer):
        reports = []
        observer.node.create_subscription(DiagnosticArray, '/diagnostics', reports.append, 10)
        observer.until(lambda: reports, 'diagnostics')
        for status in reports[-1].status:
            assert status.name.startswith('/left/robot_dynamics: ')
            assert status.hardware_id == 'three'


def test_every_mode_has_its_constant():
    values = [getattr(JointTorques, f'MODE_{mode.name}') for mode in Mode]
    assert len(set(values)) == len(values)
    constants = [name for name in dir(JointTorques) if name.startswith('MODE_')]
    assert len(constants) == len(values)


def test_a_receiver_whose_name_is_not_known_yet_is_left_out():
    """Discovery finds an endpoint before its node."""
    names = [('_NODE_NAME_SPACE_UNKNOWN_', '_NODE_NAME_UNKNOWN_'), ('/left', 'controller')]
    endpoints = [SimpleNamespace(node_namespace=space, node_name=name) for space, name in names]
    node = SimpleNamespace(get_subscriptions_info_by_topic=lambda topic: endpoints)
    assert subscribers_of(node, '/commands') == ['/left/controller']
