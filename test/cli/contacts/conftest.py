"""Recordings with and without a contact, and what runs the commands on them."""

import re
from typing import NamedTuple

import pytest
from pushed_recording import HIT, URDF, pushed_states
from recorded_states import csv_file, joint_state_bag

from robot_dynamics_ros.cli.command_line import main


class Ended(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture(scope='session')
def folder(tmp_path_factory):
    """Recordings with and without a contact, and the description without friction."""
    folder = tmp_path_factory.mktemp('contacts')
    joint_state_bag(folder / 'free', pushed_states(seed=5))
    csv_file(folder / 'hit.csv', pushed_states((HIT,), seed=6))
    (folder / 'arm.urdf').write_text(URDF)
    (folder / 'frictionless.urdf').write_text(re.sub('<dynamics[^>]*/>', '', URDF))
    return folder


@pytest.fixture
def run(folder, monkeypatch, capfd):
    """Runs a subcommand in this process, in the folder of the recordings."""
    monkeypatch.chdir(folder)

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([*map(str, arguments)])
        return Ended(ended.value.code, *capfd.readouterr())

    return run


@pytest.fixture(scope='session')
def taught(folder):
    """A parameter file with thresholds."""
    file = folder / 'thresholds.yaml'
    arguments = ['thresholds', folder / 'free', '--urdf', folder / 'arm.urdf', '--output', file]
    with pytest.raises(SystemExit) as ended:
        main([*map(str, arguments)])
    assert ended.value.code == 0
    return file
