"""SIGINT while an executable of the package still imports its modules."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

pytest.importorskip('rclpy')
packages = pytest.importorskip('ament_index_python.packages')

from domains import free_domain
from waiting import LIMIT, wait_until

pytestmark = pytest.mark.contract


def installed(name):
    """The file of an executable."""
    try:
        prefix = packages.get_package_prefix('robot_dynamics_ros')
    except packages.PackageNotFoundError:
        pytest.skip('robot_dynamics_ros is not installed in a workspace')
    return Path(prefix) / 'lib' / 'robot_dynamics_ros' / name


def imports(process):
    """Whether it has begun to import: numpy is loaded first, and rclpy after it."""
    return 'numpy' in Path(f'/proc/{process.pid}/maps').read_text()


@pytest.mark.parametrize('name', ['dynamics_node', 'simulated_arm'])
def test_it_ends_at_once_and_without_a_traceback(name):
    environment = {k: v for k, v in os.environ.items() if k != '_ROS_WHEELS_BOOTSTRAP_COMPLETE'}
    environment['ROS_DOMAIN_ID'] = str(free_domain())
    process = subprocess.Popen(
        [installed(name)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    try:
        wait_until(lambda: imports(process), 'the imports', lambda: time.sleep(0.001))
        process.send_signal(signal.SIGINT)
        output = process.communicate(timeout=LIMIT)
    finally:
        process.kill()
    assert process.returncode == -signal.SIGINT
    assert output == (b'', b'')
