"""Files of torques: what is in them, read back by others; whole, and within a bounded memory."""

import csv
import gzip
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('rosbags')

from recorded_states import START, joined
from rosbags.highlevel import AnyReader

from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.recordings import JointSamples, Motion, Recording
from robot_dynamics_ros.recordings.torque_file import ENDINGS, write_torque_file
from robot_dynamics_ros.recordings.torque_samples import TorqueOrigin, TorqueSamples

JOINTS = ('turn', 'slide', 'wrist')
PARTS = ('gravity', 'coriolis', 'inertia', 'friction')
ORIGIN = TorqueOrigin(JOINTS, START, '/arm/joint_states', '<robot name="\u00e4rm"/>')
RATE = 500.0


def random_samples(count, seed=0, first=0.0):
    """Torques of a motion that is none: every number is another."""
    random = np.random.default_rng(seed)
    times = first + np.arange(count) / RATE
    values = random.normal(size=(4 + len(PARTS), count, len(JOINTS)))
    values[3, :, 1] = np.nan  # an effort that was not measured
    motion = Motion(JOINTS, times, *values[:4], cutoff=20.0, rate=RATE)
    return TorqueSamples(motion, dict(zip(PARTS, values[4:], strict=True)))


def random_states(count, seed=1, first=0.0, rate=333.0):
    random = np.random.default_rng(seed)
    times = first + np.arange(count) / rate
    return JointSamples(JOINTS, times, *random.normal(size=(3, count, len(JOINTS))))


def write(path, blocks, states=()):
    write_torque_file(path, ORIGIN, blocks, states)
    return path


def messages_of(path):
    """Stamps of the log and messages by topic, and all stamps in the order of the file."""
    found, order = {}, []
    with AnyReader([path]) as reader:
        for connection, time, data in reader.messages():
            message = reader.deserialize(data, connection.msgtype)
            found.setdefault(connection.topic, []).append((time, message))
            order.append(time)
    return found, order


def values_of(messages, field):
    return np.stack([getattr(message, field) for _, message in messages])


def same(got, wanted):
    """To the bit, with NaN where NaN is wanted."""
    return np.array_equal(got, wanted, equal_nan=True)


def test_mcap_holds_the_recorded_states_and_the_torques(tmp_path):
    # Several pieces, and a gap between two segments in which there are states.
    blocks = [random_samples(5000), random_samples(300, seed=2, first=20.0)]
    states = [random_states(5000), random_states(4000, seed=3, first=5000 / 333.0)]
    found, order = messages_of(write(tmp_path / 'torques.mcap', blocks, states))
    assert order == sorted(order)
    recorded = found.pop('/arm/joint_states')
    for field in ('positions', 'velocities', 'efforts'):
        wanted = np.concatenate([getattr(part, field) for part in states])
        assert same(values_of(recorded, {'positions': 'position', 'velocities': 'velocity',
                                         'efforts': 'effort'}[field]), wanted)  # fmt: skip
    torques = found['/model/torques']
    times = np.concatenate([block.motion.times for block in blocks])
    for messages, seconds in (
        (torques, times),
        (recorded, np.concatenate([part.times for part in states])),
    ):
        stamps = [START + round(time * 1e9) for time in seconds.tolist()]
        assert [time for time, _ in messages] == stamps
        headers = [message.header.stamp for _, message in messages]
        assert [stamp.sec * 10**9 + stamp.nanosec for stamp in headers] == stamps
        assert all(message.name == list(JOINTS) for _, message in messages)
    wanted = np.concatenate([block.motion.positions for block in blocks])
    assert same(values_of(torques, 'position'), wanted)
    wanted = np.concatenate([block.motion.velocities for block in blocks])
    assert same(values_of(torques, 'velocity'), wanted)
    for part in PARTS:
        messages = found[f'/model/{part}']
        wanted = np.concatenate([block.parts[part] for block in blocks])
        assert same(values_of(messages, 'effort'), wanted)
        assert not any(message.position.size for _, message in messages)
    total = sum(values_of(found[f'/model/{part}'], 'effort') for part in PARTS)
    assert values_of(torques, 'effort') == pytest.approx(total, rel=1e-14, abs=1e-14)


def test_mcap_is_a_recording_with_its_description(tmp_path):
    states = random_states(700)
    path = write(tmp_path / 'torques.mcap', [random_samples(900)], [states])
    with Recording.read([path], topic='/arm/joint_states') as recording:
        assert recording.description == ORIGIN.urdf
        assert recording.topics['/model/torques'] == 900
        assert same(joined(recording)[1], states.positions)


@pytest.mark.parametrize('counts', [[1], [4097, 3], [10, 4200, 1]])
@pytest.mark.parametrize('ending', ENDINGS[1:])
def test_tables_hold_the_same_numbers(tmp_path, ending, counts):
    blocks = [random_samples(count, seed, 30.0 * seed) for seed, count in enumerate(counts)]
    path = write(tmp_path / f'torques{ending}', blocks)
    columns = columns_of(path)
    assert list(columns)[:3] == ['time', 'stamp_ns', 'turn/position']
    assert columns['stamp_ns'].dtype == np.int64
    times = np.concatenate([block.motion.times for block in blocks])
    assert same(columns['time'], times)
    assert columns['stamp_ns'].tolist() == [START + round(time * 1e9) for time in times.tolist()]
    fields = {'position': 'positions', 'velocity': 'velocities', 'effort': 'efforts',
              'acceleration': 'accelerations'}  # fmt: skip
    for index, joint in enumerate(JOINTS):
        for name, field in fields.items():
            wanted = np.concatenate([getattr(block.motion, field) for block in blocks])
            assert same(columns[f'{joint}/{name}'], wanted[:, index])
        for part in PARTS:
            wanted = np.concatenate([block.parts[part] for block in blocks])
            assert same(columns[f'{joint}/{part}'], wanted[:, index])
        total = sum(columns[f'{joint}/{part}'] for part in PARTS)
        assert columns[f'{joint}/torque'] == pytest.approx(total, rel=1e-14, abs=1e-14)


def columns_of(path):
    if path.suffix == '.parquet':
        parquet = pytest.importorskip('pyarrow.parquet')
        table = parquet.read_table(path)
        assert table.schema.metadata[b'urdf'].decode() == ORIGIN.urdf
        assert table.schema.metadata[b'start_ns'] == str(START).encode()
        return {name: table[name].to_numpy() for name in table.column_names}
    with (gzip.open if path.suffix == '.gz' else open)(path, 'rt', encoding='utf-8') as text:
        header, *rows = csv.reader(text)
    kinds = [int if name == 'stamp_ns' else float for name in header]
    values = [[kind(cell) for kind, cell in zip(kinds, row, strict=True)] for row in rows]
    columns = zip(*values, strict=True)
    return {name: np.array(column) for name, column in zip(header, columns, strict=True)}


def test_csv_is_a_recording(tmp_path):
    samples = random_samples(900)
    path = write(tmp_path / 'torques.csv', [samples])
    with Recording.read([path], joints=JOINTS) as recording:
        _, positions, velocities, efforts = joined(recording)
    assert same(positions, samples.motion.positions)
    assert same(velocities, samples.motion.velocities)
    assert same(efforts, samples.motion.efforts)


def test_a_clock_that_jumps_back_keeps_all_states(tmp_path):
    states = [random_states(500, first=50.0), random_states(500, seed=2, first=3.0)]
    blocks = [random_samples(300, first=50.5), random_samples(300, seed=4, first=3.5)]
    found, _ = messages_of(write(tmp_path / 'torques.mcap', blocks, states))
    assert len(found['/arm/joint_states']) == 1000
    assert len(found['/model/torques']) == 600


def test_memory_does_not_grow_where_the_clock_jumps_back(tmp_path, monkeypatch):
    """By as much as has been recorded before: all times come twice."""
    monkeypatch.setattr('robot_dynamics_ros.recordings.torque_mcap.ROWS', 200)
    size = 200

    def blocks(count, make):
        for turn in range(2):
            for number in range(count):
                yield make(size, first=(number + turn / 2.0) * size / RATE)

    def continued(count):
        for number, samples in enumerate(blocks(count, random_samples)):
            begins = number % count == 0
            yield replace(samples, motion=replace(samples.motion, begins=begins))

    def peak(count):
        states = blocks(count, lambda size, first: random_states(size, first=first, rate=RATE))
        path = tmp_path / f'{count}.mcap'
        tracemalloc.start()
        write(path, continued(count), states)
        result = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        found, _ = messages_of(path)
        assert len(found['/arm/joint_states']) == len(found['/model/torques']) == 2 * count * size
        return result

    peak(1)
    assert peak(32) < 1.5 * peak(8)


def test_another_ending_is_refused(tmp_path):
    with pytest.raises(RecordingError, match=r'torques\.txt.*ending'):
        write(tmp_path / 'torques.txt', [random_samples(2)])


@pytest.mark.parametrize(
    ('ending', 'module', 'extra'),
    [('.mcap', 'rosbags', 'recordings'), ('.parquet', 'pyarrow', 'parquet')],
)
def test_a_library_that_is_missing_is_named(tmp_path, monkeypatch, ending, module, extra):
    monkeypatch.setitem(__import__('sys').modules, module, None)
    needed = rf"{module} .* 'robot_dynamics_ros\[{extra}\]'"
    with pytest.raises(RecordingError, match=needed):
        write(tmp_path / f'torques{ending}', [random_samples(2)])


@pytest.mark.parametrize('ending', ['.mcap', '.csv', '.parquet'])
def test_memory_does_not_grow_with_the_recording(tmp_path, monkeypatch, ending):
    """Blocks are made as they are written, so that only the writer can keep them."""
    rows = {
        '.mcap': 'torque_mcap.ROWS',
        '.csv': 'torque_file.ROWS',
        '.parquet': 'torque_file.PARQUET_ROWS',
    }[ending]
    if ending == '.parquet':
        pytest.importorskip('pyarrow')
    monkeypatch.setattr(f'robot_dynamics_ros.recordings.{rows}', 200)
    size = 200

    def peak(count):
        blocks = (random_samples(size, first=i * size / RATE) for i in range(count))
        states = (random_states(size, first=i * size / RATE, rate=RATE) for i in range(count))
        tracemalloc.start()
        write(tmp_path / f'{count}{ending}', blocks, states)
        result = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return result

    peak(1)
    assert peak(24) < 1.5 * peak(6)


@pytest.mark.parametrize('ending', ENDINGS)
def test_an_interruption_reaches_the_caller(tmp_path, ending):
    def blocks():
        yield random_samples(100)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / f'torques{ending}', blocks(), [random_states(100)])
