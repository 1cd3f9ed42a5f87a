"""Messages that wait in the middleware until they are polled."""

import pytest
import rclpy
from domains import free_domain
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from waiting import wait_until

from robot_dynamics_ros.ros.endpoints import PolledSubscription

LIMIT = 60.0


@pytest.fixture
def ends():
    """A polled subscription, and a publisher that it has found."""
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=free_domain())
    node = rclpy.create_node('both', context=context)
    subscription = PolledSubscription(node, JointState, 'joint_states', 10)
    publisher = node.create_publisher(JointState, 'joint_states', 10)
    found = publisher.get_subscription_count
    wait_until(found, 'discovery', LIMIT, lambda: subscription.wait(0.01))
    yield subscription, publisher
    node.destroy_node()
    rclpy.shutdown(context=context)
    assert not subscription.usable


def named(name):
    return JointState(name=[name], position=[1.0])


def test_what_waits_is_polled_once_oldest_first_and_what_is_no_message_is_left_out(ends):
    subscription, publisher = ends
    assert not subscription.wait(0.0)
    publisher.publish(named('a'))
    whole = serialize_message(named('x'))
    for spoilt in (whole[:-9], b'', whole[:6]):
        publisher.publish(spoilt)
    for name in 'bc':
        publisher.publish(named(name))
    seen = []
    while len(seen) < 3:
        assert subscription.wait(LIMIT)
        seen += [message.name[0] for message, info in subscription.poll()]
    assert seen == ['a', 'b', 'c']
    assert not list(subscription.poll())
