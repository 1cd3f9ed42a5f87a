"""The launch files, where ROS's launch is at hand (it is not on PyPI)."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

# Submodules: at the root of the repository, the folder launch/ passes for the package itself.
pytest.importorskip('launch.actions')
pytest.importorskip('launch_ros.actions')
rclpy = pytest.importorskip('rclpy')

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.launch_description_sources import (
    get_launch_description_from_python_launch_file,
)
from sensor_msgs.msg import JointState

from robot_dynamics_interfaces.srv import GetMassMatrix

LAUNCH = Path(__file__).parents[2] / 'launch'

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


def arguments_of(description: LaunchDescription) -> dict[str, str]:
    """What `ros2 launch --show-args` says of each."""
    return {
        entity.name: entity.description
        for entity in description.entities
        if isinstance(entity, DeclareLaunchArgument)
    }


@pytest.mark.parametrize(
    ('file', 'arguments'),
    [
        (
            'dynamics.launch.py',
            {'description', 'params_file', 'namespace', 'commands', 'autostart'},
        ),
        ('demo.launch.py', {'urdf', 'output'}),
    ],
)
def test_arguments(file, arguments):
    found = arguments_of(get_launch_description_from_python_launch_file(str(LAUNCH / file)))
    assert found.keys() == arguments
    assert all('no description given' not in text for text in found.values())


def run_launch(*arguments: str) -> subprocess.Popen:
    """Start a launch file in a process group of its own, as `ros2 launch` would."""
    code = (
        'import sys\n'
        'from launch import LaunchDescription, LaunchService\n'
        'from launch.actions import IncludeLaunchDescription\n'
        'from launch.launch_description_sources import PythonLaunchDescriptionSource\n'
        'file, *pairs = sys.argv[1:]\n'
        'arguments = [tuple(pair.split(":=")) for pair in pairs]\n'
        'service = LaunchService()\n'
        'source = PythonLaunchDescriptionSource(file)\n'
        'include = IncludeLaunchDescription(source, launch_arguments=arguments)\n'
        'service.include_launch_description(LaunchDescription([include]))\n'
        'sys.exit(service.run())\n'
    )
    return subprocess.Popen([sys.executable, '-c', code, *arguments], start_new_session=True)


@pytest.mark.parametrize('suffix', ['.urdf', '.urdf.xacro'])
def test_dynamics_node_answers(tmp_path, suffix):
    """From a file to an answer: M of a pendulum is m l^2 + I."""
    xacro = suffix.endswith('.xacro')
    file = tmp_path / f'pendulum{suffix}'
    file.write_text(
        PENDULUM.format(
            mass='${1 + 1}' if xacro else '2',
            namespace='xmlns:xacro="http://www.ros.org/wiki/xacro"' if xacro else '',
        )
    )
    process = run_launch(
        str(LAUNCH / 'dynamics.launch.py'), f'description:={file}', 'namespace:=left'
    )
    try:
        response = call_mass_matrix('/left/robot_dynamics/get_mass_matrix', process)
    finally:
        os.killpg(process.pid, signal.SIGINT)
        process.wait(timeout=30)
    assert response.success, response.message
    assert list(response.joint_names) == ['hinge']
    assert list(response.mass_matrix.data) == pytest.approx([2 * 0.5**2 + 0.01])


def test_demo_passes_its_exit_code_on(tmp_path):
    broken = tmp_path / 'broken.urdf'
    broken.write_text('<robot name="nothing"/>')
    process = run_launch(
        str(LAUNCH / 'demo.launch.py'), f'urdf:={broken}', f'output:={tmp_path / "output"}'
    )
    assert process.wait(timeout=60) == 1


def call_mass_matrix(service: str, process: subprocess.Popen) -> GetMassMatrix.Response:
    """Call until the node is configured: until then it answers that it is not."""
    request = GetMassMatrix.Request(state=JointState(name=['hinge'], position=[0.3]))
    context = rclpy.Context()
    rclpy.init(context=context)
    try:
        node = rclpy.create_node('launch_test', context=context)
        client = node.create_client(GetMassMatrix, service)
        executor = rclpy.executors.SingleThreadedExecutor(context=context)
        deadline = time.monotonic() + 30
        response = GetMassMatrix.Response(message='no answer')
        while not response.success and process.poll() is None and time.monotonic() < deadline:
            if client.wait_for_service(timeout_sec=1):
                future = client.call_async(request)
                rclpy.spin_until_future_complete(node, future, executor, timeout_sec=2)
                response = future.result() or response
        return response
    finally:
        context.shutdown()
