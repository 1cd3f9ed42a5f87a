"""Views of the bytes agree with the decoder of rosbags, whatever is mixed."""

from itertools import permutations

import numpy as np
import pytest

pytest.importorskip('rosbags')

from hypothesis import given
from hypothesis import strategies as st
from property_settings import examples
from recorded_states import type_store

from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.recordings.sources.joint_state_decoder import (
    JointStateDecoder,
    JointStateLayout,
)
from robot_dynamics_ros.recordings.sources.message_blocks import joined_block, records_at

JOINT_STATE = 'sensor_msgs/msg/JointState'
words = st.text(st.characters(exclude_characters='\0', codec='utf-8'), max_size=9)
kinds = st.tuples(
    st.lists(words, min_size=1, max_size=5, unique=True),
    words,
    st.booleans(),
    st.booleans(),
    st.sampled_from(['little', 'big', 'padded']),
)


def message(kind, number, ros1):
    """A message of a kind: names, frame, which fields, byte order."""
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
    return with_garbage(data, number) if kind[4] == 'padded' else data


def with_garbage(data, number):
    """Other bytes wherever the message stays the same: its padding."""
    store = type_store()
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


orders = st.lists(st.integers(0, 3), max_size=25)


@examples(80, deadline=None)
@given(
    st.lists(kinds, min_size=1, max_size=4),
    st.lists(st.integers(0, 3), max_size=25),
    st.booleans(),
)
def test_rows_are_what_rosbags_decodes(several, order, ros1):
    kind_of = [several[index % len(several)] for index in order or [0]]
    data = [serialized(kind, number, ros1) for number, kind in enumerate(kind_of)]
    decoder = JointStateDecoder('/topic', ros1=ros1)
    # Two blocks: the layouts of the first one are used in the second.
    for numbers in (range(len(data)), range(len(data))[::-1]):
        block = joined_block([(5 * number, data[number]) for number in numbers])
        states = decoder.decode(block)
        seen = np.zeros(len(data), int)
        for rows in states.rows:
            places = np.arange(len(data))[rows.places]
            seen[places] += 1
            for row, place in enumerate(places):
                expected = message(kind_of[numbers[place]], numbers[place], ros1)
                assert rows.names == tuple(expected.name)
                stamp = expected.header.stamp
                assert rows.stamps[row] == stamp.sec * 10**9 + stamp.nanosec
                for values, wanted in (
                    (rows.positions, expected.position),
                    (rows.velocities, expected.velocity),
                    (rows.efforts, expected.effort),
                ):
                    found = [] if values is None else values[row]
                    np.testing.assert_array_equal(found, wanted)
        assert (seen == 1).all()


def test_bytes_of_padding_do_not_make_another_layout():
    kind = (['ab', 'c'], 'x', True, True, 'padded')
    data = [serialized(kind, number, False) for number in range(1, 6)]
    assert len({each[:4] + each[12:40] for each in data}) > 1
    states = JointStateDecoder('/topic').decode(joined_block([(0, each) for each in data]))
    assert len(states.rows) == 1


# Looks at a message, on average over a block: as few as 10 of them take as long as decoding it.
MOST_LOOKS = 10


@pytest.mark.parametrize('ros1', [False, True])
def test_any_order_of_joints_leads_to_few_looks_at_each_message(monkeypatch, ros1):
    looks = []
    fits = JointStateLayout.fits
    monkeypatch.setattr(
        JointStateLayout,
        'fits',
        lambda layout, records: looks.append(len(records)) or fits(layout, records),
    )
    orders = list(permutations('abcde'))
    kinds = [(order, 'x', number % 3 > 0, number % 7 > 0, 'little')
             for number, order in enumerate(orders)]  # fmt: skip
    data = [serialized(kind, number, ros1) for number, kind in enumerate(kinds)]
    states = JointStateDecoder('/topic', ros1=ros1).decode(joined_block(list(enumerate(data))))
    assert sum(looks) <= MOST_LOOKS * len(orders)
    assert sorted(place for rows in states.rows for place in at(rows, data)) == [*range(len(data))]
    for rows in states.rows:
        for row, place in enumerate(at(rows, data)):
            expected = message(kinds[place], place, ros1)
            assert rows.names == orders[place]
            assert rows.stamps[row] == place * 10**9 + place + 1
            np.testing.assert_array_equal(rows.positions[row], expected.position)
            assert (rows.velocities is not None, rows.efforts is not None) == kinds[place][2:4]


def at(rows, data):
    """Places of some rows among the messages of one block."""
    return np.arange(len(data))[rows.places].tolist()


@pytest.mark.parametrize('spacing', ['equal', 'any'])
def test_records_are_those_at_their_places(spacing):
    random = np.random.default_rng(9)
    buffer = random.integers(0, 256, 5000, dtype=np.uint8)
    starts = np.arange(3, 4900, 43) if spacing == 'equal' else random.integers(0, 4990, 60)
    record = np.dtype({'names': ['a'], 'formats': ['<u4'], 'offsets': [3], 'itemsize': 10})
    found = records_at(buffer, starts, record)['a']
    expected = [int.from_bytes(buffer[at + 3 : at + 7].tobytes(), 'little') for at in starts]
    np.testing.assert_array_equal(found, expected)


def test_large_messages_are_refused():
    names = [f'joint{i}' for i in range(50_000)]
    data = serialized((names, '', True, True, 'little'), 1, False)
    with pytest.raises(RecordingError, match=r'/topic.*\d+.*1048576'):
        JointStateDecoder('/topic').decode(joined_block([(0, data)]))
