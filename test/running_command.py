"""The command `robot_dynamics`, run in this process."""

from typing import NamedTuple

import pytest

from robot_dynamics_ros.cli.command_line import main


class Ended(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(files, monkeypatch, capfd):
    """Runs the command in the folder `files`."""
    monkeypatch.chdir(files)

    def run(*arguments, read_topic=None):
        with pytest.raises(SystemExit) as ended:
            main([*map(str, arguments)], read_topic)
        return Ended(ended.value.code, *capfd.readouterr())

    return run
