"""A recording of many joint states in an MCAP file, as quickly as it can be written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

JOINT_STATE = 'sensor_msgs/msg/JointState'
RATE = 1000
# Lines of a program: the most memory that it has held at a time [bytes]. `ru_maxrss` begins with
# what the parent held when it started the process.
PEAK_MEMORY = """
words = open('/proc/self/status').read().split()
peak = 1024.0 * int(words[words.index('VmHWM:') + 1])
"""

Signals = tuple[np.ndarray, np.ndarray, np.ndarray]


def write_recording(
    folder: Path, joints: list[str], samples: int, signals: Signals | None = None
) -> Path:
    """An MCAP file with states of a smooth motion at 1 kHz; the file.

    Args:
        folder: of the bag; does not exist.
        joints: names.
        samples: number of states.
        signals: positions, velocities and efforts (samples, joints); None: sines, whose efforts
            mean nothing.
    """
    store = get_typestore(Stores.LATEST)
    types = store.types
    header = types['std_msgs/msg/Header'](types['builtin_interfaces/msg/Time'](1, 2), 'base')
    values = [np.full(len(joints), field + 0.5) for field in range(3)]
    message = types[JOINT_STATE](header, joints, *values)
    template = bytes(store.serialize_cdr(message, JOINT_STATE))
    places = [template.index(each.tobytes()) for each in values]
    times = np.arange(samples) / RATE
    angles = np.outer(times, 2.0 * np.pi * np.linspace(0.1, 1.0, len(joints)))
    rows = np.tile(np.frombuffer(template, np.uint8), (samples, 1))
    stamps = np.stack([times.astype(int), np.arange(samples) % RATE * (10**9 // RATE)], axis=1)
    rows[:, 4:12] = stamps.astype(np.uint32).view(np.uint8)
    signals = signals or (np.sin(angles), np.cos(angles), angles % 5.0)
    for place, signal in zip(places, signals, strict=True):
        rows[:, place : place + signal.shape[1] * 8] = signal.view(np.uint8)
    with Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        connection = writer.add_connection('/joint_states', JOINT_STATE, typestore=store)
        for index, row in enumerate(rows):
            writer.write(connection, index * (10**9 // RATE) + 1, row.tobytes())
    return next(folder.glob('*.mcap'))
