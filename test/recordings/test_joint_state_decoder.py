"""Views of the bytes agree with the decoder of rosbags, whatever is mixed."""

from itertools import permutations

import numpy as np
import pytest

pytest.importorskip('rosbags')

from hypothesis import given
from hypothesis import strategies as st
from property_settings import examples
from recorded_states import type_store

from robot_dynamics_ros.recordings.sources.joint_state_decoder import (
    JointStateDecoder,
    JointStateLayout,
)
from robot_dynamics_ros.recordings.sources.message_blocks import joined_blocks, records_at

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


def assert_decoded(decoder, data, expected):
    """That one block is decoded to these messages; how many groups there are."""
    (block,) = joined_blocks(list(enumerate(data)))
    states = decoder.decode(block)
    seen = np.concatenate([rows.places for rows in states.rows])
    assert sorted(seen) == [*range(len(data))]
    for rows in states.rows:
        for row, place in enumerate(rows.places):
            wanted = expected[place]
            stamp = wanted.header.stamp
            assert rows.names == tuple(wanted.name)
            assert rows.stamps[row] == stamp.sec * 10**9 + stamp.nanosec
            for values, each in (
                (rows.positions, wanted.position),
                (rows.velocities, wanted.velocity),
                (rows.efforts, wanted.effort),
            ):
                np.testing.assert_array_equal([] if values is None else values[row], each)
    return len(states.rows)


@examples(80, deadline=None)
@given(
    st.lists(kinds, min_size=1, max_size=4),
    st.lists(st.integers(0, 3), max_size=25),
    st.booleans(),
)
def test_rows_are_what_rosbags_decodes(several, order, ros1):
    numbered = [(several[index % len(several)], n, ros1) for n, index in enumerate(order or [0])]
    data = [serialized(*each) for each in numbered]
    expected = [message(*each) for each in numbered]
    decoder = JointStateDecoder(ros1=ros1)
    # Two blocks: the layouts of the first one are used in the second.
    assert_decoded(decoder, data, expected)
    assert_decoded(decoder, data[::-1], expected[::-1])


def test_bytes_of_padding_do_not_make_another_layout():
    kind = (['ab', 'c'], 'x', True, True, 'padded')
    data = [serialized(kind, number, False) for number in range(1, 6)]
    assert len({each[:4] + each[12:40] for each in data}) > 1
    expected = [message(kind, number, False) for number in range(1, 6)]
    assert assert_decoded(JointStateDecoder(), data, expected) == 1


@pytest.mark.parametrize('ros1', [False, True])
def test_any_order_of_joints_leads_to_few_looks_at_each_message(monkeypatch, ros1):
    looks = []
    fits = JointStateLayout.fits
    monkeypatch.setattr(
        JointStateLayout,
        'fits',
        lambda layout, records: looks.append(len(records)) or fits(layout, records),
    )
    numbered = [
        ((order, 'x', number % 3 > 0, number % 7 > 0, 'little'), number, ros1)
        for number, order in enumerate(permutations('abcde'))
    ]
    data, expected = (list(map(f, *zip(*numbered, strict=True))) for f in (serialized, message))
    decoder = JointStateDecoder(ros1=ros1)
    for _ in range(5):
        assert_decoded(decoder, data, expected)
    # Each is one comparison of its bytes.
    assert sum(looks) <= 5 * 15 * len(data)


@pytest.mark.parametrize('spacing', ['equal', 'any'])
def test_records_are_those_at_their_places(spacing):
    random = np.random.default_rng(9)
    buffer = random.integers(0, 256, 5000, dtype=np.uint8)
    starts = np.arange(3, 4900, 43) if spacing == 'equal' else random.integers(0, 4990, 60)
    record = np.dtype({'names': ['a'], 'formats': ['<u4'], 'offsets': [3], 'itemsize': 10})
    found = records_at(buffer, starts, record)['a']
    expected = [int.from_bytes(buffer[at + 3 : at + 7].tobytes(), 'little') for at in starts]
    np.testing.assert_array_equal(found, expected)
