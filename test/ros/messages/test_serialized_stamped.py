"""Messages that differ from one serialized before in stamp and values only."""

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from rclpy.serialization import deserialize_message
from std_msgs.msg import Header

from robot_dynamics_interfaces.msg import ExternalTorques
from robot_dynamics_ros.ros.loop.external_topics import _wrench
from robot_dynamics_ros.ros.messages.arrays import doubles
from robot_dynamics_ros.ros.messages.serialized_stamped import SerializedStamped

STAMPS = [Time(), Time(sec=1_700_000_000, nanosec=999_999_999), Time(sec=-1, nanosec=1)]


@pytest.mark.parametrize('stamp', STAMPS, ids=str)
@pytest.mark.parametrize('names', [['a'], ['shoulder', 'elbow', 'wrist_1_joint']], ids=len)
def test_torques_are_those_that_rclpy_serializes(names, stamp):
    def make(stamp, values):
        header = Header(stamp=stamp, frame_id='base')
        return ExternalTorques(header=header, joint_names=names, effort=doubles(values))

    values = np.random.default_rng(0).normal(size=len(names))
    data = SerializedStamped(make, len(names)).encode(stamp, values)
    assert deserialize_message(data, ExternalTorques) == make(stamp, values)


def test_a_wrench_is_the_one_that_rclpy_serializes():
    values = np.array([1.0, -2.5, np.nan, 0.0, 1e300, -1e-300])
    encoder = SerializedStamped(lambda stamp, numbers: _wrench('tool0', stamp, numbers), 6)
    message = deserialize_message(encoder.encode(STAMPS[1], values), WrenchStamped)
    assert message.header == Header(stamp=STAMPS[1], frame_id='tool0')
    force, torque = message.wrench.force, message.wrench.torque
    numbers = [force.x, force.y, force.z, torque.x, torque.y, torque.z]
    np.testing.assert_array_equal(numbers, values)


def test_what_cannot_be_found_is_made_each_time():
    """A message that does not hold the values one after the other."""
    encoder = SerializedStamped(lambda stamp, values: Header(stamp=stamp), 2)
    message = encoder.encode(STAMPS[1], np.zeros(2))
    assert message == Header(stamp=STAMPS[1])
