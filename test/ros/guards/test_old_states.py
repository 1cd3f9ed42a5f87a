"""States that waited before they were taken: torques are never older than state_timeout."""

import threading
import time

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from fed_node import fed_node
from guard_scene import figures
from sensor_msgs.msg import JointState
from three_joints import JOINTS

from robot_dynamics_ros.ros.polling import PolledSubscription

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
FADE = 0.2


def test_a_state_that_has_waited_longer_than_the_timeout_is_not_answered():
    with fed_node(state_timeout=0.1) as node:
        counters = node.topic_counters['joint_states']
        for wait, used, late in ((0.05, 1, 0), (0.15, 1, 1), (0.0, 2, 1)):
            message = JointState(name=list(JOINTS), position=Q, velocity=V)
            message.header.stamp = node.get_clock().now().to_msg()
            received = time.time_ns() - round(1e9 * wait)
            node._loop._answer([(message, {'received_timestamp': received})])
            assert (counters.used, counters.late) == (used, late)
        assert counters.rejected == 0


def test_a_long_reliable_queue_gives_no_old_torques(guarded, dynamics):
    """The node is kept from its states for a while, as by a busy machine."""
    qos = 'qos_overrides./joint_states.subscription'
    with guarded(
        fade_time=FADE, **{f'{qos}.reliability': 'reliable', f'{qos}.depth': 200}
    ) as scene:
        scene.driver.period = 0.004
        scene.settle(dynamics.bias_torque(Q, V))
        counters = scene.node.topic_counters['joint_states']
        late, before = counters.late, len(scene.observer.torques)
        with scene.node.robot_holder.lock:
            held = scene.driver.sent
            scene.observer.wait(lambda: scene.driver.sent > held + 75, 'states that wait')
            released = scene.node.get_clock().now().nanoseconds
        scene.wait_for_states(100)
        assert counters.late > late + 10
        stamps = [message.header.stamp for message in scene.observer.torques[before + 1 :]]
        answered = [1e9 * stamp.sec + stamp.nanosec for stamp in stamps]
        # Of those that waited, only the youngest are answered.
        old = [stamp for stamp in answered if 0.15e9 < released - stamp < 0.3e9]
        assert not old


def test_of_a_burst_the_newest_is_answered_once(guarded, dynamics):
    """Five states, each in two messages: the last one of each joint counts."""
    with guarded(fade_time=0.0, terms=['gravity'], state_timeout=100.0) as scene:
        heard, publisher, q = [], scene.observer.states, np.array(Q)
        scene.observer.node.create_subscription(JointState, 'joint_states', heard.append, 20)
        scene.observer.until(lambda: publisher.get_subscription_count() == 2, 'discovery')
        scene.settle(dynamics.gravity_torque(q))
        scene.driver.pause()

        def send(*parts):
            q[:] += 0.001
            for part in parts:
                message = JointState(name=JOINTS[part], position=q[part], velocity=V[part])
                message.header.stamp = scene.node.get_clock().now().to_msg()
                publisher.publish(message)

        send(slice(0, 3))
        # All that was sent before has been answered.
        scene.settle(dynamics.gravity_torque(q))
        busy, states = threading.Event(), scene.node._loop._states
        states.wait = lambda timeout: busy.set() or time.sleep(timeout)
        scene.observer.wait(busy.is_set, 'the loop')
        before, used = len(scene.recording), scene.node.topic_counters['joint_states'].used
        heard.clear()
        for _ in range(5):
            send(slice(0, 1), slice(1, 3))
        scene.observer.until(lambda: len(heard) >= 10, 'the burst')
        del states.wait
        scene.settle(dynamics.gravity_torque(q))
        assert scene.node.topic_counters['joint_states'].used == used + 10
        assert len(scene.recording) == before + 1


@pytest.fixture
def no_reception_time(monkeypatch):
    """As from rmw_cyclonedds."""
    poll = PolledSubscription.poll

    def poll_without(subscription):
        for message, info in poll(subscription):
            # The recording of the commands needs it.
            known = 'commands' in subscription.topic
            yield message, info if known else {**info, 'received_timestamp': 0}

    monkeypatch.setattr(PolledSubscription, 'poll', poll_without)


def test_without_a_time_of_reception_the_stamp_counts(guarded, dynamics, no_reception_time):
    with guarded(fade_time=FADE) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        latency = figures(scene.status('timing', 'Hz'))
        assert {latency[f'latency {p} [ms]'] for p in ('p50', 'p99')} == {'not known'}

        def of_the_past(message):
            message.header.stamp.sec -= 1

        scene.driver.change = of_the_past
        counters = scene.node.topic_counters['joint_states']
        scene.observer.until(lambda: counters.late > 5, 'states that are too old')
        assert counters.rejected == 0


def test_stamps_of_another_clock_cannot_tell_old_states(guarded, dynamics, no_reception_time):
    with guarded(fade_time=FADE, start=False) as scene:

        def of_another_clock(message):
            message.header.stamp.sec -= 3600

        scene.driver.pause()
        scene.driver.change = of_another_clock
        scene.driver.resume()
        scene.node.start()
        scene.settle(dynamics.bias_torque(Q, V))
        status = scene.status('timing', 'not detected')
        assert status.level == DiagnosticStatus.WARN
        assert scene.node.topic_counters['joint_states'].late == 0
