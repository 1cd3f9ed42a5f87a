"""States that waited before they were taken: torques are never older than state_timeout."""

import time

from fed_node import fed_node
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from three_joints import JOINTS

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
FADE = 0.2


def test_a_state_that_has_waited_longer_than_the_timeout_is_not_answered():
    with fed_node(state_timeout=0.1) as node:
        counters = node.topic_counters['joint_states']
        for wait, used, late in ((0.05, 1, 0), (0.15, 1, 1), (0.0, 2, 1)):
            message = JointState(name=list(JOINTS), position=Q, velocity=V)
            message.header.stamp = node.get_clock().now().to_msg()
            received = time.time_ns() - round(1e9 * wait)
            node._loop._answer(serialize_message(message), {'received_timestamp': received})
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
