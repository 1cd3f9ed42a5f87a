"""Messages that wait in the middleware until they are polled."""

import time

import pytest

rclpy = pytest.importorskip('rclpy')

from domains import free_domain
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from robot_dynamics_ros.ros.polling import PolledSubscription

LIMIT = 20.0


@pytest.fixture
def ends():
    """A polled subscription, and a publisher that it has found."""
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=free_domain())
    node = rclpy.create_node('both', context=context)
    subscription = PolledSubscription(node, JointState, 'joint_states', 10)
    publisher = node.create_publisher(JointState, 'joint_states', 10)
    end = time.monotonic() + LIMIT
    while not publisher.get_subscription_count() and time.monotonic() < end:
        time.sleep(0.01)
    yield subscription, publisher
    node.destroy_node()
    rclpy.shutdown(context=context)
    assert not subscription.usable


def named(name):
    return JointState(name=[name], position=[1.0])


def test_what_waits_is_polled_once_oldest_first(ends):
    subscription, publisher = ends
    assert not subscription.wait(0.0)
    for name in 'abc':
        publisher.publish(named(name))
    seen = []
    while len(seen) < 3:
        assert subscription.wait(LIMIT)
        seen += [message.name[0] for message, info in subscription.poll()]
    assert seen == ['a', 'b', 'c']
    assert not list(subscription.poll())


@pytest.mark.parametrize(
    'spoil', [lambda data: data[:-9], lambda data: b'', lambda data: data[:6]]
)
def test_bytes_that_are_not_a_message_are_left_out(ends, spoil):
    subscription, publisher = ends
    publisher.publish(spoil(serialize_message(named('a'))))
    publisher.publish(named('b'))
    seen = []
    while not seen:
        assert subscription.wait(LIMIT)
        seen += [message.name[0] for message, _ in subscription.poll()]
    assert seen == ['b']
