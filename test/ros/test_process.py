"""The process of the node outlives a callback that fails, and still ends as it should."""

import gc
import os
import signal
import subprocess
import sys
import weakref

import pytest
from domains import free_domain
from fed_node import fed_node
from waiting import LIMIT

from robot_dynamics_ros.ros.node import main

SCRIPT = """
from robot_dynamics_ros.ros.node import DynamicsNode
from robot_dynamics_ros.ros.process import run

class Failing(DynamicsNode):
    def __init__(self):
        super().__init__()
        self.create_timer(0.05, self.fail)

    def fail(self):
        raise RuntimeError('on purpose')

run(Failing)
"""


def environment():
    inherited = {k: v for k, v in os.environ.items() if k != '_ROS_WHEELS_BOOTSTRAP_COMPLETE'}
    return inherited | {'ROS_DOMAIN_ID': str(free_domain())}


def test_a_callback_that_fails_is_said_and_survived():
    process = subprocess.Popen(
        [sys.executable, '-c', SCRIPT], stderr=subprocess.PIPE, text=True, env=environment()
    )
    try:
        said = (line for line in process.stderr if 'RuntimeError: on purpose' in line)
        for _ in range(3):
            next(said)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LIMIT)
        assert process.returncode == 0
    finally:
        process.kill()


def test_an_argument_that_would_be_ignored_is_refused(capsys):
    with pytest.raises(SystemExit) as refused:
        main(['arm.yaml'])
    assert refused.value.code == 2
    assert '--ros-args --params-file arm.yaml' in capsys.readouterr().err


def test_a_configured_node_is_left_out_of_garbage_search_and_freed_at_its_end():
    gc.unfreeze()
    with fed_node() as node:
        reference = weakref.ref(node)
        assert gc.get_freeze_count()
    del node
    assert not gc.get_freeze_count()
    gc.collect()
    assert reference() is None


def test_what_a_user_gave_wrongly_is_one_line_that_names_the_file(tmp_path):
    file = tmp_path / 'arm.yaml'
    file.write_text('/**:\n  ros__parameters:\n    fade_time: [1, a]\n')
    command = [sys.executable, '-m', 'robot_dynamics_ros.ros.node', '--ros-args']
    result = subprocess.run(
        [*command, '--params-file', str(file)],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=LIMIT,
    )
    assert result.returncode == 1
    assert str(file) in result.stderr.splitlines()[-1]
    assert 'Traceback' not in result.stderr
