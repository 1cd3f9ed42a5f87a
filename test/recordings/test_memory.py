"""Memory does not grow with the length of a recording."""

import gc
import tracemalloc

import pytest

pytest.importorskip('rosbags')

from recorded_states import TOPIC, ros2_messages, sine_states, write_bag

from robot_dynamics_ros.recordings import Recording, motion
from robot_dynamics_ros.recordings import recording as recording_module


def read(bag):
    with Recording.read([bag]) as recording:
        for _ in recording.motions():
            pass


def peak_memory(bag):
    """Largest memory while a recording is filtered [bytes]."""
    # What is imported and cached at first is not of the recording.
    read(bag)
    gc.collect()
    tracemalloc.start()
    try:
        read(bag)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture(scope='module')
def messages():
    return list(ros2_messages(sine_states(1000.0, 30.0)))


@pytest.mark.parametrize('storage', ['mcap', 'sqlite3'])
def test_a_longer_recording_needs_no_more(tmp_path, monkeypatch, storage, messages):
    # From so many samples the cutoff is chosen: as many in both.
    monkeypatch.setattr(motion, 'LOOKED_AT', 4000)
    monkeypatch.setattr(recording_module, 'PART', 2000)
    kind, count = 'sensor_msgs/msg/JointState', 15_000
    memory = []
    for name, part in (('short', messages[:count]), ('long', messages)):
        bag = write_bag(tmp_path / name, {TOPIC: (kind, part)}, storage=storage)
        memory.append(peak_memory(bag))
    more = sum(len(data) for _, data in messages[count:])
    # Three chunks of MCAP, of which one is in memory.
    assert memory[1] - memory[0] < 0.1 * more
