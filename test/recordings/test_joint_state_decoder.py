"""Views of the bytes agree with the decoder of rosbags, whatever is mixed."""

import numpy as np
import pytest

pytest.importorskip('rosbags')

from hypothesis import example, given
from hypothesis import strategies as st
from property_settings import examples
from recorded_states import type_store

from robot_dynamics_ros.recordings.sources.joint_state_decoder import Decoder, batches_of

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
    decoder = Decoder(len(data))
    for batch in batches_of(enumerate(data)):
        decoder.add(batch, ros1)
    states, stamped = decoder.states()
    assert stamped
    assert sorted(np.concatenate([rows.numbers for rows in states])) == [*range(len(data))]
    for rows in states:
        assert (np.diff(rows.numbers) > 0).all()
        for row, place in enumerate(rows.numbers):
            wanted = message(*numbered[place])
            assert rows.times[row] == wanted.header.stamp.sec * 10**9 + wanted.header.stamp.nanosec
            values = rows.of(wanted.name)[:, row]
            for given, each in zip(
                values, (wanted.position, wanted.velocity, wanted.effort), strict=True
            ):
                np.testing.assert_array_equal(given, each if len(each) else np.nan)
