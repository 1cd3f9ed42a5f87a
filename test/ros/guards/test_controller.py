"""The controller behind the command topic: its joints, its state, and where commands begin."""

from contextlib import contextmanager

import numpy as np
import pytest
from captured_log import Log
from diagnostic_msgs.msg import DiagnosticStatus
from fake_controller import FakeController
from guard_scene import figures
from std_srvs.srv import SetBool
from three_joints import JOINTS

from robot_dynamics_ros.control.limiter import LONGEST_STEP
from robot_dynamics_ros.ros import controller as controller_file
from robot_dynamics_ros.ros import health

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
FADE = 0.2
NAME = '/effort_controller'
SETTINGS = {'start': False, 'fade_time': FADE, 'controller': NAME}


def begin(scene, *args, **kwargs):
    """Start the node behind a controller, which has been discovered."""
    controller = FakeController(scene, *args, **kwargs)
    scene.observer.until(
        lambda: any(name == NAME[1:] for name in scene.node.get_node_names()), 'the controller'
    )
    scene.node.start()
    controller.tell()
    return controller


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """Waiting is logged earlier, so that the tests wait less."""
    monkeypatch.setattr(health, 'PERIOD', 0.05)
    monkeypatch.setattr(health, 'PATIENCE', 0.2)


@pytest.mark.parametrize(
    ('joints', 'words'),
    [
        (['slide', 'turn', 'wrist'], 'in another order'),
        (['turn', 'slide', 'wrist', 'finger'], 'not the same'),
    ],
)
def test_other_joints_than_those_of_the_controller_are_refused(guarded, joints, words, capfd):
    with guarded(**SETTINGS) as scene:
        begin(scene, joints)
        status = scene.status('commands', words)
        assert status.level == DiagnosticStatus.ERROR
        for named in (', '.join(joints), ', '.join(JOINTS), 'parameter joints'):
            assert named in status.message
        scene.until_silent()
        assert len(scene.recording) == 0
        log = Log(capfd)
        line = log.until(scene.observer, f'commanded: {NAME}')
        assert f'{NAME} applies commands to [{", ".join(joints)}]' in line
        answer = scene.observer.call(SetBool, '/robot_dynamics/enable', data=False)
        answer = scene.observer.call(SetBool, '/robot_dynamics/enable', data=True)
        assert words in answer.message


def test_a_controller_of_positions_is_refused(guarded):
    """Torques in N m would be taken for rad."""
    with guarded(**SETTINGS) as scene:
        begin(scene, list(JOINTS), interface='position')
        assert "'position'" in scene.status('commands', 'interface_name').message
        scene.until_silent()
        assert len(scene.recording) == 0


def test_behind_a_controller_that_fits_it_commands(guarded, dynamics):
    with guarded(**SETTINGS) as scene:
        begin(scene, list(JOINTS))
        scene.settle(dynamics.bias_torque(Q, V))
        status = scene.status('commands', 'within the limits')
        assert figures(status)['controller'] == f'{NAME} is active'
        assert figures(status)['subscribers'] == '3'


def test_an_inactive_controller_is_waited_for_and_gets_the_fade(guarded, dynamics, capfd):
    """The torque was a step in one cycle when a controller was activated after the node."""
    log = Log(capfd)
    with guarded(**SETTINGS) as scene:
        controller = begin(scene, list(JOINTS), state='inactive')
        assert NAME in scene.status('model', 'is inactive').message
        scene.until_silent()
        assert len(scene.recording) == 0
        log.until(scene.observer, f'{NAME} is inactive')
        controller.switch('active')
        scene.settle(dynamics.bias_torque(Q, V))
        applied = np.array(controller.applied)
        log.until(scene.observer, f'controller {NAME} is active')
    assert not applied[0].any()
    rates = np.array([1000.0, 2000.0, 200.0])
    assert (np.abs(np.diff(applied, axis=0)) <= rates * LONGEST_STEP + 1e-9).all()


def test_a_controller_that_is_deactivated_and_activated_gets_the_fade_again(guarded, dynamics):
    torque = dynamics.bias_torque(Q, V)
    with guarded(**SETTINGS) as scene:
        controller = begin(scene, list(JOINTS))
        scene.settle(torque)
        for _ in range(2):
            scene.recording.not_applied()
            controller.switch('inactive')
            scene.until_silent()
            controller.applied.clear()
            scene.recording.applied_again()
            controller.switch('active')
            scene.observer.until(lambda: controller.applied, 'commands')
            scene.settle(torque)
            assert not np.any(controller.applied[0])


def test_activity_tells_of_a_controller_that_is_off_for_an_instant(guarded, dynamics):
    """Both messages of the manager come at once; answers that are older are not taken."""
    torque = dynamics.bias_torque(Q, V)
    with guarded(**SETTINGS) as scene:
        controller = begin(scene, list(JOINTS))
        scene.settle(torque)
        scene.recording.not_applied()
        controller.publish_activity('inactive', 'active')
        before = len(scene.recording)
        scene.observer.until(
            lambda: (scene.recording.commands[before:] == 0.0).all(axis=1).any(), 'a new begin'
        )
        scene.settle(torque)


def test_a_controller_that_ends_is_waited_for(guarded, dynamics):
    """Its controller manager was killed, and is started again."""
    torque = dynamics.bias_torque(Q, V)
    with guarded(**SETTINGS) as scene:
        first = begin(scene, list(JOINTS), state=None)
        scene.settle(torque)
        first.destroy()
        scene.status('model', f'controller {NAME} has ended')
        scene.until_silent()
        scene.recording.not_applied()
        scene.recording.applied_again()
        second = FakeController(scene, list(JOINTS), state=None)
        scene.observer.until(lambda: second.applied, 'commands')
        scene.settle(torque)
        assert not np.any(second.applied[0])


@pytest.fixture
def remapped(guarded, monkeypatch):
    """Makes a node as after --remap '~/commands:=/effort_controller/commands'."""
    monkeypatch.setattr(controller_file, 'DISCOVERY', 0.0)

    @contextmanager
    def make(**parameters):
        with guarded(start=False, fade_time=FADE, **parameters) as scene:
            monkeypatch.setattr(scene.node._controller, '_topic', f'{NAME}/commands')
            yield scene

    return make


def test_wrong_joints_that_are_found_after_the_start_are_a_fault(remapped, dynamics):
    """Torque ends at the rate limits: each of it is that of another joint."""
    with remapped(on_stop='hold') as scene:
        scene.node.start()
        scene.settle(dynamics.bias_torque(Q, V))
        scene.set(fade_time=60.0)
        controller = FakeController(scene, ['slide', 'turn', 'wrist'])
        scene.observer.until(
            lambda: controller.tell() or scene.observer.torques[-1].fault, 'the fault'
        )
        scene.settle(np.zeros(3))
        assert 'in another order' in scene.status('model', 'stopped until').message


def test_a_topic_without_a_subscriber_is_logged(guarded, capfd, monkeypatch):
    monkeypatch.setattr(controller_file, 'DISCOVERY', 0.2)
    with guarded(start=False, fade_time=FADE) as scene:
        monkeypatch.setattr(scene.node, 'get_subscriptions_info_by_topic', lambda topic: [])
        scene.node.start()
        status = scene.status('commands', 'nobody subscribes to /robot_dynamics/commands')
        assert status.level == DiagnosticStatus.WARN
        assert figures(status)['subscribers'] == '0'
        assert '--remap' in Log(capfd).until(scene.observer, 'nobody subscribes to')


# A restart behind a controller that was active before


def test_a_restart_takes_over_an_arm_that_is_held(guarded, dynamics):
    """The controller still applies the last command of a process that was killed."""
    held = dynamics.gravity_torque(Q)
    settings = SETTINGS | {'on_restart': 'take_over', 'terms': ['gravity']}
    with guarded(**settings) as scene:
        scene.driver.v[:] = 0.0
        scene.driver.effort = lambda: held
        scene.recording.robot_has(held)
        controller = begin(scene, list(JOINTS))
        scene.settle(held)
        scene.observer.until(lambda: controller.applied, 'commands')
        np.testing.assert_allclose(controller.applied[0], held, rtol=1e-12)


def test_an_arm_of_unknown_holder_is_left_alone_until_somebody_decides(guarded, dynamics):
    """By default: a process that was killed may have held it, or the driver adds gravity."""
    held = dynamics.gravity_torque(Q)
    with guarded(start=False, fade_time=FADE, terms=['gravity']) as scene:
        scene.driver.v[:] = 0.0
        scene.driver.effort = lambda: held
        sent = scene.driver.sent
        scene.observer.until(lambda: scene.driver.sent > sent + 1, 'states with efforts')
        scene.node.start()
        status = scene.status('commands', 'on_restart')
        assert status.level == DiagnosticStatus.ERROR
        assert len(scene.recording) == 0
        scene.recording.robot_has(held)
        scene.set(on_restart='take_over')
        scene.settle(held)
