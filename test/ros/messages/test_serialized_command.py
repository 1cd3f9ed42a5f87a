"""Commands that are encoded without rclpy are those that it would have sent."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rclpy.serialization import deserialize_message, serialize_message
from std_msgs.msg import Float64MultiArray

from robot_dynamics_ros.ros.messages import serialized_command
from robot_dynamics_ros.ros.messages.serialized_command import SerializedCommand

VALUES = st.lists(st.floats(), min_size=1, max_size=40).map(np.array)


@given(st.lists(VALUES, min_size=1, max_size=5))
def test_a_subscriber_gets_the_values_and_an_empty_layout(commands):
    for values in commands:
        encoder = SerializedCommand(values.size)
        for each in (values, -values):
            message = deserialize_message(encoder.encode(each), Float64MultiArray)
            assert message.data.tobytes() == each.tobytes()
            assert message.layout == Float64MultiArray().layout


def test_bytes_after_the_values_are_kept(monkeypatch):
    """A middleware may fill the message up."""
    monkeypatch.setattr(
        serialized_command,
        'serialize_message',
        lambda message: serialize_message(message) + b'end',
    )
    data = SerializedCommand(2).encode(np.array([1.0, 2.0]))
    assert data.endswith(np.array([1.0, 2.0]).tobytes() + b'end')


@pytest.mark.parametrize('size', [1, 6])
def test_without_plain_doubles_rclpy_serializes(monkeypatch, size):
    """As with a middleware that encodes values in another way."""

    def otherwise(message):
        return serialize_message(message)[::-1]

    monkeypatch.setattr(serialized_command, 'serialize_message', otherwise)
    values = np.arange(size) + 0.5
    message = SerializedCommand(size).encode(values)
    assert isinstance(message, Float64MultiArray)
    assert list(message.data) == list(values)
