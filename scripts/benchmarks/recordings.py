"""A recording of 1,000,000 joint states, from an MCAP file to torques.

Beside it: rosbags, which makes a Python object of each message. Memory is that of a process of its
own.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figures import Figure, in_turn, printed, urdf
from recorded_states import JOINT_STATE, PEAK_MEMORY, write_recording
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_typestore

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.recordings import Recording

SAMPLES = 1_000_000
# Messages that rosbags decodes: each takes as long as another.
DECODED = 20_000
ROUNDS = 3
# [s] from file to torques, parts of rosbags' time, and [MB].
TORQUES_BOUND, DECODING_SPEED, MEMORY_BOUND = 5.0, 4.0, 1500.0
ROBOT = 'xArm7'
FILTER = f"""
import sys
from robot_dynamics_ros.recordings import Recording
recording = Recording.read([sys.argv[1]])
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
            'arrays': lambda: _read_arrays(file),
            'torques': lambda: read_torques(file, dynamics),
        }
        seconds = in_turn(calls, ROUNDS, time.process_time)
        arrays, torques = (float(each.min()) for each in seconds.values())
        generic = _decode(file) * SAMPLES / DECODED
        memory = _peak_memory(file) / 1e6
    return [
        printed('recording: arrays', arrays, 's'),
        printed('recording: torques', torques, 's', TORQUES_BOUND),
        printed('recording: arrays to rosbags', arrays / generic, 'x', 1.0 / DECODING_SPEED),
        printed('recording: memory', memory, 'MB', MEMORY_BOUND),
    ]


def _read_arrays(file: Path) -> None:
    recording = Recording.read([file])
    recording.states()


def read_torques(file: Path, dynamics: RobotDynamics) -> None:
    recording = Recording.read([file], joints=dynamics.model.joint_names)
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
