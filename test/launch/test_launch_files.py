"""The launch files, where ROS's launch is at hand (it is not on PyPI)."""

import subprocess
import time
from pathlib import Path
from typing import Any

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
from launching import LAUNCH, PENDULUM, run_launch, running
from sensor_msgs.msg import JointState

from robot_dynamics_interfaces.srv import GetGravity, GetMassMatrix

pytestmark = pytest.mark.contract

# Until a launched node gives its first answer, on a busy machine [s].
START = 90.0

# Two arms on one base: the left one has two links of 2 and 3 kg, the right one a link of 4 kg.
LINK = """
  <link name="{joint}_link">
    <inertial>
      <origin xyz="0.5 0 0"/>
      <mass value="{mass}"/>
      <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="{joint}" type="continuous">
    <parent link="{parent}"/>
    <child link="{joint}_link"/>
    <origin xyz="{origin}"/>
    <axis xyz="0 1 0"/>
  </joint>
"""
DUAL_ARM = (
    '<robot name="dual"><link name="base"/>'
    + LINK.format(joint='left', mass=2, parent='base', origin='0 0.3 0')
    + LINK.format(joint='on', mass=3, parent='left_link', origin='1 0 0')
    + LINK.format(joint='right', mass=4, parent='base', origin='0 -0.3 0')
    + '</robot>'
)


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
            {
                *('description', 'params_file', 'namespace', 'name', 'joints', 'commands'),
                *(
                    'autostart',
                    'joint_states',
                    'xacro_args',
                    'use_sim_time',
                    'respawn',
                    'on_death',
                ),
            },
        ),
        ('demo.launch.py', {'urdf', 'output'}),
    ],
)
def test_arguments(file, arguments):
    found = arguments_of(get_launch_description_from_python_launch_file(str(LAUNCH / file)))
    assert found.keys() == arguments
    assert all('no description given' not in text for text in found.values())


def test_the_default_parameter_file_is_shown_as_its_path():
    """As `ros2 launch --show-args` describes a default."""
    description = get_launch_description_from_python_launch_file(
        str(LAUNCH / 'dynamics.launch.py')
    )
    arguments = description.get_launch_arguments()
    (declared,) = (each for each in arguments if each.name == 'params_file')
    shown = ' + '.join(each.describe() for each in declared.default_value).strip("'")
    assert Path(shown).is_absolute()
    assert Path(shown).name == 'robot_dynamics.yaml'
    assert Path(shown).is_file()


def inertia(mass: float) -> float:
    """M of the pendulum: m l^2 + I."""
    return mass * 0.5**2 + 0.01


@pytest.mark.parametrize('suffix', ['.urdf', '.urdf.xacro'])
def test_dynamics_node_answers(tmp_path, suffix):
    """From a file to an answer."""
    xacro = suffix.endswith('.xacro')
    file = tmp_path / f'pendulum{suffix}'
    file.write_text(
        PENDULUM.format(
            mass='${1 + 1}' if xacro else '2',
            namespace='xmlns:xacro="http://www.ros.org/wiki/xacro"' if xacro else '',
        )
    )
    launch = str(LAUNCH / 'dynamics.launch.py')
    with running(launch, f'description:={file}', 'namespace:=left') as process:
        response = call_mass_matrix('/left/robot_dynamics/get_mass_matrix', process)
    assert response.success, response.message
    assert list(response.joint_names) == ['hinge']
    assert list(response.mass_matrix.data) == pytest.approx([inertia(2.0)])


@pytest.mark.parametrize(('argument', 'configured'), [([], False), (['autostart:=true'], True)])
def test_autostart_is_that_of_the_parameter_file_unless_it_is_given(
    tmp_path, argument, configured
):
    file = tmp_path / 'pendulum.urdf'
    file.write_text(PENDULUM.format(mass=2, namespace=''))
    parameters = tmp_path / 'arm.yaml'
    parameters.write_text('/**:\n  ros__parameters:\n    autostart: false\n')
    arguments = [f'description:={file}', f'params_file:={parameters}', *argument]
    with running(str(LAUNCH / 'dynamics.launch.py'), *arguments) as process:
        service = '/robot_dynamics/get_mass_matrix'
        response = call_mass_matrix(service, process, limit=30.0 if configured else 8.0)
    assert response.success == configured
    assert ('not configured' in response.message) != configured


def test_the_joints_of_one_group_are_commanded_in_their_order(tmp_path):
    """With a name that YAML would read as something else, and not as the description has them."""
    file = tmp_path / 'dual_arm.urdf'
    file.write_text(DUAL_ARM)
    arguments = [f'description:={file}', 'joints:=on, left', 'name:=left_dynamics']
    state = JointState(name=['right', 'on', 'left'], position=[0.0, 0.0, 0.0])
    with running(str(LAUNCH / 'dynamics.launch.py'), *arguments) as process:
        answer = call(GetGravity, '/left_dynamics/get_gravity', state, process)
    assert answer.success, answer.message
    assert list(answer.joint_names) == ['on', 'left']
    # The centres are 0.5 m ahead of axes that point left.
    expected = [-9.81 * 3.0 * 0.5, -9.81 * (2.0 * 0.5 + 3.0 * 1.5)]
    assert list(answer.effort) == pytest.approx(expected)


def test_demo_passes_its_exit_code_on(tmp_path):
    broken = tmp_path / 'broken.urdf'
    broken.write_text('<robot name="nothing"/>')
    process = run_launch(
        str(LAUNCH / 'demo.launch.py'), f'urdf:={broken}', f'output:={tmp_path / "output"}'
    )
    assert process.wait(timeout=60) == 1


def call_mass_matrix(
    service: str, process: subprocess.Popen, limit: float = 30.0
) -> GetMassMatrix.Response:
    state = JointState(name=['hinge'], position=[0.3])
    return call(GetMassMatrix, service, state, process, limit)


def call(
    kind: type, service: str, state: JointState, process: subprocess.Popen, limit: float = 30.0
) -> Any:
    """Call until the node is configured, or for so long [s] after its first answer."""
    request = kind.Request(state=state)
    context = rclpy.Context()
    rclpy.init(context=context)
    try:
        node = rclpy.create_node('launch_test', context=context)
        client = node.create_client(kind, service)
        executor = rclpy.executors.SingleThreadedExecutor(context=context)
        response = kind.Response(message='no answer')
        deadline, answered = time.monotonic() + START, False
        while not response.success and process.poll() is None and time.monotonic() < deadline:
            if client.wait_for_service(timeout_sec=1):
                future = client.call_async(request)
                rclpy.spin_until_future_complete(node, future, executor, timeout_sec=2)
                response = future.result() or response
            if response.message != 'no answer' and not answered:
                deadline, answered = time.monotonic() + limit, True
        return response
    finally:
        context.shutdown()
