"""Files of torques: what is in them, read back by others."""

import csv

import numpy as np
import pytest

pytest.importorskip('rosbags')

from recorded_states import START
from rosbags.highlevel import AnyReader

from robot_dynamics_ros.recordings import JointSamples, Motion
from robot_dynamics_ros.recordings.torque_file import write_torque_file

JOINTS = ('turn', 'slide', 'wrist')
PARTS = ('gravity', 'coriolis', 'inertia', 'friction')
TOPIC, URDF = '/arm/joint_states', '<robot name="\u00e4rm"/>'
RATE = 500.0
# Attributes of the motion by columns of tables.
FIELDS = {
    'position': 'positions',
    'velocity': 'velocities',
    'acceleration': 'accelerations',
    'effort': 'efforts',
}


def random_torques(count, seed=0, first=0.0):
    """Torques of a motion that is none: every number is another."""
    random = np.random.default_rng(seed)
    times = first + np.arange(count) / RATE
    values = random.normal(size=(4 + len(PARTS), count, len(JOINTS)))
    values[3, :, 1] = np.nan  # an effort that was not measured
    motion = Motion(JOINTS, times, *values[:4], cutoff=20.0, rate=RATE)
    return motion, dict(zip(PARTS, values[4:], strict=True))


def random_states(count, seed=1, first=0.0, rate=333.0):
    random = np.random.default_rng(seed)
    times = first + np.arange(count) / rate
    return JointSamples(JOINTS, times, *random.normal(size=(3, count, len(JOINTS))))


def write(path, blocks, states=None):
    states = random_states(1) if states is None else states
    write_torque_file(path, blocks, states, start=START, topic=TOPIC, urdf=URDF)
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


def same(got, wanted):
    """To the bit, with NaN where NaN is wanted."""
    np.testing.assert_array_equal(got, np.concatenate(wanted))


def test_mcap_holds_the_recorded_states_and_the_torques(tmp_path):
    # Several pieces, and a gap between two segments in which there are states.
    blocks = [random_torques(5000), random_torques(300, seed=2, first=20.0)]
    states = random_states(9000)
    found, order = messages_of(write(tmp_path / 'torques.mcap', blocks, states))
    assert order == sorted(order)

    def values_of(topic, field):
        return np.stack([getattr(message, field) for _, message in found[topic]])

    for topic, parts in ((TOPIC, [states]), ('/model/torques', [motion for motion, _ in blocks])):
        stamps = [START + round(t * 1e9) for part in parts for t in part.times.tolist()]
        assert [time for time, _ in found[topic]] == stamps
        headers = [message.header.stamp for _, message in found[topic]]
        assert [stamp.sec * 10**9 + stamp.nanosec for stamp in headers] == stamps
        assert all(message.name == list(JOINTS) for _, message in found[topic])
        same(values_of(topic, 'position'), [part.positions for part in parts])
        same(values_of(topic, 'velocity'), [part.velocities for part in parts])
    same(values_of(TOPIC, 'effort'), [states.efforts])
    for name in PARTS:
        same(values_of(f'/model/{name}', 'effort'), [parts[name] for _, parts in blocks])
        assert not any(message.position.size for _, message in found[f'/model/{name}'])
    total = sum(values_of(f'/model/{name}', 'effort') for name in PARTS)
    assert values_of('/model/torques', 'effort') == pytest.approx(total, rel=1e-14, abs=1e-14)


def test_tables_hold_the_same_numbers(tmp_path):
    blocks = [random_torques(count, seed, 30.0 * seed) for seed, count in enumerate([10, 400, 1])]
    columns = columns_of(write(tmp_path / 'torques.csv', blocks))
    assert list(columns)[:3] == ['time', 'stamp_ns', 'turn/position']
    assert columns['stamp_ns'].dtype == np.int64
    same(columns['time'], [motion.times for motion, _ in blocks])
    assert columns['stamp_ns'].tolist() == [
        START + round(time * 1e9) for motion, _ in blocks for time in motion.times.tolist()
    ]
    for index, joint in enumerate(JOINTS):
        for name, field in FIELDS.items():
            wanted = [getattr(motion, field)[:, index] for motion, _ in blocks]
            same(columns[f'{joint}/{name}'], wanted)
        for name in PARTS:
            same(columns[f'{joint}/{name}'], [parts[name][:, index] for _, parts in blocks])
        total = sum(columns[f'{joint}/{name}'] for name in PARTS)
        assert columns[f'{joint}/torque'] == pytest.approx(total, rel=1e-14, abs=1e-14)


def columns_of(path):
    with path.open(encoding='utf-8') as text:
        header, *rows = csv.reader(text)
    kinds = [int if name == 'stamp_ns' else float for name in header]
    values = [[kind(cell) for kind, cell in zip(kinds, row, strict=True)] for row in rows]
    columns = zip(*values, strict=True)
    return {name: np.array(column) for name, column in zip(header, columns, strict=True)}
