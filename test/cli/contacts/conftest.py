"""Recordings with and without a contact, and what runs the commands on them."""

import re

import pytest
from pushed_recording import HIT, URDF, pushed_states
from recorded_states import csv_file, joint_state_bag
from running_command import run

from robot_dynamics_ros.cli.command_line import main

__all__ = ['run']


@pytest.fixture(scope='session')
def files(tmp_path_factory):
    """Recordings with and without a contact, and the description without friction."""
    folder = tmp_path_factory.mktemp('contacts')
    joint_state_bag(folder / 'free', pushed_states(seed=5))
    csv_file(folder / 'hit.csv', pushed_states((HIT,), seed=6))
    (folder / 'arm.urdf').write_text(URDF)
    (folder / 'frictionless.urdf').write_text(re.sub('<dynamics[^>]*/>', '', URDF))
    return folder


@pytest.fixture(scope='session')
def taught(files):
    """A file with thresholds."""
    file = files / 'thresholds.yaml'
    arguments = ['thresholds', files / 'free', '--urdf', files / 'arm.urdf', '--output', file]
    with pytest.raises(SystemExit) as ended:
        main([*map(str, arguments)])
    assert ended.value.code == 0
    return file
