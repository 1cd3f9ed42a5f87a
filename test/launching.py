"""A launch file, run as `ros2 launch` does, and the robot for it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

LAUNCH = Path(__file__).parents[1] / 'launch'

# A pendulum: 2 kg, 0.5 m from its axis.
PENDULUM = """
<robot name="pendulum" {namespace}>
  <link name="base"/>
  <link name="bob">
    <inertial>
      <origin xyz="0.5 0 0"/>
      <mass value="{mass}"/>
      <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="hinge" type="continuous">
    <parent link="base"/>
    <child link="bob"/>
    <axis xyz="0 1 0"/>
  </joint>
</robot>
"""


def run_launch(*arguments: str, **options: Any) -> subprocess.Popen:
    """Start a launch file in a process group of its own, as `ros2 launch` would."""
    code = (
        'import sys\n'
        'from launch import LaunchDescription, LaunchService\n'
        'from launch.actions import IncludeLaunchDescription\n'
        'from launch.launch_description_sources import PythonLaunchDescriptionSource\n'
        'file, *pairs = sys.argv[1:]\n'
        'arguments = [tuple(pair.split(":=", 1)) for pair in pairs]\n'
        'service = LaunchService()\n'
        'source = PythonLaunchDescriptionSource(file)\n'
        'include = IncludeLaunchDescription(source, launch_arguments=arguments)\n'
        'service.include_launch_description(LaunchDescription([include]))\n'
        'sys.exit(service.run())\n'
    )
    command = [sys.executable, '-c', code, *arguments]
    return subprocess.Popen(command, start_new_session=True, **options)


def end_of(*arguments: str, limit: float = 60.0) -> tuple[int, str]:
    """Exit code and output of a launch that ends by itself within a limit [s].

    Raises:
        subprocess.TimeoutExpired: it does not; then it is ended, with its nodes.
    """
    options: dict[str, Any] = {'stdout': subprocess.PIPE, 'stderr': subprocess.STDOUT}
    process = run_launch(*arguments, text=True, **options)
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=limit)
        raise
    return process.returncode, output


@contextmanager
def running(*arguments: str, **options: Any) -> Iterator[subprocess.Popen]:
    """A launch file, until the end of the block."""
    process = run_launch(*arguments, **options)
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGINT)
        process.wait(timeout=30)
