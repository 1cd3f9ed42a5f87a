"""Views of the bytes agree with the decoder of rosbags, whatever is mixed."""

import numpy as np
import pytest

pytest.importorskip('rosbags')

from hypothesis import example, given
from hypothesis import strategies as st
from property_settings import examples
from recorded_states import type_store

from robot_dynamics_ros.recordings.sources.joint_state_decoder import decoded

JOINT_STATE = 'sensor_msgs/msg/JointState'
words = st.text(st.characters(exclude_characters='\0', codec='utf-8'), max_size=9)
# Names, frame, whether there are velocities and efforts, byte order.
kinds = st.tuples(
    st.lists(words, min_size=1, max_size=5, unique=True),
    words,
    st.booleans(),
    st.booleans(),
    st.sampled_from(['little', 'big', 'padded']),
)


def message(kind, number, ros1):
    names, frame, moving, loaded, _ = kind
    types = type_store('ROS1_NOETIC' if ros1 else 'LATEST').types
    values = np.random.default_rng(number).normal(size=(3, len(names)))
    fields = {'stamp': types['builtin_interfaces/msg/Time'](number, number + 1), 'frame_id': frame}
    if ros1:
        fields['seq'] = number
    header = types['std_msgs/msg/Header'](**fields)
    velocities = values[1] if moving else np.empty(0)
    efforts = values[2] if loaded else np.empty(0)
    return types[JOINT_STATE](header, list(names), values[0], velocities, efforts)


def serialized(kind, number, ros1):
    whole = message(kind, number, ros1)
    if ros1:
        return bytes(type_store('ROS1_NOETIC').serialize_ros1(whole, JOINT_STATE))
    store = type_store()
    data = bytes(store.serialize_cdr(whole, JOINT_STATE, little_endian=kind[4] != 'big'))
    if kind[4] != 'padded':
        return data
    # Other bytes wherever the message stays the same.
    changed = bytearray(data)
    for place in range(12, len(data)):
        tried = bytearray(changed)
        tried[place] = (number * 37 + place) % 251 + 1
        try:
            decoded = store.deserialize_cdr(bytes(tried), JOINT_STATE)
        except Exception:
            continue
        if bytes(store.serialize_cdr(decoded, JOINT_STATE)) == data:
            changed = tried
    return bytes(changed)


def assert_decoded(data, expected, ros1):
    """That these messages are decoded to these states."""
    states = decoded([*enumerate(data)], 0, ros1=ros1)
    assert sorted(np.concatenate([rows.numbers for rows in states])) == [*range(len(data))]
    for rows in states:
        for row, place in enumerate(rows.numbers):
            wanted = expected[place]
            stamp = wanted.header.stamp
            assert rows.names == tuple(wanted.name)
            assert rows.stamps[row] == stamp.sec * 10**9 + stamp.nanosec
            fields = (wanted.position, wanted.velocity, wanted.effort)
            for values, each in zip(rows.values, fields, strict=True):
                np.testing.assert_array_equal(values[row], each if len(each) else np.nan)


@examples(40)
@given(
    st.lists(kinds, min_size=1, max_size=4),
    st.lists(st.integers(0, 3), max_size=25),
    st.booleans(),
)
# They differ in the last byte before the number of positions alone.
@example([([name], 'map', False, False, 'little') for name in ('aa', 'ab')], [0, 1], True)
def test_rows_are_what_rosbags_decodes(several, order, ros1):
    numbered = [(several[index % len(several)], n, ros1) for n, index in enumerate(order or [0])]
    data = [serialized(*each) for each in numbered]
    expected = [message(*each) for each in numbered]
    assert_decoded(data, expected, ros1)
