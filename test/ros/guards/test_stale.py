"""Joint states that cease: what is commanded then, how soon, and how it goes on."""

import time

import numpy as np
import pytest
from captured_log import Log
from diagnostic_msgs.msg import DiagnosticStatus
from guard_scene import MACHINE
from std_srvs.srv import SetBool

from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_ros.control.supervisor import Mode
from robot_dynamics_ros.ros.loop import WAIT_TIMEOUT

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
TIMEOUT, FADE = 0.1, 0.3


def stamp(message):
    return message.header.stamp.sec, message.header.stamp.nanosec


@pytest.mark.parametrize('on_stale', ['hold', 'zero'])
def test_stale_states_lead_to_hold_or_zero(guarded, dynamics, on_stale):
    moving = dynamics.bias_torque(Q, V)
    resting = dynamics.gravity_torque(Q) if on_stale == 'hold' else np.zeros(3)
    with guarded(on_stale=on_stale, fade_time=FADE) as scene:
        scene.settle(moving)
        settled, lost = time.monotonic(), scene.driver.pause()
        scene.settle(resting)
        # On a busy machine, answers to the last states are the end of the fade.
        times, commands = scene.recording.since(max(lost, settled))
        away = np.abs(commands - moving).max(axis=1) > 1e-9
        assert TIMEOUT - 0.05 < times[away][0] - lost < TIMEOUT + 2 * WAIT_TIMEOUT + MACHINE
        assert times[-1] - times[away][0] < FADE + 2 * WAIT_TIMEOUT + MACHINE
        scene.status('joint_states', f'(on_stale={on_stale})')
        scene.driver.resume()
        scene.settle(moving)
        scene.status('joint_states', '0 rejected')


@pytest.mark.parametrize('terms', [['gravity'], ['coriolis', 'inertial']])
def test_what_is_held_is_what_is_commanded(guarded, dynamics, terms):
    """A driver that adds gravity itself must not seem to hold it twice."""
    with guarded(terms=terms, fade_time=FADE) as scene:
        scene.driver.v[:] = 0.0
        held = dynamics.gravity_torque(Q) if 'gravity' in terms else np.zeros(3)
        scene.settle(held)
        scene.driver.pause()
        status = scene.status('joint_states', '(on_stale=hold)')
        assert ('gravity' in status.message) == ('gravity' in terms)
        scene.settle(held)


def test_a_hold_ends_as_a_fault(guarded, dynamics):
    """An arm that nobody sees leaves the pose whose gravity is commanded."""
    with guarded(terms=['gravity'], fade_time=FADE) as scene:
        scene.driver.v[:] = 0.0
        scene.settle(dynamics.gravity_torque(Q))
        lost = scene.driver.pause()
        scene.observer.until(
            lambda: scene.observer.torques[-1].mode == JointTorques.MODE_SILENT, 'silence'
        )
        assert scene.observer.torques[-1].fault
        np.testing.assert_array_equal(scene.recording.last, 0.0)
        times, commands = scene.recording.since(lost)
        held = np.abs(commands - dynamics.gravity_torque(Q)).max(axis=1) < 1e-9
        assert times[held][-1] - lost < 5.0 + 2 * WAIT_TIMEOUT + MACHINE
        scene.driver.resume()
        scene.check_silent()
        assert scene.observer.call(SetBool, '/robot_dynamics/enable', data=True).success
        scene.settle(dynamics.gravity_torque(Q))


def test_stale_states_stop_the_commands(guarded, dynamics):
    moving = dynamics.bias_torque(Q, V)
    sent = set()
    with guarded(start=False, on_stale='stop', fade_time=FADE) as scene:
        scene.driver.change = lambda message: sent.add(stamp(message))
        scene.node.start()
        scene.settle(moving)
        before = len(scene.observer.torques)
        settled, lost = time.monotonic(), scene.driver.pause()
        scene.observer.until(lambda: scene.guard.mode is Mode.SILENT, 'silence')
        scene.watch(3 * TIMEOUT)
        times, commands = scene.recording.since(max(lost, settled))
        # Nothing but the answers to what a busy machine has left in the queue, each once.
        # The message that commands have ceased answers no state.
        answered = [
            stamp(message)
            for message in scene.observer.torques[before:]
            if message.mode != message.MODE_SILENT
        ]
        assert len(times) <= 11
        assert len(set(answered)) == len(answered)
        assert set(answered) <= sent
        np.testing.assert_allclose(commands, moving * np.ones_like(commands), rtol=1e-12)
        scene.driver.resume()
        scene.wait_for_states()
        scene.settle(moving)


@pytest.mark.parametrize('period', [0.002, 0.02])
def test_stamps_that_stand_still_are_stale_and_logged(guarded, dynamics, capfd, period):
    """Whether the node wakes between two states or not; a line for each state would be too much.

    The timeout is long: so they are still coming when they become stale.
    """
    with guarded(fade_time=FADE, state_timeout=1.0) as scene:
        scene.driver.period = period
        scene.settle(dynamics.bias_torque(Q, V))
        stamp = scene.node.get_clock().now().to_msg()

        def repeat(message):
            message.header.stamp = stamp

        scene.driver.pause()
        scene.driver.change = repeat
        scene.driver.resume()
        scene.settle(dynamics.gravity_torque(Q))
        scene.wait_for_states(50)
        reason = 'stands still'
        status = scene.status('joint_states', reason)
        assert status.level == DiagnosticStatus.STALE
        # States that do not come have no stamp.
        scene.driver.pause()

        def ceased():
            return reason not in scene.status('joint_states', 'joint state for').message

        scene.observer.until(ceased, 'another reason')
        scene.driver.resume()
        scene.driver.change = lambda message: None
        scene.settle(dynamics.bias_torque(Q, V))
        log = Log(capfd)
        log.until(scene.observer, 'valid again')
    assert log.lines('stands still')
    # A pause of a busy machine adds one of each.
    assert len(log.lines('(on_stale=hold)')) < 10
    assert len(log.lines('valid again')) < 10


def test_a_silent_node_names_stamps_that_stand_still(guarded, dynamics, capfd):
    with guarded(on_stale='stop', fade_time=FADE) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        stamp = scene.node.get_clock().now().to_msg()

        def repeat(message):
            message.header.stamp = stamp

        scene.driver.change = repeat
        line = Log(capfd).until(scene.observer, 'stands still')
        assert 'silent' in line


def test_states_slower_than_the_timeout_do_not_flood_the_log(guarded, capfd):
    """At 5 Hz they cease and return ten times a second, until state_timeout is set."""
    with guarded(fade_time=FADE) as scene:
        scene.driver.period = 0.2
        sent = scene.driver.sent
        scene.observer.until(lambda: scene.driver.sent >= sent + 12, 'states')
    log = capfd.readouterr().err
    assert 1 <= log.count('joint state for') <= 2
    assert log.count('valid again') <= 2
