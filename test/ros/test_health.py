"""Conditions: begin, change and end in the log, and what the node says from its start on."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from captured_log import Log
from diagnostic_msgs.msg import DiagnosticArray
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool
from three_joints import URDF, state

from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_ros.control.supervisor import Mode
from robot_dynamics_ros.ros import conditions, diagnostics, health
from robot_dynamics_ros.ros.health import FLICKER, OK, WARN, Health, Rule

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """What waits for discovery is logged earlier, so that the tests wait less."""
    monkeypatch.setattr(health, 'PERIOD', 0.05)
    monkeypatch.setattr(health, 'PATIENCE', 0.2)


@pytest.fixture
def log(capfd):
    return Log(capfd)


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
        parts = [None] * 5
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


def test_codes_are_unique_and_their_statuses_exist():
    codes = [rule.code for rule in conditions.RULES]
    assert len(set(codes)) == len(codes)
    assert {rule.status for rule in conditions.RULES} <= {'', *diagnostics.STATUSES}


@pytest.mark.parametrize(
    ('found', 'said'), [(None, 'change_state with'), ('/bin/ros2', 'ros2 lifecycle')]
)
def test_advice_fits_a_machine_without_the_ros2_command(graph, log, monkeypatch, found, said):
    monkeypatch.setattr(conditions.shutil, 'which', lambda name: found)
    with graph(robot_description=URDF, autostart=False, namespace='/arm') as (node, observer):
        line = log.until(observer, 'to configure')
        assert said in line
        node.trigger_configure()
        line = log.until(observer, 'inactive: no torque')
    assert said in line
    assert '/arm/robot_dynamics' in line
    assert 'activate' in line


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
        assert 'no valid joint state' in line
        assert '/arm/joint_states has no publisher' in line
        assert 'node in namespace /left' in line
        assert 'remap /arm/joint_states:=/left/joint_states' in line
        observer.node.destroy_publisher(elsewhere)


def test_from_the_start_to_the_first_command(graph, log):
    with graph(robot_description=URDF) as (_, observer):
        log.until(observer, 'torques go to /robot_dynamics/commands')
        log.until(observer, 'received by /observer')
        log.until(observer, 'no joint state')
        assert not log.lines('commanding')
        observer.answer_to(state(Q, V))
        line = log.until(observer, 'commanding turn, slide, wrist on /robot_dynamics/commands')
        assert 'gravity + coriolis + inertial' in line
        observer.call(SetBool, '/robot_dynamics/enable', data=False)
        log.until(observer, 'disabled: call ~/enable')
        observer.until(
            lambda: observer.torques[-1].mode == JointTorques.MODE_SILENT, 'the last torques'
        )


def test_a_node_without_subscribers_names_one_that_comes_and_one_that_leaves(graph, log):
    with graph(robot_description=URDF) as (_, observer):
        log.until(observer, 'received by /observer')
        observer.node.destroy_subscription(observer.received)
        log.until(observer, 'nobody subscribes to')


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


def test_the_document_lists_the_codes_of_each_status():
    text = (Path(__file__).parents[2] / 'docs' / 'interfaces.md').read_text()
    for status in diagnostics.STATUSES:
        codes = ', '.join(f'`{each.code}`' for each in conditions.RULES if each.status == status)
        assert f'| {status} | {codes} |' in text
