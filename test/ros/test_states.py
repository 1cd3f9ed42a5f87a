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
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from three_joints import state

from robot_dynamics_interfaces.srv import GetGravity, GetJacobian
from robot_dynamics_ros.control.supervisor import State
from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.ros import conditions
from robot_dynamics_ros.ros.endpoints import PolledSubscription

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
STALE = {'state_timeout': 0.1}
ARM = {'joints': ['turn', 'slide']}


def test_a_bad_state_between_good_states_is_not_answered(guarded, dynamics):
    """The driver says for ever the same, so that only a bad state could move the torque."""
    torque, turns = dynamics.bias_torque(Q, V), itertools.count()

    def spoil(message):
        """Each second one: of no position, or of yesterday."""
        turn = next(turns) % 4
        if turn == 1:
            message.position[1] = math.nan
        if turn == 3:
            message.header.stamp.sec -= 86400

    with guarded() as scene:
        scene.settle(torque)
        for spoilt in (b'', serialize_message(JointState(name=['turn'], position=[1.0]))[:-9]):
            scene.states.publish(spoilt)
        scene.driver.change = spoil
        for reason in ("'wrist' is nan", 'before'):
            scene.status('joint_states', lambda each, _, r=reason: r in each.message, reason)
        np.testing.assert_allclose(scene.next_commands(), [torque] * 5, rtol=1e-12)
        scene.driver.change = lambda message: None
        scene.gone('states_refused')
        np.testing.assert_allclose(scene.recording.commands[-20:], [torque] * 20, rtol=1e-12)


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
    node = scene.node
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


def test_a_gripper_at_30_hz_beside_the_arm_may_cease(guarded, arm_torque):
    """In messages of its own, whose stamps are those of another clock."""
    with (
        guarded(change=only('turn', 'slide'), **ARM, state_timeout=0.2) as scene,
        second_driver(scene, only('wrist')) as gripper,
    ):
        scene.settle(arm_torque)
        assert scene.figures('joint_states')['rejected'] == '0'
        gripper.pause()
        assert 'wrist' in scene.shows('joints_silent').message
        scene.settle(arm_torque)
        assert scene.guard.supervisor.state is State.TRACKING
        gripper.resume()
        scene.gone('joints_silent')
        scene.settle(arm_torque)


def test_two_publishers_of_the_same_joints_are_a_condition_while_both_publish(guarded):
    """0.25 rad apart, in orders of their own; a gripper beside them is none of that."""

    def reverse(message):
        message.name, message.position = message.name[::-1], message.position[::-1]
        message.velocity = message.velocity[::-1]

    def second(scene, change):
        publisher = scene.node.create_publisher(JointState, 'joint_states', 10)
        driver = Driver(publisher, scene.robot.get_clock(), np.add(Q, 0.25), V)
        driver.step, driver.change = None, change
        driver.start()
        return driver

    with guarded(joints=['turn', 'slide']) as scene:
        scene.driver.step, scene.driver.change = None, only('turn', 'slide')
        gripper = second(scene, only('wrist'))
        scene.next_commands(50)
        scene.gone('states_of_two')
        other = second(scene, reverse)
        assert scene.shows('states_of_two').message.count('/observer') == 3
        other.stop()
        scene.gone('states_of_two')
        gripper.stop()


def test_a_joint_that_is_never_measured_is_named_with_the_line_to_add(guarded):
    with guarded(change=only('turn', 'slide'), **ARM) as scene:
        assert 'locked_joints: {wrist: 0}' in scene.shows('joints_missing').message
        scene.shows('silent')
        scene.until_silent()
        assert 'wrist' in scene.refusal(GetGravity, 'get_gravity')


def test_a_locked_joint_stands_where_it_is_locked(guarded, arm_torque):
    locked = {'locked_joints.wrist': Q[2]}
    with guarded(change=only('turn', 'slide'), **ARM, **locked) as scene:
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
        # Nor do they delay the final command.
        scene.driver.resume()
        scene.settle(moving)
        scene.driver.pause()
        scene.trigger('deactivate')
        scene.settle(np.zeros(3))


def test_states_that_come_too_slowly_for_the_timeout_are_warned_of(guarded, monkeypatch):
    monkeypatch.setattr(conditions, 'AVERAGED', 0.5)
    with guarded(state_timeout=0.1) as scene:
        scene.driver.period = scene.driver.step = 0.1
        assert 'set state_timeout: ' in scene.shows('states_slow').message
        scene.set(state_timeout=60.0)
        scene.gone('states_slow')


# States that have waited


def send_while_the_node_waits(scene, count, age=0.0):
    """States that it cannot take before the last is so old [s], as on a busy machine."""
    with scene.robot.robot_holder.lock:
        for _ in range(count):
            scene.driver.q += 0.001
            scene.driver.send()
        sent = time.monotonic()
        scene.wait(lambda: time.monotonic() > sent + age, 'their age')


def test_waiting_states_are_answered_once_and_those_of_before_the_timeout_never(guarded, dynamics):
    with guarded(fade_time=0.0, terms=['gravity']) as scene:
        scene.settle(dynamics.gravity_torque(Q))
        scene.driver.pause()
        scene.until_taken()
        before = len(scene.recording)
        send_while_the_node_waits(scene, 20)
        scene.settle(dynamics.gravity_torque(scene.driver.q))
        # The first may have been taken alone before the others came.
        assert len(scene.recording) <= before + 2
        scene.set(state_timeout=0.2, on_stale='stop')
        scene.driver.resume()
        sent = scene.driver.sent
        scene.until(lambda: scene.driver.sent > sent + 5, 'states')
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
        scene.settle(dynamics.gravity_torque(scene.driver.q))


def test_without_a_time_of_reception_the_stamp_counts(guarded, dynamics, monkeypatch):
    """As from rmw_cyclonedds."""
    poll = PolledSubscription.poll

    def poll_without(subscription):
        for message, info in poll(subscription):
            yield message, {**info, 'received_timestamp': 0}

    def earlier(message):
        message.header.stamp.sec -= 1

    monkeypatch.setattr(PolledSubscription, 'poll', poll_without)
    with guarded(state_timeout=0.5) as scene:
        scene.driver.step = None
        scene.settle(dynamics.bias_torque(Q, V))
        scene.gone('wait_unknown')
        assert scene.figures('timing')['latency p50 [ms]'] == 'not known'
        scene.driver.change = earlier
        scene.until(lambda: scene.figures('timing')['too old to be answered'] != '0', 'old states')


def test_states_are_answered_while_a_service_compiles_a_frame(lent, monkeypatch):
    """The thread of the states needs nothing that the service holds while it compiles."""
    jacobian, answered = RobotDynamics.jacobian, []

    def slow(*arguments):
        # The executor, which runs this very call, cannot hear the commands meanwhile.
        counters = lent.robot.topic_counters['joint_states']
        before = counters.used

        def used():
            lent.send(state(Q, V))
            return counters.used > before

        lent.wait(used, 'answer to a state')
        answered.append(True)
        return jacobian(*arguments)

    monkeypatch.setattr(RobotDynamics, 'jacobian', slow)
    response = lent.call(GetJacobian, 'get_jacobian', state=state(Q), frame='hand')
    assert response.success, response.message
    assert answered
