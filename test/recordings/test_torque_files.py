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
    values = np.random.default_rng(seed).normal(size=(4 + len(PARTS), count, len(JOINTS)))
    values[3, :, 1] = np.nan  # an effort that was not measured
    times = first + np.arange(count) / RATE
    motion = Motion(JOINTS, times, *values[:4], cutoff=20.0, rate=RATE)
    return motion, dict(zip(PARTS, values[4:], strict=True))


def random_states(count):
    times = np.arange(count) / 333.0
    return JointSamples(JOINTS, times, *np.random.default_rng(1).normal(size=(3, count, 3)))


def write(path, blocks, states):
    write_torque_file(path, blocks, states, start=START, topic=TOPIC, urdf=URDF)
    return path


def stamps_of(parts):
    return [START + round(t * 1e9) for part in parts for t in part.times.tolist()]


def same(got, wanted):
    """To the bit, with NaN where NaN is wanted."""
    np.testing.assert_array_equal(got, np.concatenate(wanted))


def test_mcap_holds_the_recorded_states_and_the_torques(tmp_path):
    # Several pieces, and a gap between two segments in which there are states.
    blocks = [random_torques(5000), random_torques(300, seed=2, first=20.0)]
    states, motions, found, order = random_states(9000), [one for one, _ in blocks], {}, []
    with AnyReader([write(tmp_path / 'torques.mcap', blocks, states)]) as reader:
        for connection, time, data in reader.messages():
            message = reader.deserialize(data, connection.msgtype)
            found.setdefault(connection.topic, []).append((time, message))
            order.append(time)
    assert order == sorted(order)
    assert [message.data for _, message in found['/robot_description']] == [URDF]

    def values_of(topic, field):
        return np.stack([getattr(message, field) for _, message in found[topic]])

    for topic, parts in ((TOPIC, [states]), ('/model/torques', motions)):
        assert [time for time, _ in found[topic]] == stamps_of(parts)
        headers = [message.header.stamp for _, message in found[topic]]
        assert [stamp.sec * 10**9 + stamp.nanosec for stamp in headers] == stamps_of(parts)
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
    motions = [motion for motion, _ in blocks]
    with write(tmp_path / 'torques.csv', blocks, random_states(1)).open(encoding='utf-8') as text:
        header, *rows = csv.reader(text)
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    assert header[:3] == ['time', 'stamp_ns', 'turn/position']
    assert [*map(int, columns.pop('stamp_ns'))] == stamps_of(motions)
    columns = {name: np.array(cells, float) for name, cells in columns.items()}
    same(columns['time'], [motion.times for motion in motions])
    for index, joint in enumerate(JOINTS):
        for name, field in FIELDS.items():
            same(columns[f'{joint}/{name}'], [getattr(one, field)[:, index] for one in motions])
        for name in PARTS:
            same(columns[f'{joint}/{name}'], [parts[name][:, index] for _, parts in blocks])
        total = sum(columns[f'{joint}/{name}'] for name in PARTS)
        assert columns[f'{joint}/torque'] == pytest.approx(total, rel=1e-14, abs=1e-14)
