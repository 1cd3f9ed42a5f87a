"""What the tests of the command share: it runs in this process, in the folder `files`."""

import os
import subprocess
import sys

import pytest
from running_command import run

__all__ = ['run']


@pytest.fixture
def in_a_shell(files):
    """Runs the command in a process of its own, whose streams a shell redirects."""
    path = os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))

    def in_a_shell(words):
        return subprocess.run(
            ['sh', '-c', f'"{sys.executable}" -m robot_dynamics_ros.cli.command_line {words}'],
            cwd=files, env={**os.environ, 'PYTHONPATH': path}, capture_output=True, text=True,
            timeout=120, check=False,
        )  # fmt: skip

    return in_a_shell
