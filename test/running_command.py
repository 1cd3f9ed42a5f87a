"""The command `robot_dynamics`, run in this process."""

import io
import os
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import partial
from typing import NamedTuple

import pytest

from robot_dynamics_ros.cli.command_line import main


class Ended(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@contextmanager
def working_folder(folder):
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def ended(folder, *arguments, read_topic=None):
    """What the command does in a folder."""
    out, err = io.StringIO(), io.StringIO()
    with (
        working_folder(folder), redirect_stdout(out), redirect_stderr(err),
        pytest.raises(SystemExit) as caught,
    ):  # fmt: skip
        main([*map(str, arguments)], read_topic)
    return Ended(caught.value.code, out.getvalue(), err.getvalue())


@pytest.fixture
def run(files):
    """Runs the command in the folder `files`."""
    return partial(ended, files)
