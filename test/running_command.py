"""The command `robot_dynamics`, run in this process."""

import io
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from subprocess import CompletedProcess

import pytest

from robot_dynamics_ros.cli.command_line import main


def ended(folder, *arguments, read_topic=None):
    """What the command does in a folder."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as caught:
            main([*map(str, arguments)], read_topic)
    return CompletedProcess(arguments, caught.value.code, out.getvalue(), err.getvalue())


@pytest.fixture
def run(files):
    """Runs the command in the folder `files`."""
    return partial(ended, files)
