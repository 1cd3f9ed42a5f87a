"""Conditions: begin, change and end in the log, and what the node says from its start on."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool
from three_joints import URDF, state

from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_ros.control.supervisor import Mode
from robot_dynamics_ros.ros import conditions, health
from robot_dynamics_ros.ros.health import FLICKER, OK, STATUSES, WARN, Health, Rule

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]


class Clock:
    """A time that the test moves."""

    now = 100.0

    def monotonic(self):
        return self.now


class Written:
    """Stands for a logger."""

    def __init__(self):
        self.lines = []

    def __getattr__(self, level):
        return lambda text: self.lines.append((level, text))


@pytest.fixture
def table(monkeypatch):
    """Makes a table of rows whose sentences the test says; looks every 0.2 s."""
    clock, written, said = Clock(), Written(), {}
    monkeypatch.setattr(health, 'clock', clock)

    def make(*rows):
        node = SimpleNamespace(create_timer=lambda *args, **kwargs: None)
        node.create_publisher = node.create_timer
        node.get_logger = lambda: written
        rules = [
            Rule(
                code,
                'model',
                level,
                lambda _, code=code: said.get(code, ''),
                configured=None,
                **more,
            )
            for code, level, more in rows
        ]
        parts = [None] * 4
        watched = Health(node, SimpleNamespace(current=None), *parts, rules)

        def look(seconds, **sentences):
            said.clear()
            said.update(sentences)
            for _ in range(round(seconds / 0.2)):
                clock.now += 0.2
                watched.update()
            lines = [*written.lines]
            written.lines.clear()
            return lines

        return watched, look

    return make


def test_a_condition_is_logged_when_it_begins_changes_and_ends(table):
    _, look = table(('hot', WARN, {'over': 'cool again'}))
    assert look(10.0, hot='axis1 is at 80.1') == [('warning', 'axis1 is at 80.1')]
    # A number alone is no change, a name is one.
    assert look(10.0, hot='axis1 is at 91.5e3') == []
    assert look(10.0, hot='axis2 is at 80') == [('warning', 'axis2 is at 80')]
    ((level, text),) = look(10.0)
    assert (level, text.split(',')[0]) == ('info', 'cool again')
    assert float(re.search(r'([\d.]+) s', text)[1]) == pytest.approx(30.0, abs=1.0)
    assert look(2.0, hot='axis2 is at 80') == [('warning', 'axis2 is at 80')]


def test_a_condition_that_flickers_begins_once_and_changes_at_most_once_a_second(table):
    _, look = table(('stale', WARN, {'over': 'back'}), ('mode', OK, {}))
    lines = []
    for step in range(50):
        lines += look(0.2, stale='stale' if step % 2 else '', mode=f'mode {"ab"[step % 2]}')
    stale = [text for _, text in lines if 'mode' not in text]
    assert stale == ['stale']
    assert 2 <= len(lines) - 1 <= 10.0 / FLICKER + 1


def test_a_condition_holds_after_its_time_in_log_and_diagnostics(table):
    watched, look = table(('full', WARN, {'after': 0.5}), ('wait', WARN, {'waits': True}))
    assert look(0.4, full='full', wait='nobody there') == [('warning', 'nobody there')]
    assert [each.rule.code for each in watched.found] == ['wait']
    assert look(0.4, full='full', wait='nobody there') == [('warning', 'full')]
    assert [each.rule.code for each in watched.found] == ['full', 'wait']


def test_codes_are_unique_and_the_document_lists_those_of_each_status():
    codes = [rule.code for rule in conditions.RULES]
    assert len(set(codes)) == len(codes)
    assert {rule.status for rule in conditions.RULES} <= {'', *STATUSES}
    text = (Path(__file__).parents[2] / 'docs' / 'interfaces.md').read_text()
    for status in STATUSES:
        codes = ', '.join(f'`{each.code}`' for each in conditions.RULES if each.status == status)
        assert f'| {status} | {codes} |' in text


def test_every_mode_has_its_constant():
    values = [getattr(JointTorques, f'MODE_{mode.name}') for mode in Mode]
    assert len(set(values)) == len(values)
    assert len([name for name in dir(JointTorques) if name.startswith('MODE_')]) == len(values)


@pytest.mark.parametrize(
    ('found', 'said'), [(None, 'change_state with'), ('/bin/ros2', 'ros2 lifecycle')]
)
def test_advice_fits_a_machine_without_the_ros2_command(graph, monkeypatch, found, said):
    monkeypatch.setattr(conditions.shutil, 'which', lambda name: found)
    with graph(robot_description=URDF, autostart=False, namespace='/arm') as (node, observer):
        assert said in observer.logs('to configure')
        node.trigger_configure()
        line = observer.logs('to activate')
    assert said in line
    assert '/arm/robot_dynamics' in line


def test_topics_are_waited_for_under_their_full_names(graph):
    with graph(namespace='/arm') as (node, observer):
        observer.logs('/arm/observer publishes on /arm/robot_description')
        elsewhere = observer.node.create_publisher(String, '/robot_description', 1)
        observer.node.destroy_publisher(observer.description)
        observer.logs('remap /arm/robot_description:=/robot_description')
        observer.node.destroy_publisher(elsewhere)
        assert observer.shows('unconfigured').name == '/arm/robot_dynamics: model'
        elsewhere = observer.node.create_publisher(JointState, '/left/joint_states', 10)
        observer.node.destroy_publisher(observer.states)
        node.set_parameters([Parameter('robot_description', value=URDF)])
        node.trigger_configure()
        node.trigger_activate()
        observer.logs('remap /arm/joint_states:=/left/joint_states')
        assert observer.shows('no_states').hardware_id == 'three'
        observer.node.destroy_publisher(elsewhere)


def test_from_the_start_to_the_first_command(graph):
    with graph(robot_description=URDF) as (_, observer):
        assert '/observer' in observer.logs('torques go to /robot_dynamics/commands')
        observer.shows('no_states')
        observer.answer_to(state(Q, V))
        line = observer.logs('commanding turn, slide, wrist on /robot_dynamics/commands')
        assert 'gravity + coriolis + inertial' in line
        observer.call(SetBool, 'enable', data=False)
        observer.shows('disabled')
        observer.until(
            lambda: observer.torques[-1].mode == JointTorques.MODE_SILENT, 'the last torques'
        )
        observer.node.destroy_subscription(observer.received)
        observer.shows('nobody_listens')


def test_findings_of_the_audit_are_logged(graph):
    flat = URDF.replace('ixx="0.05" iyy="0.06" izz="0.055"', 'ixx="0.05" iyy="0.06" izz="0.5"')
    with graph(robot_description=flat) as (_, observer):
        observer.logs('triangle inequality')


def test_without_gravity_a_node_that_compensates_it_warns(graph):
    with graph(robot_description=URDF, gravity=[0.0, 0.0, 0.0]) as (node, observer):
        observer.shows('no_gravity')
        node.set_parameters([Parameter('gravity', value=[0.0, 0.0, -9.81])])
        observer.gone('no_gravity')


def test_gravity_added_by_the_driver_is_warned_of_and_equal_efforts_are_not(guarded, dynamics):
    gravity = dynamics.gravity_torque(Q)
    with guarded() as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        scene.driver.effort = lambda: scene.recording.last
        key = 'measured excess / gravity [-]'
        scene.until(
            lambda: scene.figures('driver gravity')[key] != 'not known', 'a comparison of efforts'
        )
        scene.gone('double_gravity')
        scene.driver.effort = lambda: scene.recording.last + gravity
        scene.shows('double_gravity')
        # The advice helps: then the measured effort is right.
        scene.set(terms=['coriolis', 'inertial'])
        scene.settle(dynamics.bias_torque(Q, V) - gravity)
        scene.gone('double_gravity')
