"""Joint states that are bad, late, partial, of other joints, or cease: what is commanded then.

How soon, for how long, and which states are refused are laws of the guard and of `StateFilter`
(test/control) and of JointStateReader (test_joint_states.py).
"""

import itertools
import math
import time
from contextlib import contextmanager

import numpy as np
import pytest
from driver import Driver
from sensor_msgs.msg import JointState

from robot_dynamics_interfaces.srv import GetGravity
from robot_dynamics_ros.ros import conditions
from robot_dynamics_ros.ros.endpoints import PolledSubscription

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
STALE = {'state_timeout': 0.1}
ARM = {'joints': ['turn', 'slide']}


def not_finite(message):
    message.position[1] = math.nan


def too_few_positions(message):
    message.position = message.position[:-1]


def a_stamp_of_yesterday(message):
    message.header.stamp.sec -= 86400


def every_second(spoil):
    turns = itertools.count()
    return lambda message: spoil(message) if next(turns) % 2 else None


def unspoilt(message):
    pass


def test_a_bad_state_between_good_states_is_not_answered(guarded, dynamics):
    """The driver says for ever the same, so that only a bad state could move the torque."""
    torque = dynamics.bias_torque(Q, V)
    bad = {
        not_finite: "'wrist' is nan",
        too_few_positions: '3 values for 4',
        a_stamp_of_yesterday: 'before',
    }
    with guarded() as scene:
        scene.settle(torque)
        for spoil, reason in bad.items():
            scene.driver.change = every_second(spoil)
            scene.until(lambda r=reason: r in scene.shows('states_refused').message, reason)
            np.testing.assert_allclose(scene.next_commands(), [torque] * 5, rtol=1e-12)
        scene.driver.change = unspoilt
        scene.gone('states_refused')
        np.testing.assert_allclose(scene.recording.commands[-20:], [torque] * 20, rtol=1e-12)


@pytest.mark.parametrize('on_stale', ['hold', 'zero', 'stop'])
def test_stale_states_lead_to_hold_or_zero_or_silence(guarded, dynamics, on_stale):
    moving = dynamics.bias_torque(Q, V)
    resting = {'hold': dynamics.gravity_torque(Q), 'zero': np.zeros(3)}
    with guarded(on_stale=on_stale, **STALE) as scene:
        scene.settle(moving)
        scene.driver.pause()
        if on_stale == 'stop':
            scene.until_silent()
        else:
            scene.settle(resting[on_stale])
        scene.shows('stale')
        scene.driver.resume()
        scene.settle(moving)
        scene.gone('stale')


# Partial states


def only(*names):
    """Makes a driver of some joints."""

    def change(message):
        values = list(zip(message.name, message.position, message.velocity, strict=True))
        held = [each for each in values if each[0] in names]
        message.name = [name for name, _, _ in held]
        message.position = [q for _, q, _ in held]
        message.velocity = [v for _, _, v in held]

    return change


def of_a_gripper(message):
    message.name = ['finger']
    message.position, message.velocity = [0.01], [0.0]


@contextmanager
def second_driver(scene, change, period=1 / 30):
    """Another driver, with a clock of its own."""
    node = scene.observer.node
    publisher = node.create_publisher(JointState, 'joint_states', 10)
    driver = Driver(publisher, node.get_clock(), Q, V)
    driver.period = period

    def change_and_stamp(message):
        change(message)
        message.header.stamp.sec -= 3600

    driver.change = change_and_stamp
    driver.start()
    try:
        yield driver
    finally:
        driver.stop()
        node.destroy_publisher(publisher)


@pytest.fixture
def arm_torque(dynamics):
    """Of turn and slide, the wrist standing where it is."""
    return dynamics.bias_torque(Q, [*V[:2], 0.0])[:2]


def test_a_gripper_at_30_hz_beside_the_arm_is_held_when_it_ceases(guarded, dynamics, arm_torque):
    """In messages of its own, whose stamps are those of another clock."""
    with (
        guarded(change=only('turn', 'slide'), **ARM, state_timeout=0.2) as scene,
        second_driver(scene, only('wrist')) as gripper,
    ):
        scene.settle(arm_torque)
        assert scene.figures('joint_states')['rejected'] == '0'
        gripper.pause()
        scene.settle(dynamics.gravity_torque(Q)[:2])
        assert 'of wrist' in scene.shows('stale').message
        gripper.resume()
        scene.settle(arm_torque)


def test_a_joint_that_is_never_measured_is_named_with_the_line_to_add(guarded):
    with guarded(change=only('turn', 'slide'), **ARM) as scene:
        assert 'locked_joints: {wrist: 0}' in scene.shows('joints_missing').message
        assert 'locked_joints: {wrist: 0}' in scene.shows('silent').message
        scene.until_silent()
        assert 'wrist' in scene.refusal(GetGravity, 'get_gravity')
        scene.logs('locked_joints: {wrist: 0}')


def test_a_locked_joint_stands_where_it_is_locked(guarded, arm_torque):
    locked = {'locked_joints.wrist': Q[2]}
    with guarded(change=only('turn', 'slide'), **ARM, **locked) as scene:
        scene.settle(arm_torque)
        # What a driver says of it is not used.
        with second_driver(scene, only('wrist')) as gripper:
            gripper.q[2] = 0.0
            before = gripper.sent
            scene.until(lambda: gripper.sent > before + 5, 'the gripper')
            scene.settle(arm_torque)


def test_states_of_other_joints_do_not_delay_commands(guarded, dynamics):
    """They come so often that the node never waits for long."""
    moving = dynamics.bias_torque(Q, V)
    with (
        guarded(on_stale='zero', **STALE) as scene,
        second_driver(scene, of_a_gripper, period=0.002),
    ):
        scene.settle(moving)
        assert scene.figures('joint_states')['rejected'] == '0'
        scene.driver.pause()
        scene.settle(np.zeros(3))
        assert 'finger' in scene.shows('stale').message
        scene.driver.resume()
        scene.settle(moving)
        # Nor the final command.
        scene.driver.pause()
        scene.trigger('deactivate')
        scene.settle(np.zeros(3))
        scene.until_silent()


def test_states_that_come_too_slowly_for_the_timeout_are_warned_of(guarded, monkeypatch):
    monkeypatch.setattr(conditions, 'AVERAGED', 0.5)
    with guarded(state_timeout=0.1) as scene:
        scene.driver.period = scene.driver.step = 0.1
        assert 'set state_timeout: ' in scene.shows('states_slow').message
        scene.set(state_timeout=60.0)
        scene.gone('states_slow')


def test_degrees_are_asked_about_and_never_answered(guarded, dynamics):
    def degrees(message):
        message.position = [math.degrees(q) for q in message.position]
        message.velocity = [math.degrees(v) for v in message.velocity]

    with guarded(change=degrees) as scene:
        assert 'degrees' in scene.shows('states_refused').message
        scene.until_silent()
        assert len(scene.recording) == 0
        scene.driver.change = unspoilt
        scene.settle(dynamics.bias_torque(Q, V))


# States that have waited


def send_while_the_node_waits(scene, count, age=0.0):
    """States that it cannot take before the last is so old [s], as on a busy machine."""
    with scene.node.robot_holder.lock:
        for _ in range(count):
            scene.driver.q += 0.001
            scene.driver.send()
        sent = time.monotonic()
        scene.observer.wait(lambda: time.monotonic() > sent + age, 'their age')


def test_states_that_have_waited_longer_than_the_timeout_are_not_answered(guarded, dynamics):
    with guarded(fade_time=0.0, state_timeout=0.2, on_stale='stop') as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        scene.driver.pause()
        scene.until_silent()
        before = len(scene.recording)
        send_while_the_node_waits(scene, 20, age=0.3)
        scene.until(
            lambda: int(scene.figures('timing')['too old to be answered']) >= 20, 'old states'
        )
        scene.until_silent()
        assert len(scene.recording) == before
        scene.driver.resume()
        scene.settle(dynamics.bias_torque(scene.driver.q, V))


def test_of_a_burst_the_newest_is_answered_once(guarded, dynamics):
    with guarded(fade_time=0.0, terms=['gravity']) as scene:
        scene.settle(dynamics.gravity_torque(Q))
        scene.driver.pause()
        scene.until_taken()
        before = len(scene.recording)
        send_while_the_node_waits(scene, 20)
        scene.settle(dynamics.gravity_torque(scene.driver.q))
        # The first may have been taken alone before the others came.
        assert len(scene.recording) <= before + 2


def test_without_a_time_of_reception_the_stamp_counts(guarded, dynamics, monkeypatch):
    """As from rmw_cyclonedds; the stamps of another clock cannot tell old states."""
    poll = PolledSubscription.poll

    def poll_without(subscription):
        for message, info in poll(subscription):
            yield message, {**info, 'received_timestamp': 0}

    def earlier(seconds):
        def change(message):
            message.header.stamp.sec -= seconds

        return change

    monkeypatch.setattr(PolledSubscription, 'poll', poll_without)
    with guarded(state_timeout=0.5) as scene:
        scene.driver.step = None
        scene.settle(dynamics.bias_torque(Q, V))
        scene.gone('wait_unknown')
        assert scene.figures('timing')['latency p50 [ms]'] == 'not known'
        scene.driver.change = earlier(1)
        scene.until(lambda: scene.figures('timing')['too old to be answered'] != '0', 'old states')
        scene.driver.pause()
        scene.trigger('deactivate', 'cleanup')
        # None of this clock is left.
        scene.driver.change = earlier(3600)
        scene.driver.resume()
        sent = scene.driver.sent
        scene.until(lambda: scene.driver.sent > sent + 20, 'states of another clock')
        scene.trigger('configure', 'activate')
        scene.settle(dynamics.bias_torque(Q, V))
        scene.shows('wait_unknown')
