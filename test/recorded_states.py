"""Joint states of a known motion, and files of every kind that hold them."""

import gzip
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

JOINTS = ('shoulder', 'slider', 'wrist')
TOPIC = '/joint_states'
START = 1_700_000_000_000_000_000


@dataclass(frozen=True)
class States:
    """States (N, n) with stamps [ns]; velocities and efforts may be None."""

    stamps: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray | None
    efforts: np.ndarray | None
    names: tuple = JOINTS

    def __len__(self):
        return len(self.stamps)

    def part(self, which):
        values = (self.positions, self.velocities, self.efforts)
        return replace(
            self,
            stamps=self.stamps[which],
            positions=self.positions[which],
            velocities=None if values[1] is None else self.velocities[which],
            efforts=None if values[2] is None else self.efforts[which],
        )


@dataclass(frozen=True)
class Sines:
    """A sum of sines of each joint, with exact derivatives."""

    frequencies: tuple = (0.3, 0.7, 1.1)
    amplitudes: tuple = (0.8, 0.1, 1.5)

    def at(self, times, derivative=0):
        """Positions (N, n) at times [s], or a derivative of theirs."""
        rates = 2.0 * np.pi * np.array(self.frequencies)
        angles = np.outer(times, rates) + derivative * np.pi / 2.0 + np.arange(3)
        return np.array(self.amplitudes) * rates**derivative * np.sin(angles)


def sine_states(rate=250.0, seconds=4.0, start=START):
    """States of `Sines`; the efforts are 3 q + v + 1."""
    times = np.arange(round(rate * seconds)) / rate
    positions, velocities = Sines().at(times), Sines().at(times, 1)
    stamps = start + np.rint(times * 1e9).astype(np.int64)
    return States(stamps, positions, velocities, 3.0 * positions + velocities + 1.0)


@cache
def type_store(name='LATEST'):
    """Message types of rosbags."""
    from rosbags.typesys import Stores, get_typestore

    return get_typestore(Stores[name])


def message_of(store, states, index, *, stamp=True):
    """One state as a message of a type store of rosbags."""
    types = store.types
    time = int(states.stamps[index]) if stamp else 0
    sec, nanosec = divmod(time, 1_000_000_000)
    header = types['std_msgs/msg/Header']
    fields = {'stamp': types['builtin_interfaces/msg/Time'](sec, nanosec), 'frame_id': 'base'}
    if 'seq' in header.__dataclass_fields__:
        fields['seq'] = index
    values = [
        np.empty(0) if array is None else np.array(array[index], float)
        for array in (states.positions, states.velocities, states.efforts)
    ]
    return types['sensor_msgs/msg/JointState'](header(**fields), list(states.names), *values)


def ros2_messages(states, **options):
    """Times and serialized messages of states."""
    store = type_store()
    for index in range(len(states)):
        message = message_of(store, states, index, **options)
        kind = 'sensor_msgs/msg/JointState'
        yield int(states.stamps[index]), bytes(store.serialize_cdr(message, kind))


def serialized_text(text):
    """A serialized std_msgs/String."""
    store = type_store()
    kind = 'std_msgs/msg/String'
    return bytes(store.serialize_cdr(store.types[kind](data=text), kind))


def write_bag(folder, contents, *, storage='mcap', compression=None):
    """A rosbag2 folder.

    Args:
        folder: that does not exist.
        contents: (type, times and messages) by topic.
        storage: mcap or sqlite3.
        compression: file, message or storage.
    """
    from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer

    store = type_store()
    writer = Writer(folder, version=9, storage_plugin=StoragePlugin[storage.upper()])
    if compression:
        writer.set_compression(CompressionMode[compression.upper()], CompressionFormat.ZSTD)
    with writer:
        for topic, (kind, messages) in contents.items():
            connection = writer.add_connection(topic, kind, typestore=store)
            for time, data in messages:
                writer.write(connection, time, data)
    return folder


def joint_state_bag(folder, states, *, topic=TOPIC, stamp=True, **options):
    """A rosbag2 folder with the states on one topic."""
    messages = ros2_messages(states, stamp=stamp)
    return write_bag(folder, {topic: ('sensor_msgs/msg/JointState', messages)}, **options)


def ros1_bag(file, states, *, topic=TOPIC, compression=None):
    """A ROS 1 bag with the states on one topic."""
    from rosbags.rosbag1 import Writer

    store = type_store('ROS1_NOETIC')
    writer = Writer(file)
    if compression:
        writer.set_compression(Writer.CompressionFormat[compression.upper()])
    with writer:
        kind = 'sensor_msgs/msg/JointState'
        connection = writer.add_connection(topic, kind, typestore=store)
        for index in range(len(states)):
            data = store.serialize_ros1(message_of(store, states, index), kind)
            writer.write(connection, int(states.stamps[index]), bytes(data))
    return file


def csv_file(
    file, states, *, style='{}_{}', time='time', fields=('position', 'velocity', 'effort')
):
    """A CSV file with some of the values; ending in .gz, it is compressed."""
    values = {
        'position': states.positions,
        'velocity': states.velocities,
        'effort': states.efforts,
    }
    columns = [(states.stamps - states.stamps[0])[:, None] / 1e9]
    names = [time]
    for field in fields:
        if values[field] is not None:
            names += [style.format(joint, field) for joint in states.names]
            columns.append(values[field])
    rows = [','.join(map(repr, row)) for row in np.hstack(columns).tolist()]
    text = '\n'.join([','.join(names), *rows]) + '\n'
    opener = gzip.open if file.name.endswith('.gz') else open
    with opener(file, 'wt', encoding='utf-8') as out:
        out.write(text)
    return file


def joined(recording):
    """All samples of a recording: times, positions, velocities, efforts."""
    states = recording.states()
    return states.times, states.positions, states.velocities, states.efforts
