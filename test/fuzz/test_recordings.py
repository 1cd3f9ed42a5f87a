"""Files with any damage: samples of their joints, or one line that says what is wrong."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

pytest.importorskip('rosbags')

from handmade_mcap import handmade
from hypothesis import given
from hypothesis import strategies as st
from property_settings import tried
from recorded_states import csv_file, joint_state_bag, ros1_bag, ros2_messages, sine_states

from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.recordings import Recording

pytestmark = pytest.mark.contract

STATES = sine_states(seconds=0.2)
# Numbers that sizes, counts and offsets must not be.
WORDS = (b'', b'\0', b'\xff', b'\xff\xff\xff\xff', b'\0\0\0\x80', b'nan', b',', b'\n', b'-',
         b'1e999', b'"', b'\xff\xff\xff\xff\xff\xff\xff\x7f', b'\0\0\0\0\0\0\0\x01')  # fmt: skip


@cache
def whole(kind):
    """The bytes of a file of a kind; the kind is the end of its name."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        if kind == '.bag':
            return ros1_bag(folder / 'a.bag', STATES, compression='lz4').read_bytes()
        if kind.startswith('.csv'):
            return csv_file(folder / f'a{kind}', STATES).read_bytes()
        if kind == '.records.mcap':
            messages = list(ros2_messages(STATES))
            return handmade(folder / 'a.mcap', messages, chunked=False).read_bytes()
        options = {
            '.mcap': {},
            '.compressed.mcap': {'compression': 'storage'},
            '.messages.mcap': {'compression': 'message'},
            '.db3': {'storage': 'sqlite3'},
            '.mcap.zstd': {'compression': 'file'},
        }
        bag = joint_state_bag(folder / 'a', STATES, **options[kind])
        return next(path for path in bag.iterdir() if path.suffix != '.yaml').read_bytes()


KINDS = ('.mcap', '.compressed.mcap', '.messages.mcap', '.records.mcap', '.mcap.zstd', '.db3',
         '.bag', '.csv', '.csv.gz')  # fmt: skip
# Most structure is at the ends.
places = st.integers(0, 600) | st.integers(-1500, -1) | st.integers(0, 1 << 16)
content = st.sampled_from(WORDS) | st.binary(max_size=12)
# Where, how many bytes are taken away (0: as many as are put there), and what is put there.
damages = st.lists(
    st.tuples(places, st.just(0) | st.integers(0, 12) | st.integers(0, 4000), content), max_size=4
)


def damaged(kind, changes):
    """The bytes of a file after some changes."""
    data = bytearray(whole(kind))
    for place, taken, put in changes:
        start = place % max(1, len(data))
        data[start : start + (taken or len(put))] = put
    return bytes(data)


INPUTS = st.tuples(st.sampled_from(KINDS), damages)


@tried
@given(INPUTS)
def test_damaged_files_give_samples_or_one_line(value):
    kind, changes = value
    with TemporaryDirectory() as folder:
        file = Path(folder) / f'file{kind}'
        file.write_bytes(damaged(kind, changes))
        said = ''
        try:
            read(file)
        except RecordingError as error:
            said = str(error)
    assert not said or file.name in said
    assert '\n' not in said


def read(file):
    """Read it to the end."""
    recording = Recording.read([file])
    states = recording.states()
    shape = (len(states), len(recording.joints))
    assert states.times.shape == shape[:1]
    for values in (states.positions, states.velocities, states.efforts):
        assert values.shape == shape
    assert np.isfinite(states.times).all()
    assert recording.quality.samples == len(states)
