"""The arm as a process: how it starts and ends."""

import os
import signal
import subprocess
import sys

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('mujoco')

from domains import free_domain

pytestmark = pytest.mark.contract

MODULE = 'robot_dynamics_ros.simulation.simulated_arm'
INTERRUPTED_START = f"""
import os, signal, sys, threading
from {MODULE} import main

def interrupted(thread, start=threading.Thread.start):
    start(thread)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread.start = interrupted
code = main(sys.argv)
print([one.name for one in threading.enumerate()], file=sys.stderr)
sys.exit(code)
"""


def start(*arguments, program=('-m', MODULE)):
    environment = {**os.environ, 'ROS_DOMAIN_ID': str(free_domain())}
    # Not to /rosout: rcl complains of a signal that comes while it publishes a line there.
    return subprocess.Popen(
        [sys.executable, *program, '--ros-args', '--disable-rosout-logs', *arguments],
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
    )


def test_ends_quietly_when_told_to(two_links):
    process = start('-p', f'robot_description:={two_links.replace(chr(10), "")}')
    # On a busy computer a warning may come first.
    assert any('shoulder, elbow' in line for line in process.stderr)
    process.send_signal(signal.SIGTERM)
    assert ended(process)[0] == 0


def ended(process):
    """The exit code and what it has said."""
    try:
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert 'Traceback' not in said
    return process.returncode, said


def test_a_signal_during_the_start_leaves_no_thread_behind(two_links):
    description = f'robot_description:={two_links.replace(chr(10), "")}'
    code, said = ended(start('-p', description, program=('-c', INTERRUPTED_START)))
    assert (code, said.splitlines()[-1]) == (0, "['MainThread']")


def test_says_what_is_wrong_and_ends():
    code, said = ended(start('-p', 'robot_description:="<robot"'))
    assert code == 1
    assert 'robot_description' in said
