"""Views of the bytes agree with the decoder of rosbags, whatever is mixed."""

from contextlib import suppress

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
    stamp = types['builtin_interfaces/msg/Time'](number, number + 1)
    fields = {'stamp': stamp, 'frame_id': frame, **({'seq': number} if ros1 else {})}
    measured = (values[0], values[1][: None if moving else 0], values[2][: None if loaded else 0])
    return types[JOINT_STATE](types['std_msgs/msg/Header'](**fields), list(names), *measured)


def serialized(kind, number, ros1):
    whole = message(kind, number, ros1)
    if ros1:
        return bytes(type_store('ROS1_NOETIC').serialize_ros1(whole, JOINT_STATE))
    store = type_store()
    data = bytes(store.serialize_cdr(whole, JOINT_STATE, little_endian=kind[4] != 'big'))
    # Other bytes wherever the message stays the same.
    changed = bytearray(data)
    for place in range(12, len(data) * (kind[4] == 'padded')):
        tried = bytearray(changed)
        tried[place] = (number * 37 + place) % 251 + 1
        with suppress(Exception):
            again = store.deserialize_cdr(bytes(tried), JOINT_STATE)
            if bytes(store.serialize_cdr(again, JOINT_STATE)) == data:
                changed = tried
    return bytes(changed)


@examples(30)
@given(
    st.lists(kinds, min_size=1, max_size=4),
    st.lists(st.integers(0, 3), max_size=25),
    st.booleans(),
)
# They differ in the last byte before the number of positions alone.
@example([([name], 'map', False, False, 'little') for name in ('aa', 'ab')], [0, 1], True)
def test_rows_are_what_rosbags_decodes(several, order, ros1):
    numbered = [(several[index % len(several)], n, ros1) for n, index in enumerate(order or [0])]
    decoder = Decoder()
    for batch in batches_of(enumerate(serialized(*each) for each in numbered)):
        decoder.add(batch, ros1)
    states, _ = decoder.states()
    assert sorted(np.concatenate([rows.numbers for rows in states])) == [*range(len(numbered))]
    for rows in states:
        assert (np.diff(rows.numbers) > 0).all()
        for row, place in enumerate(rows.numbers):
            wanted = message(*numbered[place])
            stamp, values = wanted.header.stamp, rows.of(wanted.name)[:, row]
            assert rows.times[row] == stamp.sec * 10**9 + stamp.nanosec
            fields = (wanted.position, wanted.velocity, wanted.effort)
            for one, each in zip(values, fields, strict=True):
                np.testing.assert_array_equal(one, each if len(each) else np.nan)
