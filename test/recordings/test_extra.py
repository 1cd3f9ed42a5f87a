"""Without the libraries of the extra, one line says how they are installed; CSV needs none."""

import sys

import numpy as np
import pytest
from recorded_states import csv_file, joined, sine_states

from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.recordings import Recording

pytestmark = pytest.mark.contract

STATES = sine_states(seconds=2.0)


@pytest.fixture(autouse=True)
def bare_installation(monkeypatch):
    """An installation without the extra: None in sys.modules is what import refuses."""
    for name in ('rosbags', 'scipy'):
        monkeypatch.setitem(sys.modules, name, None)


def test_bags_need_rosbags(tmp_path):
    file = tmp_path / 'a.mcap'
    file.write_bytes(b'')
    needed = r"pip install 'robot_dynamics_ros\[recordings\]'"
    with pytest.raises(RecordingError, match=needed), Recording.read([file]):
        pass


def test_tables_are_read_and_filtered(tmp_path):
    with Recording.read([csv_file(tmp_path / 'a.csv', STATES)]) as recording:
        np.testing.assert_array_equal(joined(recording)[1], STATES.positions)
        assert sum(map(len, recording.motions())) > 300
