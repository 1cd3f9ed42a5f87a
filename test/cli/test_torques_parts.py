"""A large recording is divided over processes: what is written is what one process writes."""

import gzip
import json
import struct
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import three_joints

pytest.importorskip('rosbags')

from recorded_states import csv_file, joint_state_bag, sine_states
from rosbags.highlevel import AnyReader
from ruamel.yaml import YAML

from robot_dynamics_ros.cli.command_line import main
from robot_dynamics_ros.cli.fleet_options import Fleet
from robot_dynamics_ros.cli.recording_options import options_of
from robot_dynamics_ros.cli.torques import torques_tasks as tasks_module
from robot_dynamics_ros.cli.torques.torques_task import write_torques
from robot_dynamics_ros.cli.torques.torques_tasks import torques_tasks
from robot_dynamics_ros.recordings import motion
from robot_dynamics_ros.scheduling import run

STATES = replace(sine_states(seconds=12.0), names=three_joints.JOINTS)
PARTS = 4


def irregular():
    """Stamps with jitter, a gap, a lost state, and a clock that jumps back by 2 s and on again."""
    jitter = np.random.default_rng(0).integers(-600_000, 600_000, len(STATES))
    number = np.arange(len(STATES))
    stamps = STATES.stamps + jitter + 400_000_000 * (number > 900)
    stamps -= 2_000_000_000 * ((number > 1500) & (number < 1510))
    kept = number != 2000
    return replace(STATES.part(kept), stamps=stamps[kept])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """With a bag that is large, whose motion comes in small pieces."""
    joint_state_bag(tmp_path / 'bag', irregular())
    (tmp_path / 'arm.urdf').write_text(three_joints.URDF)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(motion, 'PART', 200)
    monkeypatch.setattr(tasks_module, 'LARGEST_PART', 1)
    monkeypatch.setattr(tasks_module, 'LARGEST_OF_PARQUET', 1)
    monkeypatch.setattr(tasks_module, 'USUAL_PARTS', PARTS)
    return tmp_path


def written(target, jobs, **fleet):
    """The outcome of the recording, whose parts are computed in this process."""
    options = options_of(Path('arm.urdf'), [], None, (), 20.0)
    fleet = Fleet(jobs=jobs, **fleet)
    with torques_tasks({'bag': (Path('bag'),)}, [Path(target)], fleet) as (task,):
        assert len(task.parts) == (0 if jobs == 1 else PARTS)
        # The order in which parts end is not known.
        task = replace(task, parts=task.parts[::-1], join=partial(join_reversed, task.join))
        return run([task], common=options, processes=1, resume=fleet.resume)[0]


def join_reversed(join, results):
    return join(results[::-1])


def content(file):
    """What readers find in a file, in its order."""
    if file.suffix == '.mcap':
        with AnyReader([file]) as reader:
            counts = {each.topic: each.msgcount for each in reader.connections}
            return counts, [(each.topic, time, data) for each, time, data in reader.messages()]
    if file.suffix == '.parquet':
        table = pytest.importorskip('pyarrow.parquet').read_table(file)
        return table.schema.metadata, table.to_pydict()
    return gzip.decompress(file.read_bytes()) if file.suffix == '.gz' else file.read_bytes()


@pytest.mark.parametrize('ending', ['mcap', 'csv', 'csv.gz', 'parquet'])
def test_parts_together_are_the_whole(folder, ending):
    if ending == 'parquet':
        pytest.importorskip('pyarrow')
    whole, divided = written(f'whole.{ending}', 1), written(f'divided.{ending}', 2)
    assert (whole.error, divided.error) == ('', '')
    assert divided.name == whole.name == 'bag'
    assert divided.result == whole.result
    assert whole.result['quality']['gaps'] > 0
    assert content(Path(f'divided.{ending}')) == content(Path(f'whole.{ending}'))
    names = {'bag', 'arm.urdf', f'whole.{ending}', f'divided.{ending}'}
    assert {path.name for path in folder.iterdir()} == names


def records(file):
    """Place, code and content of each record of an MCAP file."""
    data, place = file.read_bytes(), 8
    while place < len(data) - 8:
        code, length = struct.unpack_from('<BQ', data, place)
        yield place, code, data[place + 9 : place + 9 + length]
        place += 9 + length


def rosbag2_metadata(file):
    """What rosbag2 says of a bag within its storage file, found by the index at the end."""
    found = {code: (place, content) for place, code, content in records(file)}
    place, content = found[0x0C]
    index = struct.pack('<QQI', place, 9 + len(content), 7) + b'rosbag2'
    assert found[0x0D][1] == index
    (count,) = struct.unpack_from('<I', found[0x0B][1], 18)
    assert count == 1
    return YAML(typ='safe').load(content.partition(b'serialized_metadata')[2][4:].decode())


def test_a_joined_file_has_the_metadata_of_rosbag2(folder):
    written('whole.mcap', 1)
    written('divided.mcap', 2)
    whole, divided = (rosbag2_metadata(Path(f'{name}.mcap')) for name in ('whole', 'divided'))
    assert divided == whole
    with AnyReader([Path('divided.mcap')]) as reader:
        stamps = [time for _, time, _ in reader.messages()]
        counts = {each.topic: each.msgcount for each in reader.connections}
    assert divided['message_count'] == len(stamps)
    assert divided['starting_time'] == {'nanoseconds_since_epoch': min(stamps)}
    assert divided['duration'] == {'nanoseconds': max(stamps) - min(stamps)}
    topics = divided['topics_with_message_count']
    assert counts == {each['topic_metadata']['name']: each['message_count'] for each in topics}


def test_each_part_writes_a_share(folder, monkeypatch):
    sizes = []

    def noted(files, path):
        sizes.extend(file.read_bytes().count(b'\n') for file in files)

    monkeypatch.setattr(tasks_module, 'join_torque_files', noted)
    written('divided.csv', 2)
    assert len(sizes) == PARTS
    # What the filter loses at the ends of segments is missing in the last.
    assert min(sizes) > 0.3 * max(sizes)


def test_a_part_that_fails_leaves_the_file_as_it_was(folder, monkeypatch):
    def full(options, name, files, target, part):
        if part[0] == 2:
            raise OSError(28, 'No space left on device', str(target))
        return write_torques(options, name, files, target, part)

    Path('out.csv').write_text('as before')
    before = sorted(folder.iterdir())
    monkeypatch.setattr(tasks_module, 'write_torques', full)
    outcome = written('out.csv', 2)
    assert outcome.name == 'bag'
    assert outcome.error.endswith('left on device')
    assert Path('out.csv').read_text() == 'as before'
    assert sorted(folder.iterdir()) == before


def test_a_kept_result_is_that_of_the_file_in_parts_or_not(folder):
    kept = folder / 'kept'
    divided = written('out.csv', 2, resume=kept)
    content = Path('out.csv').read_bytes()
    assert (divided.error, divided.kept, len(list(kept.iterdir()))) == ('', False, 1)
    for jobs in (2, 1):
        again = written('out.csv', jobs, resume=kept)
        assert again.kept
        assert again.result == divided.result
    Path('out.csv').unlink()
    assert not written('out.csv', 2, resume=kept).kept
    assert Path('out.csv').read_bytes() == content


def test_what_cannot_be_joined_is_an_error_of_this_recording(folder, monkeypatch):
    def full(files, path):
        path.write_text('some')
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr(tasks_module, 'join_torque_files', full)
    outcome = written('out.csv', 2)
    assert outcome.error.endswith('left on device')
    assert {path.name for path in folder.iterdir()} == {'bag', 'arm.urdf'}


def test_no_parts_where_they_gain_nothing(folder):
    def counts(files, **fleet):
        targets = [Path(f'{name}.csv') for name in files]
        with torques_tasks(files, targets, Fleet(**fleet)) as tasks:
            return [len(task.parts) for task in tasks]

    bag = (Path('bag'),)
    assert counts({'bag': bag}, jobs=2, resume=Path('kept')) == [PARTS]
    assert counts({'bag': bag}, jobs=1) == [0]
    assert counts({f'bag{number}': bag for number in range(PARTS)}, jobs=2) == [0] * PARTS
    assert counts({'nowhere': (Path('nowhere'),)}, jobs=2) == [0]
    # More than usual where there are processes for them, up to a limit.
    assert counts({'bag': bag}, jobs=PARTS + 3) == [PARTS + 3]
    assert counts({'bag': bag, 'bag2': bag}, jobs=2 * PARTS) == [PARTS] * 2
    assert counts({'bag': bag}, jobs=1000) == [tasks_module.MOST_PARTS]


def test_the_command_divides_one_recording(folder):
    """In processes of their own: the pieces are large there, so that some parts have none."""
    csv_file(folder / 'states.csv', STATES)
    options = ['states.csv', '--urdf', 'arm.urdf', '--json', 'result.json']
    for jobs, target in (1, 'whole.csv'), (2, 'divided.csv'):
        with pytest.raises(SystemExit) as ended:
            main(['torques', *options, '--output', target, '--jobs', str(jobs)])
        assert ended.value.code == 0
        (row,) = json.loads(Path('result.json').read_text())['recordings']
        assert (row['file'], row['output']) == ('states.csv', target)
    whole, divided = (read_table(name) for name in ('whole.csv', 'divided.csv'))
    assert len(divided) == row['samples']
    # Pieces of another size are rounded differently.
    np.testing.assert_allclose(divided, whole, rtol=1e-9, atol=1e-9)


def read_table(name):
    return np.loadtxt(name, delimiter=',', skiprows=1)
