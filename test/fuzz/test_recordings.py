"""Files with any damage: samples of their joints, or one line that says what is wrong."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

pytest.importorskip('rosbags')

from damaged_files import KINDS, damaged, damages
from hypothesis import given
from hypothesis import strategies as st
from property_settings import tried

from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.recordings import Recording

pytestmark = pytest.mark.contract

INPUTS = st.tuples(st.sampled_from(KINDS), damages)


@tried
@given(INPUTS)
def test_damaged_files_give_samples_or_one_line(value):
    kind, changes = value
    with TemporaryDirectory() as folder:
        file = Path(folder) / f'file{kind}'
        file.write_bytes(damaged(kind, changes))
        said = ''
        try:
            read(file)
        except RecordingError as error:
            said = str(error)
    assert not said or file.name in said
    assert '\n' not in said


def read(file):
    """Read it to the end, in chunks of a few samples."""
    count = 0
    with Recording.read([file]) as recording:
        for chunk in recording.chunks(7):
            shape = (len(chunk), len(recording.joints))
            assert 0 < len(chunk) <= 7
            assert chunk.times.shape == shape[:1]
            for values in (chunk.positions, chunk.velocities, chunk.efforts):
                assert values.shape == shape
            assert np.isfinite(chunk.times).all()
            count += len(chunk)
        assert recording.quality.samples == count
