"""A recording of the simulated arm, and what runs `identify` on it."""

import json
import shutil

import pytest

pytest.importorskip('mujoco')
pytest.importorskip('scipy')
pytest.importorskip('rosbags')

from identified_recordings import DESCRIBED, recording
from running_command import run

__all__ = ['run']


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp('identify')
    shutil.copy(DESCRIBED, folder / 'arm.urdf')
    recording(folder / 'good.csv')
    return folder


@pytest.fixture
def identified(run, files):
    """Runs identify, and gives what it printed and its JSON."""

    def identify(*arguments, urdf='arm.urdf', target='out'):
        ended = run(
            'identify', *map(str, arguments), '--urdf', urdf, '--output', target,
            '--json', 'result.json',
        )  # fmt: skip
        file = files / 'result.json'
        result = json.loads(file.read_text()) if file.exists() else None
        file.unlink(missing_ok=True)
        return ended, result

    return identify
