"""A recording of 1,000,000 joint states, from an MCAP file to torques.

Beside it: reading the file's bytes into memory and its index, which is what any reader has to do;
and rosbags, which makes a Python object of each message. Memory is that of processes of their own.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from figures import Figure, in_turn, printed, urdf
from recorded_states import JOINT_STATE, PEAK_MEMORY, write_recording
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_typestore

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.recordings import Recording

SAMPLES = 1_000_000
# Messages that rosbags decodes: each takes as long as another.
DECODED = 20_000
ROUNDS = 5
# Times as long as reading bytes and index, and of rosbags' time.
READING_BOUND, DECODING_SPEED = 5.0, 10.0
# Memory for a recording, to that for one of a quarter of its length.
MEMORY_BOUND = 1.05
ROBOT = 'xArm7'
ENTRY = np.dtype('<u8,<u8')
FILTER = f"""
import sys
from robot_dynamics_ros.recordings import Recording
with Recording.read([sys.argv[1]]) as recording:
    for _ in recording.motions(cutoff=10.0):
        pass
{PEAK_MEMORY}
print(peak)
"""


def measure() -> list[Figure]:
    """Everything; the figures are printed as they become known."""
    dynamics = RobotDynamics(parse_urdf(urdf(ROBOT)))
    joints = list(dynamics.model.joint_names)
    print(f'\nrecordings: {SAMPLES} states are being written ...', flush=True)
    with tempfile.TemporaryDirectory() as folder:
        file = write_recording(Path(folder) / 'whole', joints, SAMPLES)
        calls = {
            'bytes': lambda: _read_bytes_and_index(file),
            'arrays': lambda: _read_arrays(file),
            'torques': lambda: read_torques(file, dynamics),
        }
        seconds = in_turn(calls, ROUNDS, time.process_time)
        reading, arrays, torques = (float(each.min()) for each in seconds.values())
        generic = _decode(file) * SAMPLES / DECODED
        quarter = write_recording(Path(folder) / 'quarter', joints, SAMPLES // 4)
        memory = _peak_memory(file) / _peak_memory(quarter)
    return [
        printed('recording: bytes and index', 1e3 * reading, 'ms'),
        printed('recording: arrays', 1e9 * arrays / SAMPLES, 'ns'),
        printed('recording: torques', 1e9 * torques / SAMPLES, 'ns'),
        printed('recording: torques to bytes and index', torques / reading, 'x', READING_BOUND),
        printed('recording: arrays to rosbags', arrays / generic, 'x', 1.0 / DECODING_SPEED),
        printed('recording: memory to that of a quarter', memory, 'x', MEMORY_BOUND),
    ]


def _read_bytes_and_index(file: Path) -> None:
    """All bytes, and the entries of all message indexes."""
    content = file.read_bytes()
    with Reader(file) as reader:
        for chunk in reader.storage.chunks:
            for place in chunk.message_index_offsets.values():
                np.frombuffer(content, ENTRY, (chunk.message_index_length - 15) // 16, place + 15)


def _read_arrays(file: Path) -> None:
    with Recording.read([file]) as recording:
        for _ in recording.chunks():
            pass


def read_torques(file: Path, dynamics: RobotDynamics) -> None:
    with Recording.read([file], joints=dynamics.model.joint_names) as recording:
        for motion in recording.motions(efforts=False):
            dynamics.inverse_dynamics(motion.positions, motion.velocities, motion.accelerations)


def _decode(file: Path) -> float:
    """Seconds that rosbags needs for the first messages."""
    store = get_typestore(Stores.LATEST)
    with Reader(file) as reader:
        started = time.process_time()
        for number, (_, _, data) in enumerate(reader.messages()):
            store.deserialize_cdr(data, JOINT_STATE)
            if number == DECODED:
                break
        return time.process_time() - started


def _peak_memory(file: Path) -> float:
    """Largest memory of a process that filters a recording [bytes]."""
    command = [sys.executable, '-c', FILTER, file]
    return float(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
