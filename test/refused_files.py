"""Files that are read, or refused in one line."""

import pytest
from recorded_states import joined

from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.recordings import Recording


def read(*paths, **options):
    with Recording.read(list(paths), **options) as recording:
        return joined(recording)


def refused(match, *paths, **options):
    """Reading raises one line that has this, and names the file."""
    with pytest.raises(RecordingError, match=match or None) as caught:
        read(*paths, **options)
    line = str(caught.value)
    assert '\n' not in line
    assert len(line) < 700
    if paths:
        assert paths[0].name in line
