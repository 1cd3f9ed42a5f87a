"""The core, and the robots that its tests run on, can be had where there is no ROS."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.contract

IMPORTS = """
import sys
for name in ('rclpy', 'sensor_msgs', 'std_msgs', 'trajectory_msgs', 'pinocchio'):
    sys.modules[name] = None
import robot_dynamics_ros.core, mechanics.robots, three_joints
print(three_joints.JOINTS[0])
"""


def test_without_ros():
    result = subprocess.run(
        [sys.executable, '-c', IMPORTS],
        cwd=Path(__file__).parents[1],
        env={'PYTHONPATH': ':'.join(['.', *filter(None, sys.path)])},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.stdout.strip() == 'turn', result.stderr[-2000:]
