"""Parts of a recording: each state is in one of them, and no part decodes what lies before it."""

import numpy as np
import pytest

pytest.importorskip('rosbags')

from handmade_mcap import Handmade
from recorded_states import (
    csv_file,
    joint_state_bag,
    ros1_bag,
    ros2_messages,
    sine_states,
)

from robot_dynamics_ros.recordings import open_recording
from robot_dynamics_ros.recordings.sources import mcap_blocks, message_block
from robot_dynamics_ros.recordings.sources.joint_state_decoder import JointStateDecoder

STATES = sine_states(rate=500.0, seconds=20.0)


def two_bags(folder, storage):
    """Files that follow each other."""
    cut = 3700
    parts = STATES.part(slice(0, cut)), STATES.part(slice(cut, None))
    return [
        joint_state_bag(folder / f'{storage}{number}', part, storage=storage)
        for number, part in enumerate(parts)
    ]


FILES = {
    'mcap': lambda folder: [joint_state_bag(folder / 'bag', STATES)],
    'mcap without chunks': lambda folder: [
        Handmade(list(ros2_messages(STATES)), chunked=False).write(folder / 'records.mcap')
    ],
    'two mcap': lambda folder: two_bags(folder, 'mcap'),
    'sqlite3': lambda folder: [joint_state_bag(folder / 'bag', STATES, storage='sqlite3')],
    'two sqlite3': lambda folder: two_bags(folder, 'sqlite3'),
    'ros 1': lambda folder: [ros1_bag(folder / 'old.bag', STATES)],
    'csv': lambda folder: [csv_file(folder / 'states.csv', STATES)],
}


def file_is_a_table(files):
    return files[0].suffix == '.csv'


@pytest.fixture(scope='module', params=FILES)
def files(request, tmp_path_factory):
    return FILES[request.param](tmp_path_factory.mktemp('parts'))


@pytest.fixture
def decoded(monkeypatch):
    """Counts the messages that are decoded, in small blocks."""
    monkeypatch.setattr(mcap_blocks, 'WINDOW', 1 << 16)
    monkeypatch.setattr(message_block, 'MESSAGES', 500)
    counts, decode = [], JointStateDecoder.decode

    def counted(decoder, block):
        counts.append(len(block.sizes))
        return decode(decoder, block)

    monkeypatch.setattr(JointStateDecoder, 'decode', counted)
    return counts


@pytest.mark.parametrize('count', [2, 5])
def test_each_state_is_in_one_part_and_is_decoded_once(files, decoded, count):
    found = []
    for number in range(count):
        with open_recording(files, part=(number, count)) as recording:
            decoded.clear()
            parts = [part.positions for part in recording.chunks()]
            if not file_is_a_table(files):
                assert sum(decoded) == sum(map(len, parts))
            found += parts
    np.testing.assert_array_equal(np.concatenate(found), STATES.positions)
