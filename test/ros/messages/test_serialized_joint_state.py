"""What is read from serialized joint states is what rclpy reads from them."""

import sys

import numpy as np
import pytest
from cdr import serialized
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from property_settings import examples
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState

from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.ros.messages import serialized_joint_state
from robot_dynamics_ros.ros.messages.joint_state_layout import find_layout
from robot_dynamics_ros.ros.messages.serialized_joint_state import (
    MOST_LAYOUTS,
    SerializedJointStates,
)

OTHER_ORDER = '>' if sys.byteorder == 'little' else '<'
# Of the same sizes among them, so that only the text differs.
NAMES = ('turn', 'burn', 'slide', '', 'Gelenk_ä', '関節', 'wrist\x7f', 'a' * 40)
NUMBERS = st.floats() | st.sampled_from([0.0, -0.0, float('nan'), float('inf'), 5e-324])
quickly = {'deadline': None, 'suppress_health_check': list(HealthCheck)}


def content(message):
    """All of a message, the values bit by bit."""
    stamp, values = message.header.stamp, (message.position, message.velocity, message.effort)
    return (
        *(stamp.sec, stamp.nanosec, message.header.frame_id, list(message.name)),
        *(np.asarray(each, dtype=float).tobytes() for each in values),
    )


def by_rclpy(data):
    """What rclpy makes of it; None where it refuses, or would crash."""
    if len(data) < 4 or len(data) - 4 < data[3] & 3:
        return None
    try:
        return content(deserialize_message(data, JointState))
    except Exception:
        return None


def by_layout(states, data):
    """What the node makes of it; None where it refuses."""
    try:
        return content(states.decode(data))
    except StateError:
        return None


@st.composite
def drivers(draw):
    """What one driver repeats: frame, names, and how many values it sends."""
    names = draw(st.lists(st.sampled_from(NAMES), max_size=5))
    sizes = st.sampled_from([len(names), len(names), 0, 1, 3])
    return draw(st.sampled_from(NAMES)), names, [draw(sizes) for _ in range(3)]


@st.composite
def messages(draw, some_drivers):
    """A serialized message of one of the drivers."""
    frame, names, sizes = draw(st.sampled_from(some_drivers))
    values = [draw(st.lists(NUMBERS, min_size=size, max_size=size)) for size in sizes]
    message = JointState(name=names, position=values[0], velocity=values[1], effort=values[2])
    message.header.frame_id = frame
    message.header.stamp.sec = draw(st.integers(-(2**31), 2**31 - 1))
    message.header.stamp.nanosec = draw(st.integers(0, 2**32 - 1))
    if draw(st.booleans()):
        return serialize_message(message)
    order, version = draw(st.sampled_from('<>')), draw(st.sampled_from([1, 2]))
    return serialized(message, order, padding=draw(st.sampled_from([0, 255])), version=version)


@st.composite
def sequences(draw):
    """Messages of a few drivers in any order, more than there are layouts at times."""
    some_drivers = draw(st.lists(drivers(), min_size=1, max_size=MOST_LAYOUTS + 2))
    return draw(st.lists(messages(some_drivers), min_size=1, max_size=20))


@examples(300, **quickly)
@given(sequences())
def test_drivers_in_turn_are_read_as_rclpy_reads_them(sequence):
    states = SerializedJointStates()
    for data in sequence:
        expected = by_rclpy(data)
        assert expected is not None
        assert by_layout(states, data) == expected


@st.composite
def mutations(draw):
    """Bytes that were a message before some of them were changed, cut off or added."""
    data = bytearray(draw(messages([('base', ['turn', 'slide', 'wrist'], [3, 3, 3])])))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        kind = draw(st.sampled_from(['change', 'change', 'cut', 'remove', 'insert']))
        if kind == 'change':
            data[at : at + 1] = bytes([draw(st.integers(0, 255))])
        elif kind == 'cut':
            del data[at:]
        elif kind == 'remove':
            del data[at : at + draw(st.integers(1, 8))]
        else:
            data[at:at] = draw(st.binary(min_size=1, max_size=8))
    return bytes(data)


KNOWN = JointState(name=['turn', 'slide', 'wrist'], position=[1.0, 2.0, 3.0])
KNOWN.velocity, KNOWN.effort, KNOWN.header.frame_id = [4.0] * 3, [5.0] * 3, 'base'


@examples(500, **quickly)
@given(st.lists(mutations(), min_size=1, max_size=4))
def test_spoilt_bytes_are_read_or_refused_as_rclpy_does(sequence):
    """Also after a message whose layout they nearly have."""
    states = SerializedJointStates()
    for known in (serialized(KNOWN), serialize_message(KNOWN)):
        states.decode(known)
        for data in sequence:
            assert by_layout(states, data) == by_rclpy(data)
        assert by_layout(states, known) == content(KNOWN)


@pytest.mark.parametrize('body', [b'', b'\0', b'\0\0'])
@pytest.mark.parametrize('padding', [1, 2, 3])
def test_more_padding_than_there_are_bytes_is_refused(body, padding):
    """Given to rclpy, these bytes end the process."""
    if len(body) < padding:
        with pytest.raises(StateError, match='ends too early'):
            SerializedJointStates().decode(bytes([0, 1, 0, 0xE0 + padding]) + body)


def test_each_byte_counts_that_rclpy_reads():
    """Each changed alone, so that none is taken for padding."""
    states = SerializedJointStates()
    known = serialized(KNOWN)
    for at in range(len(known)):
        states.decode(known)
        data = bytearray(known)
        data[at] ^= 1
        assert by_layout(states, bytes(data)) == by_rclpy(bytes(data)), at


@pytest.fixture
def decoded(monkeypatch):
    """The messages that rclpy decodes."""
    seen = []

    def decode(data, message_type):
        seen.append(data)
        return deserialize_message(data, message_type)

    monkeypatch.setattr(serialized_joint_state, 'deserialize_message', decode)
    return seen


def one(*names, value=0.0, frame=''):
    message = JointState(name=list(names), position=[value] * len(names))
    message.header.frame_id = frame
    return message


def test_rclpy_decodes_what_is_new(decoded):
    """Two messages in turn, as an arm and its gripper send them, with any padding."""
    states = SerializedJointStates()
    for count in range(20):
        for names in (('turn', 'slide'), ('finger', 'ab')):
            message = one(*names, value=float(count))
            message.header.stamp.sec = count
            data = serialized(message, padding=count)
            assert content(states.decode(data)) == content(message)
    assert len(decoded) == 2
    states.decode(serialized(one('burn', 'slide')))
    states.decode(serialized(one('turn', 'slide', frame='a')))
    assert len(decoded) == 4


def test_rclpy_decodes_the_other_byte_order_each_time(decoded):
    states = SerializedJointStates()
    for count in range(3):
        message = one('turn', value=float(count))
        assert content(states.decode(serialized(message, OTHER_ORDER))) == content(message)
    assert len(decoded) == 3


@pytest.mark.parametrize('count', range(1, 5))
def test_doubles_may_be_aligned_in_another_way(count):
    """Zeros that stand elsewhere look the same: the places are not judged by the values alone."""
    states = SerializedJointStates()
    names = ['turn', 'ab', 'slide', 'wrist'][:count]
    for value in (0.0, 1.5):
        message = one(*names, value=value)
        # Some middleware fills messages up.
        data = serialized(message, version=2) + bytes(8)
        assert content(states.decode(data)) == content(message)


def test_the_latest_layouts_are_kept(decoded):
    """A driver that changes its frame with each message does not fill the memory."""
    states = SerializedJointStates()
    kinds = [serialized(one('turn', frame=str(number))) for number in range(MOST_LAYOUTS + 1)]
    for data in kinds:
        states.decode(data)
    for data in kinds[1:]:
        states.decode(data)
    assert len(decoded) == len(kinds)
    states.decode(kinds[0])
    assert len(decoded) == len(kinds) + 1


@pytest.mark.parametrize('kept', [8, 12, 20, 24, 60])
def test_a_layout_agrees_with_the_message_of_rclpy(kept):
    """None from bytes that end before their fields do, nor from those of another message."""
    message = one('turn', 'slide', value=1.5)
    data = serialized(message)
    assert find_layout(data, message) is not None
    assert find_layout(data[:kept], message) is None
    for other in (one('turn', 'slide'), one('turn', value=1.5)):
        assert find_layout(data, other) is None
