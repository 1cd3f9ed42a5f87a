"""Bytes on `joint_states` that no rclpy has written, through the middleware."""

import time

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')

from cdr import serialized
from fed_node import fed_node
from rclpy.executors import SingleThreadedExecutor
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from three_joints import state

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
LIMIT = 20.0


@pytest.fixture
def scene():
    """A node, the bytes that it is sent, and the commands that it answers them with."""
    with fed_node() as node:
        driver = rclpy.create_node('driver', context=node.context)
        executor = SingleThreadedExecutor(context=node.context)
        executor.add_node(driver)
        commands = []
        driver.create_subscription(
            Float64MultiArray, 'robot_dynamics/commands', commands.append, 10
        )
        publisher = driver.create_publisher(JointState, 'joint_states', 10)

        def until(condition, data):
            end = time.monotonic() + LIMIT
            while not condition():
                assert time.monotonic() < end, f'not within {LIMIT:g} s'
                publisher.publish(data())
                executor.spin_once(timeout_sec=0.02)

        yield node, commands, until
        driver.destroy_node()


def stamped(seconds):
    message = state(Q, V)
    message.header.stamp.sec = seconds
    return message


def test_either_byte_order_is_answered(scene):
    """By two drivers that alternate, as on machines of two kinds."""
    node, commands, until = scene
    seconds = iter(range(1, 10**6))
    orders = iter('<>' * 10**5)
    until(lambda: len(commands) > 10, lambda: serialized(stamped(next(seconds)), next(orders)))
    assert node.topic_counters['joint_states'].rejected == 0
    # Later than the steps of the limiter.
    robot = node.robot_holder.require()
    np.testing.assert_allclose(robot.guard.state.q, Q)


def test_bytes_that_are_not_a_state_are_rejected(scene):
    node, commands, until = scene
    counters = node.topic_counters['joint_states']
    seconds = iter(range(1, 10**6))
    until(lambda: len(commands) > 3, lambda: serialized(stamped(next(seconds))))
    until(lambda: counters.rejected, lambda: serialized(stamped(next(seconds)))[:-9])
    assert 'not a serialized sensor_msgs/JointState' in counters.last_reason
    answered = len(commands)
    until(lambda: len(commands) > answered + 3, lambda: serialized(stamped(next(seconds))))
