"""Conditions: begin, change and end in the log, and what the node reports from its start on."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool
from three_joints import URDF, state

from robot_dynamics_ros.ros import conditions, health
from robot_dynamics_ros.ros.health import FLICKER, OK, STATUSES, WARN, Health, Row

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]


class Written:
    """Stands for a logger."""

    def __init__(self):
        self.lines = []

    def __getattr__(self, level):
        return lambda text: self.lines.append((level, text))


@pytest.fixture
def table(monkeypatch):
    """Makes a table of rows whose sentences the test gives; looks every 0.2 s of a moved time."""
    clock, written, given = SimpleNamespace(now=100.0), Written(), {}
    clock.monotonic = lambda: clock.now
    monkeypatch.setattr(health, 'clock', clock)
    nothing = lambda *args, **kwargs: None  # noqa: E731
    node = SimpleNamespace(create_timer=nothing, create_publisher=nothing)
    node.get_logger = lambda: written

    def make(*rows):
        table = {code: Row('model', level, **more) for code, level, more in rows}
        holder = SimpleNamespace(current=None, clock=SimpleNamespace(now=clock.monotonic))
        watched = Health(node, holder, *[None] * 4, table, lambda _: given)

        def look(seconds, **sentences):
            given.clear()
            given.update(sentences)
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
    assert [text for _, text in lines if 'mode' not in text] == ['stale']
    assert 2 <= len(lines) - 1 <= 10.0 / FLICKER + 1


def test_a_condition_holds_after_its_time_in_log_and_diagnostics(table):
    watched, look = table(('full', WARN, {'after': 0.5}), ('wait', WARN, {'waits': True}))
    assert look(0.4, full='full', wait='nobody there') == [('warning', 'nobody there')]
    assert [*watched.found] == ['wait']
    assert look(0.4, full='full', wait='nobody there') == [('warning', 'full')]
    assert [*watched.found] == ['full', 'wait']


def test_the_document_lists_the_codes_of_each_status():
    rows = conditions.TABLE.items()
    assert {row.status for _, row in rows} <= {*STATUSES}
    text = (Path(__file__).parents[2] / 'docs' / 'interfaces.md').read_text()
    for status in STATUSES:
        codes = ', '.join(f'`{code}`' for code, row in rows if row.status == status)
        assert f'| {status} | {codes} |' in text


def test_topics_are_waited_for_under_their_full_names(graph):
    with graph(namespace='/arm') as (_, observer):
        elsewhere = observer.node.create_publisher(String, '/robot_description', 1)
        observer.node.destroy_publisher(observer.description)
        observer.logs('remap /arm/robot_description:=/robot_description')
        assert observer.shows('unconfigured').name == '/arm/robot_dynamics: model'
        observer.node.destroy_publisher(elsewhere)
        elsewhere = observer.node.create_publisher(JointState, '/left/joint_states', 10)
        observer.node.destroy_publisher(observer.states)
        observer.set(robot_description=URDF)
        observer.trigger('configure', 'activate')
        observer.logs('remap /arm/joint_states:=/left/joint_states')
        observer.node.destroy_publisher(elsewhere)


def test_from_the_start_to_the_first_command(graph):
    """Of a robot with an inertia that no body has, in no gravity, which are warned of."""
    flat = URDF.replace('ixx="0.05" iyy="0.06" izz="0.055"', 'ixx="0.05" iyy="0.06" izz="0.5"')
    with graph(robot_description=flat, gravity=[0.0, 0.0, 0.0]) as (_, observer):
        assert observer.lines('triangle inequality')
        observer.shows('no_gravity')
        observer.set(gravity=[0.0, 0.0, -9.81])
        observer.gone('no_gravity')
        observer.shows('no_states')
        observer.answer_to(state(Q, V))
        observer.logs('TRACKING (ready): turn, slide, wrist on /robot_dynamics/commands')
        observer.call(SetBool, 'enable', data=False)
        observer.shows('disabled')
        observer.until(lambda: observer.torques[-1].state == 'SILENT', 'the last torques')
        observer.node.destroy_subscription(observer.received)
        observer.shows('nobody_listens')
        observer.trigger('deactivate', 'cleanup')
        observer.set(controller_action='/arm_controller/follow_joint_trajectory')
        observer.trigger('configure', 'activate')
        observer.gone('nobody_listens')


def test_gravity_added_by_the_driver_is_a_fault_and_equal_efforts_are_not(guarded, dynamics):
    gravity = dynamics.gravity_torque(Q)
    with guarded() as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        scene.driver.effort = lambda: scene.recording.last
        key = 'measured excess / gravity [-]'
        scene.until(
            lambda: scene.figures('driver gravity')[key] != 'not known', 'a comparison of efforts'
        )
        assert not scene.guard.supervisor.fault
        scene.driver.effort = lambda: scene.recording.last + gravity
        scene.shows('fault')
        scene.settle([0.0, 0.0, 0.0])
        # The advice helps: then the measured effort is right.
        scene.set(terms=['coriolis', 'inertial'])
        scene.call(SetBool, 'enable', data=True)
        scene.settle(dynamics.bias_torque(Q, V) - gravity)
        scene.gone('fault')
