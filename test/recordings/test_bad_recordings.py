"""Files that cannot be used: one line that names the file, the problem, and what to do."""

import bz2
import gzip
import sqlite3
import tracemalloc
from dataclasses import replace

import lz4.frame
import numpy as np
import pytest

pytest.importorskip('rosbags')

from handmade_mcap import Handmade
from recorded_states import (
    JOINTS,
    csv_file,
    joined,
    joint_state_bag,
    ros1_bag,
    ros2_messages,
    sine_states,
    write_bag,
)
from refused_files import read, refused

from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.recordings import Recording
from robot_dynamics_ros.recordings.sources import bounded_expansion

STATES = sine_states(seconds=2.0)
MESSAGES = list(ros2_messages(STATES))
JOINT_STATE = 'sensor_msgs/msg/JointState'


def storage(folder):
    return next(path for path in folder.iterdir() if path.suffix in ('.mcap', '.db3'))


@pytest.mark.parametrize(
    'options', [{}, {'storage': 'sqlite3'}, {'compression': 'storage'}], ids=str
)
@pytest.mark.parametrize('part', [0.0, 0.001, 0.1, 0.5, 0.9, 0.999])
def test_truncated_bags(tmp_path, options, part):
    file = storage(joint_state_bag(tmp_path / 'bag', STATES, **options))
    whole = file.read_bytes()
    cut = file.with_name('cut' + file.suffix)
    cut.write_bytes(whole[: int(part * len(whole))])
    refused('cut', cut)


@pytest.mark.parametrize('part', [0.0, 0.01, 0.5, 0.9])
def test_truncated_ros1_bags(tmp_path, part):
    whole = ros1_bag(tmp_path / 'old.bag', STATES).read_bytes()
    cut = tmp_path / 'cut.bag'
    cut.write_bytes(whole[: int(part * len(whole))])
    refused('cut', cut)


def test_an_mcap_file_with_chunks_and_one_without_are_read(tmp_path):
    for name, options in {'chunks': {}, 'records': {'chunked': False}}.items():
        file = Handmade(MESSAGES, **options).write(tmp_path / f'{name}.mcap')
        _, positions, *_ = read(file)
        np.testing.assert_array_equal(positions, STATES.positions)


def test_records_that_do_not_fit_into_one_window_are_read(tmp_path, monkeypatch):
    from robot_dynamics_ros.recordings.sources import message_blocks

    file = Handmade(MESSAGES, chunked=False).write(tmp_path / 'records.mcap')
    for window in (400, 1000, 5000):
        monkeypatch.setattr(message_blocks, 'WINDOW', window)
        _, positions, *_ = read(file)
        np.testing.assert_array_equal(positions, STATES.positions)
    monkeypatch.setattr(message_blocks, 'WINDOW', 100)
    refused('100', file)


@pytest.mark.contract
def test_a_large_message_of_another_topic_is_skipped(tmp_path):
    file = Handmade(MESSAGES, chunked=False, other=bytes(1 << 25)).write(tmp_path / 'camera.mcap')
    tracemalloc.start()
    try:
        _, positions, *_ = read(file)
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
    finally:
        tracemalloc.stop()
    np.testing.assert_array_equal(positions, STATES.positions)


DAMAGED = [
    ('mcap recover', {'summary': False}),
    ('mcap recover', {'listed': False}),
    ('', {'moved': 10**7}),
    ('', {'moved': 3}),
    ('', {'claimed': 10**6}),
    ('268435456', {'claimed': 10**12}),
    ('brotli.*zstd, lz4', {'compression': 'brotli'}),
]


@pytest.mark.parametrize(('named', 'options'), DAMAGED)
def test_damaged_mcap_files(tmp_path, named, options):
    refused(named, Handmade(MESSAGES, **options).write(tmp_path / 'hand.mcap'))


COMPRESS = {
    'zstd': bounded_expansion.zstd().compress,
    'lz4': lz4.frame.compress,
    'bz2': bz2.compress,
}


@pytest.mark.parametrize('compression', COMPRESS)
def test_chunks_that_expand_beyond_what_they_claim(tmp_path, compression):
    good = Handmade(MESSAGES, compression=compression, compress=COMPRESS[compression])
    if compression != 'bz2':  # not of MCAP, but known
        read(good.write(tmp_path / 'good.mcap'))

    def bomb(content):
        return COMPRESS[compression](content + bytes(1 << 24))

    file = Handmade(MESSAGES, compression=compression, compress=bomb, claimed=10**6)
    refused('1000000', file.write(tmp_path / 'bomb.mcap'))


@pytest.mark.contract
def test_compressed_files_that_expand_to_more_than_a_recording_does(tmp_path):
    noise, row = np.random.default_rng(0).bytes(600_000), b'0,0' + b' ' * 99_996 + b'\n'
    bombs = {
        'a.mcap.zstd': bounded_expansion.zstd().compress(noise + bytes(100_000_000)),
        'a.csv.gz': gzip.compress(b't,a_position\n' + 700 * row),
    }
    for name, content in bombs.items():
        bomb = tmp_path / name
        bomb.write_bytes(content)
        refused(str(max(100 * len(content), 1 << 26)), bomb)
    bomb.write_bytes(b'not compressed')
    refused('', bomb)


def test_ros1_chunks_that_are_bombs(tmp_path, monkeypatch):
    from robot_dynamics_ros.recordings.sources import storage_files

    monkeypatch.setattr(storage_files, 'LARGEST_CHUNK', 1000)
    for compression in ('lz4', 'bz2'):
        file = ros1_bag(tmp_path / f'{compression}.bag', STATES, compression=compression)
        refused('1000', file)


def test_a_database_whose_recorder_was_killed(tmp_path):
    file = storage(joint_state_bag(tmp_path / 'bag', STATES, storage='sqlite3'))
    file.with_name(file.name + '-wal').write_bytes(b'frames')
    refused('-wal.*wal_checkpoint', file)


@pytest.mark.parametrize('value', ['text', 5, 'x' * 200])
def test_databases_with_other_values(tmp_path, value):
    file = storage(joint_state_bag(tmp_path / 'bag', STATES, storage='sqlite3'))
    with sqlite3.connect(file) as database:
        database.execute('UPDATE messages SET data = ? WHERE id = 30', (value,))
    database.close()
    refused('', file)


def test_what_is_not_a_recording(tmp_path):
    empty = tmp_path / 'empty'
    empty.mkdir()
    refused('metadata.yaml', empty)
    (empty / 'metadata.yaml').write_text('a: &a [1]\nb: [*a, *a]\n')
    refused('metadata', empty)
    (empty / 'metadata.yaml').write_text(
        'rosbag2_bagfile_information: {relative_file_paths: [x.mcap]}'
    )
    refused('x.mcap', empty)
    refused('', tmp_path / 'nothing.mcap')
    notes = tmp_path / 'notes.txt'
    notes.write_text('hello')
    refused('.mcap', notes)
    for ending in ('mcap', 'db3', 'bag'):
        wrong = tmp_path / f'wrong.{ending}'
        wrong.write_text('hello ' * 100)
        refused('wrong', wrong)
    with pytest.raises(RecordingError):
        read()


@pytest.mark.parametrize(('kind', 'ending'), [('sqlite3', '.db3'), ('mcap', '.mcap')])
def test_a_bag_of_ros2_with_the_ending_of_ros1(tmp_path, kind, ending):
    file = storage(joint_state_bag(tmp_path / 'bag', STATES, storage=kind))
    renamed = file.rename(tmp_path / 'renamed.bag')
    refused(ending, renamed)


def test_files_that_are_not_one_recording(tmp_path):
    bag = storage(joint_state_bag(tmp_path / 'bag', STATES))
    old = ros1_bag(tmp_path / 'old.bag', STATES)
    table = csv_file(tmp_path / 'states.csv', STATES)
    refused('ROS 1 and ROS 2', bag, old)
    refused('CSV', bag, table)


def test_topics_are_offered(tmp_path):
    contents = {
        '/left/joint_states': (JOINT_STATE, MESSAGES),
        '/empty': (JOINT_STATE, []),
        '/chatter': ('std_msgs/msg/String', [(5, b'\0\1\0\0\2\0\0\0a\0')]),
    }
    bag = write_bag(tmp_path / 'bag', contents)
    offer = '500.*--topic /left/joint_states'
    refused(f' /joint_states.*{offer}', bag)
    refused(f'/empty.*{offer}', bag, topic='/empty')
    refused(f'/chatter.*std_msgs/msg/String.*{offer}', bag, topic='chatter')
    silent = write_bag(tmp_path / 'silent', {'/chatter': contents['/chatter']})
    refused('', silent)


def test_a_name_of_a_topic_that_has_two_lines_is_said_in_one(tmp_path):
    bag = write_bag(tmp_path / 'bag', {'/a\nb': (JOINT_STATE, MESSAGES)})
    refused(r'/a\\nb', bag)


def test_one_message_is_a_recording(tmp_path):
    for kind in ('mcap', 'sqlite3'):
        bag = joint_state_bag(tmp_path / kind, STATES.part(slice(1)), storage=kind)
        with Recording.read([bag]) as recording:
            assert np.isnan(recording.interval)
            times, positions, *_ = joined(recording)
            assert recording.quality.as_json()['interval'] is None
        np.testing.assert_array_equal(times, [0.0])
        np.testing.assert_array_equal(positions, STATES.positions[:1])


def test_messages_that_are_not_joint_states(tmp_path):
    for data in (
        b'',
        b'\0\1\0\0',
        b'\0\1\0\0' + bytes(11),
        b'\0\1\0\0' + b'\xff' * 300,
        b'\7' * 90,
    ):
        file = Handmade([*MESSAGES, (MESSAGES[-1][0] + 1, data)]).write(tmp_path / 'odd.mcap')
        refused('', file)


def test_messages_whose_values_do_not_fit_their_names_are_counted(tmp_path):
    short = replace(STATES, positions=STATES.positions[:, :2])
    twice = replace(STATES, names=('wrist', *JOINTS[:2][::-1][:1], 'wrist'))
    other = replace(STATES, velocities=STATES.velocities[:, :1])
    odd = [next(ros2_messages(each.part(slice(100, 101)))) for each in (short, twice, other)]
    file = Handmade(sorted([*MESSAGES, *odd])).write(tmp_path / 'odd.mcap')
    with Recording.read([file]) as recording:
        _, positions, *_ = joined(recording)
        assert recording.quality.malformed == 3
    np.testing.assert_array_equal(positions, STATES.positions)
    refused('/joint_states', Handmade(odd).write(tmp_path / 'all.mcap'))


def test_other_joints_are_named_and_renaming_is_offered(tmp_path):
    bag = joint_state_bag(
        tmp_path / 'bag', replace(STATES, names=('a_joint1', 'a_joint2', 'a_joint3'))
    )
    wanted = ('b_joint1', 'b_joint2', 'b_joint3')
    refused('b_joint1.*a_joint1.*--rename a_=b_$', bag, joints=wanted)
    with Recording.read([bag], joints=wanted, rename={'a_': 'b_'}) as recording:
        assert recording.joints == wanted
        np.testing.assert_array_equal(joined(recording)[1], STATES.positions)
    # A renaming that does not help is offered anew, with the name that the recording has.
    refused('c_joint1.*--rename a_=b_$', bag, joints=wanted, rename={'a_': 'c_'})
    refused('b_joint2.*--rename a_=b_$', bag, joints=wanted, rename={'a_joint1': 'b_joint1'})
    refused('elbow.*a_joint3$', bag, joints=['elbow'])
    refused('c_', bag, rename={'c_': 'd_'})
