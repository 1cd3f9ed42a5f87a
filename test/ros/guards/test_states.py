"""States that cannot be trusted: no torque from them, the reason said, and it goes on."""

import math
import time

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from guard_scene import MACHINE, figures
from three_joints import JOINTS

from robot_dynamics_ros.control.supervisor import Mode
from robot_dynamics_ros.ros.loop import WAIT_TIMEOUT

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
FADE = 0.2


def not_finite(message):
    message.position[1] = math.nan


def infinite_velocity(message):
    message.velocity[2] = math.inf


def too_few_positions(message):
    message.position = message.position[:-1]


def too_many_velocities(message):
    message.velocity = [*message.velocity, 0.0]


def too_few_efforts(message):
    message.effort = [0.0]


def a_name_twice(message):
    message.name[0] = JOINTS[0]


def no_name(message):
    message.name = []


def a_jump(message):
    message.position[1] += 0.5


def a_stamp_of_yesterday(message):
    message.header.stamp.sec -= 86400


def before_time(message):
    message.header.stamp = Time(sec=-1)


def no_stamp(message):
    message.header.stamp = Time()


def absurd_velocity(message):
    message.velocity = [1e200] * 4


BAD = {
    not_finite: "position of 'wrist' is nan",
    infinite_velocity: "velocity of 'slide' is inf",
    too_few_positions: 'position has 3 values for 4',
    too_many_velocities: 'velocity has 5 values for 4',
    too_few_efforts: 'effort has 1 values for 4',
    a_name_twice: 'more than once: turn',
    no_name: 'name is empty',
    a_jump: "position of 'wrist' jumps by 0.5",
    a_stamp_of_yesterday: 's before that of',
    no_stamp: 'header.stamp is',
    before_time: 'header.stamp is -1 s',
    absurd_velocity: 'times its limit',
}


def test_a_bad_state_between_good_states_is_not_answered(guarded, dynamics):
    """Each in turn; the driver says for ever the same, so that only a bad state could move it."""
    torque = dynamics.bias_torque(Q, V)
    with guarded(fade_time=FADE) as scene:
        counters = scene.node.topic_counters['joint_states']
        scene.settle(torque)
        start, refused = time.monotonic(), 0
        for spoil, reason in BAD.items():
            reasons = []

            def once(message, spoil=spoil, reasons=reasons):
                if not reasons:
                    spoil(message)
                    reasons.append(spoil)

            scene.driver.change = once
            scene.observer.until(lambda: counters.rejected > refused, reason)  # noqa: B023
            assert reason in counters.last_reason
            scene.driver.change = lambda message: None
            # After a jump, and a stamp of 0, the way back is refused too.
            scene.wait_for_states()
            refused = counters.rejected
        assert refused == len(BAD) + 2
        _, commands = scene.recording.since(start)
        np.testing.assert_allclose(commands, [torque] * len(commands), rtol=1e-12)
        status = scene.status('joint_states', '0 rejected')
        assert figures(status)['rejected'] == str(refused)


@pytest.mark.parametrize('spoil', [not_finite, a_jump], ids=lambda spoil: spoil.__name__)
def test_refused_states_only_become_stale(guarded, dynamics, spoil):
    torque = dynamics.bias_torque(Q, V)
    with guarded(fade_time=FADE) as scene:
        scene.settle(torque)
        flip = [0.0]

        def always(message):
            spoil(message)
            flip[0] = 1.0 - flip[0]
            message.position[0] += flip[0]
            message.position[1] += flip[0]

        settled, last_good = time.monotonic(), scene.driver.pause()
        scene.driver.change = always
        scene.driver.resume()
        scene.settle(dynamics.gravity_torque(Q))
        times, commands = scene.recording.since(max(last_good, settled))
        away = np.abs(commands - torque).max(axis=1) > 1e-9
        assert times[away][0] - last_good < 0.1 + 2 * WAIT_TIMEOUT + MACHINE
        status = scene.status('joint_states', 'joint state for')
        assert status.level == DiagnosticStatus.STALE
        assert 'wrist' in status.message
        assert scene.guard.mode is Mode.HOLD
        scene.driver.change = lambda message: None
        scene.settle(torque)
        scene.status('joint_states', '0 rejected')


def test_a_moved_robot_has_one_state_refused(guarded, dynamics, capfd):
    """It was moved while the driver was off: the torque goes there through the fade."""
    there = [0.3, -0.4, 0.9]
    with guarded(fade_time=FADE) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        start, target = time.monotonic(), dynamics.bias_torque(there, V)
        scene.driver.q[:] = there
        scene.settle(target)
        assert scene.node.topic_counters['joint_states'].rejected == 1
        times, commands = scene.recording.since(start)
        # The fade begins with the second state there, after its move was seen in the first.
        last_away = times[np.abs(commands - target).max(axis=1) > 1e-9][-1]
        assert last_away - start > FADE - 2 * scene.driver.period
    text = capfd.readouterr().err
    assert text.count('and stayed: accepted') == 1
    assert "position of 'wrist' jumped by 1.6" in text


def test_a_driver_that_stops_stamping_has_one_state_refused(guarded, dynamics):
    """And one that begins again; two drivers that alternate are never answered."""
    torque = dynamics.bias_torque(Q, V)
    with guarded(fade_time=FADE) as scene:
        counters = scene.node.topic_counters['joint_states']
        scene.settle(torque)
        for change, reason in (
            (no_stamp, 'header.stamp is 0'),
            (lambda message: None, 'header.stamp is set'),
        ):
            before = counters.rejected
            scene.driver.change = change
            scene.observer.until(lambda: counters.rejected > before, reason)  # noqa: B023
            assert reason in counters.last_reason
            used = counters.used
            scene.observer.until(lambda: counters.used > used + 5, 'states again')  # noqa: B023
            assert counters.rejected == before + 1
            scene.settle(torque)

        def every_second(message):
            if scene.driver.sent % 2:
                no_stamp(message)

        scene.driver.change = every_second
        scene.observer.until(lambda: scene.guard.mode is Mode.HOLD, 'hold')
