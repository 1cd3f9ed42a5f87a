"""Files that cannot be used: one line that names the file, and the thing that is wrong."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('rosbags')

from handmade_mcap import handmade
from recorded_states import (
    csv_file,
    joined,
    joint_state_bag,
    message_of,
    ros1_bag,
    ros2_messages,
    sine_states,
    type_store,
    write_bag,
)

from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.recordings import Recording

pytestmark = pytest.mark.contract

STATES = sine_states(seconds=2.0)
MESSAGES = list(ros2_messages(STATES))
JOINT_STATE = 'sensor_msgs/msg/JointState'


def refused(match, *paths, **options):
    """Reading raises one line that has this, and names the file."""
    with pytest.raises(RecordingError, match=match or None) as caught:
        joined(Recording.read(list(paths), **options))
    line = str(caught.value)
    assert '\n' not in line
    assert len(line) < 700
    if paths:
        assert paths[0].name in line


def storage(folder):
    return next(path for path in folder.iterdir() if path.suffix in ('.mcap', '.db3'))


WHOLE = {
    '.mcap': lambda p: storage(joint_state_bag(p / 'bag', STATES)),
    '.db3': lambda p: storage(joint_state_bag(p / 'bag', STATES, storage='sqlite3')),
    '.compressed.mcap': lambda p: storage(
        joint_state_bag(p / 'bag', STATES, compression='storage')
    ),
    '.bag': lambda p: ros1_bag(p / 'old.bag', STATES),
    '.csv.gz': lambda p: csv_file(p / 'a.csv.gz', STATES),
}


@pytest.mark.parametrize('kind', WHOLE)
def test_files_that_end_too_early(tmp_path, kind):
    whole = WHOLE[kind](tmp_path).read_bytes()
    cut = tmp_path / f'cut{kind}'
    for part in (0.0, 0.001, 0.1, 0.5, 0.9):
        cut.write_bytes(whole[: int(part * len(whole))])
        refused('cut', cut)


# None of them changes what the channels say.
OTHER_WRITERS = [
    {}, {'chunked': False}, {'listed': False}, {'moved': 3}, {'profile': 'ros1'}, {'profile': ''},
    {'summary': False}, {'beside': 'json'}, {'beside': 'json', 'summary': False},
]  # fmt: skip


@pytest.mark.parametrize('options', OTHER_WRITERS, ids=str)
def test_an_mcap_file_of_any_writer_is_judged_by_its_channels(tmp_path, options):
    """Without order, too."""
    unordered = [*MESSAGES[:100], *MESSAGES[102:99:-1], *MESSAGES[103:]]
    recording = Recording.read([handmade(tmp_path / 'hand.mcap', unordered, **options)])
    np.testing.assert_array_equal(joined(recording)[1], STATES.positions)


def test_an_mcap_file_may_hold_messages_of_ros_1(tmp_path):
    store = type_store('ROS1_NOETIC')
    messages = [
        (time, bytes(store.serialize_ros1(message_of(store, STATES, index), JOINT_STATE)))
        for index, (time, _) in enumerate(MESSAGES)
    ]
    file = handmade(tmp_path / 'hand.mcap', messages, profile='ros1', encoding='ros1')
    np.testing.assert_array_equal(joined(Recording.read([file]))[1], STATES.positions)
    refused('has no messages', handmade(tmp_path / 'other.mcap', messages, encoding='protobuf'))


DAMAGED = [{'claimed': 10**6}, {'claimed': 10**12}, {'compression': 'brotli'}]


@pytest.mark.parametrize('options', DAMAGED, ids=str)
def test_damaged_mcap_files(tmp_path, options):
    refused('mcap recover', handmade(tmp_path / 'hand.mcap', MESSAGES, **options))


def test_a_database_whose_recorder_was_killed(tmp_path):
    file = storage(joint_state_bag(tmp_path / 'bag', STATES, storage='sqlite3'))
    file.with_name(file.name + '-wal').write_bytes(b'frames')
    refused('-wal.*wal_checkpoint', file)


def test_what_is_not_a_recording(tmp_path):
    empty = tmp_path / 'empty'
    empty.mkdir()
    refused('.mcap', empty)
    refused('', tmp_path / 'nothing.mcap')
    notes = tmp_path / 'notes.txt'
    notes.write_text('hello')
    refused('.mcap', notes)
    for ending in ('mcap', 'db3', 'bag', 'mcap.zstd', 'csv.gz'):
        wrong = tmp_path / f'wrong.{ending}'
        wrong.write_text('hello ' * 100)
        refused('', wrong)
    for kind in ('sqlite3', 'mcap'):
        file = storage(joint_state_bag(tmp_path / kind, STATES, storage=kind))
        refused('', file.rename(tmp_path / 'renamed.bag'))
    with pytest.raises(RecordingError):
        Recording.read([])


def test_files_that_are_not_one_recording(tmp_path):
    bag = storage(joint_state_bag(tmp_path / 'bag', STATES))
    refused('and 1 more: .*CSV', bag, csv_file(tmp_path / 'states.csv', STATES))
    states = sine_states(seconds=20.0)
    one = csv_file(tmp_path / 'one.csv', states, fields=['position'])
    late = replace(states, stamps=states.stamps + np.arange(len(states)) % 2)
    refused('times', one, csv_file(tmp_path / 'late.csv', late, fields=['velocity']))
    refused('position', one, one)
    short = csv_file(tmp_path / 'short.csv', states.part(slice(400)), fields=['velocity'])
    refused('times', one, short)
    refused('times', short, one)


def test_topics_are_offered(tmp_path):
    contents = {
        '/left/joint_states': (JOINT_STATE, MESSAGES),
        '/empty': (JOINT_STATE, []),
        '/two\nlines': ('std_msgs/msg/String', [(5, b'\0\1\0\0\2\0\0\0a\0')]),
    }
    bag = write_bag(tmp_path / 'bag', contents)
    for topic in (None, '/empty', 'two\nlines'):
        refused('500.*--topic /left/joint_states', bag, topic=topic)
    silent = write_bag(tmp_path / 'silent', {'/two\nlines': contents['/two\nlines']})
    refused('', silent)


def test_one_message_is_a_recording(tmp_path):
    for kind in ('mcap', 'sqlite3'):
        bag = joint_state_bag(tmp_path / kind, STATES.part(slice(1)), storage=kind)
        recording = Recording.read([bag])
        assert np.isnan(recording.interval)
        np.testing.assert_array_equal(joined(recording)[1], STATES.positions[:1])
        assert recording.quality.as_json()['interval'] is None


def test_messages_that_are_no_states_are_counted(tmp_path):
    short = replace(STATES, positions=STATES.positions[:, :2])
    twice = replace(STATES, names=('wrist', 'slider', 'wrist'))
    other = replace(STATES, velocities=STATES.velocities[:, :1])
    odd = [next(ros2_messages(each.part(slice(100, 101)))) for each in (short, twice, other)]
    time = MESSAGES[-1][0] + 1
    odd += [(time, data) for data in (b'', b'\0\1\0\0', b'\0\1\0\0' + bytes(11), b'\7' * 90)]
    odd.append((time, b'\0\1\0\0' + b'\xff' * 300))
    file = handmade(tmp_path / 'odd.mcap', sorted([*MESSAGES, *odd]))
    recording = Recording.read([file])
    np.testing.assert_array_equal(joined(recording)[1], STATES.positions)
    assert recording.quality.malformed == len(odd)
    refused('/joint_states', handmade(tmp_path / 'all.mcap', odd))


def test_other_joints_are_named_and_renaming_is_offered(tmp_path):
    bag = joint_state_bag(
        tmp_path / 'bag', replace(STATES, names=('a_joint1', 'a_joint2', 'a_joint3'))
    )
    wanted = ('b_joint1', 'b_joint2', 'b_joint3')
    refused('--rename a_=b_$', bag, joints=wanted)
    recording = Recording.read([bag], joints=wanted, rename={'a_': 'b_'})
    assert recording.joints == wanted
    np.testing.assert_array_equal(joined(recording)[1], STATES.positions)
    # A renaming that does not help is offered anew, with the name that the recording has.
    refused('--rename a_=b_$', bag, joints=wanted, rename={'a_': 'c_'})
    refused('elbow.*a_joint3$', bag, joints=['elbow'])
    refused('c_', bag, rename={'c_': 'd_'})


# What the refusal names, beside the file.
BAD_TABLES = {
    'is empty': (b'', 'Empty'),
    'no time': (b'elbow_position\n1\n', 'time'),
    'semicolons': (b't;a_position\n1;2\n', 't;a_position'),
    'no values': (b't,elbow\n1,2\n', 'JOINT_position'),
    'twice': (b't,a_effort,a.effort\n1,2,3\n', '2 .*a effort'),
    'words': (b't,a_position\n1,2\n\n2,high\n', "'a_position'.*3.*'high'"),
    'a late word': (b't,a_effort\n' + b'1,\n' * 100_000 + b'1,ERROR', "'a_effort'.*100002.*'ERR"),
    'a time of day': (b't,a_position\n12:05,2\n', "'t'.*2.*'12:05'"),
    'an underscore': (b't,a_position\n1,1_0\n', '1_0'),
    'a large cell': (b't,a_position\n1,' + b'x' * 200_000, r"'a_position'.*2.*xxx\.\.\."),
    'ragged': (b't,a_position\n1,2\n2\n', '3.*2.*1'),
    'a large name': (b't,' + b'x' * 200_000, 'columns'),
    'no rows': (b't,a_position\n', 'row'),
    'time is text': (b't,a_position\nnan,2\n', 'time'),
    'not UTF-8': (b't,a_position\n1,\xff\n', "'a_position'.*2"),
}


@pytest.mark.parametrize('name', BAD_TABLES)
def test_bad_csv_files(tmp_path, name):
    content, match = BAD_TABLES[name]
    file = tmp_path / 'bad.csv'
    file.write_bytes(content)
    refused(match, file)


def test_empty_cells_are_not_measured_and_other_columns_may_hold_text(tmp_path):
    file = tmp_path / 'holes.csv'
    file.write_text(
        'mode,time,a_position,a_effort,b_position,note\n'
        'auto,0.0,1.0,,2.0,"a, b"\n'
        'auto,0.1,,3.0,"",x\n'
    )
    recording = Recording.read([file])
    assert recording.joints == ('a', 'b')
    _, positions, velocities, efforts = joined(recording)
    np.testing.assert_array_equal(positions, [[1.0, 2.0], [np.nan, np.nan]])
    np.testing.assert_array_equal(efforts, [[np.nan, np.nan], [3.0, np.nan]])
    assert np.isnan(velocities).all()
