"""The launch files, where launch is at hand (it is not on PyPI): what they start and refuse."""

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from waiting import LIMIT

# Submodules: at the root of the repository, the folder launch/ passes for the package itself.
pytest.importorskip('launch.actions')
pytest.importorskip('launch_ros.actions')
rclpy = pytest.importorskip('rclpy')

from domains import free_domain
from launch.launch_description_sources import (
    get_launch_description_from_python_launch_file,
)
from rclpy.parameter_client import AsyncParameterClient
from sensor_msgs.msg import JointState

from robot_dynamics_interfaces.srv import GetGravity, GetMassMatrix

pytestmark = pytest.mark.contract

LAUNCH = Path(__file__).parents[2] / 'launch'
DYNAMICS = str(LAUNCH / 'dynamics.launch.py')

STARTED = r'started with pid \[(\d+)\]'
PRINTING = {'stdout': subprocess.PIPE, 'stderr': subprocess.STDOUT, 'text': True}

# A link whose centre is 0.5 m from the axis of its joint.
LINK = """
  <link name="{joint}_link"><inertial><origin xyz="0.5 0 0"/><mass value="{mass}"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="{joint}" type="continuous"><parent link="{parent}"/><child link="{joint}_link"/>
    <origin xyz="{origin}"/><axis xyz="0 1 0"/></joint>"""
SPACE = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'


def pendulum(mass, namespace='', argument=''):
    """A URDF or xacro file."""
    link = LINK.format(joint='hinge', mass=mass, parent='base', origin='0 0 0')
    return f'<robot name="pendulum" {namespace}>{argument}<link name="base"/>{link}</robot>'


XACRO = pendulum('$(arg mass)', SPACE, '<xacro:arg name="mass" default="2"/>')
# Two arms on one base: the left one has two links of 2 and 3 kg, the right one a link of 4 kg.
DUAL_ARM = (
    '<robot name="dual"><link name="base"/>'
    + LINK.format(joint='left', mass=2, parent='base', origin='0 0.3 0')
    + LINK.format(joint='on', mass=3, parent='left_link', origin='1 0 0')
    + LINK.format(joint='right', mass=4, parent='base', origin='0 -0.3 0')
    + '</robot>'
)


@pytest.fixture(autouse=True)
def domain(monkeypatch):
    """A ROS domain for each test: no node that an earlier one left is heard."""
    monkeypatch.setenv('ROS_DOMAIN_ID', str(free_domain()))


def run_launch(*arguments, **options):
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


def end_of(*arguments):
    """Exit code and output of a launch that ends by itself; else it is ended, with its nodes."""
    process = run_launch(*arguments, **PRINTING)
    try:
        output, _ = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=LIMIT)
        raise
    return process.returncode, output


@contextmanager
def running(*arguments, **options):
    """A launch file, until the end of the block."""
    process = run_launch(*arguments, **options)
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGINT)
        process.wait(timeout=30)


def test_arguments_and_the_default_parameter_file():
    """As `ros2 launch --show-args` says."""
    description = get_launch_description_from_python_launch_file(DYNAMICS)
    declared = {each.name: each for each in description.get_launch_arguments()}
    assert set(declared) == {
        *('description', 'params_file', 'namespace', 'name', 'joints', 'commands', 'autostart'),
        *('joint_states', 'xacro_args', 'use_sim_time', 'respawn', 'on_death'),
    }
    parts = declared['params_file'].default_value
    file = Path(' + '.join(each.describe() for each in parts).strip("'"))
    assert file.name == 'robot_dynamics.yaml'
    assert file.is_absolute()
    assert file.is_file()


def test_dynamics_node_answers(tmp_path):
    """From a file to an answer."""
    file = tmp_path / 'pendulum.urdf.xacro'
    file.write_text(pendulum('${1 + 1}', SPACE))
    with running(DYNAMICS, f'description:={file}', 'namespace:=left') as process:
        response = call_mass_matrix('/left/robot_dynamics/get_mass_matrix', process)
    assert response.success, response.message
    assert list(response.joint_names) == ['hinge']
    # m l^2 + I.
    assert list(response.mass_matrix.data) == pytest.approx([2.0 * 0.5**2 + 0.01])


@pytest.mark.parametrize(('argument', 'configured'), [([], False), (['autostart:=true'], True)])
def test_autostart_is_that_of_the_parameter_file_unless_it_is_given(
    tmp_path, argument, configured
):
    file = tmp_path / 'pendulum.urdf'
    file.write_text(pendulum(2))
    parameters = tmp_path / 'arm.yaml'
    parameters.write_text('/**:\n  ros__parameters:\n    autostart: false\n')
    arguments = [f'description:={file}', f'params_file:={parameters}', *argument]
    with running(DYNAMICS, *arguments) as process:
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
    with running(DYNAMICS, *arguments) as process:
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


def call_mass_matrix(service, process, limit=30.0):
    state = JointState(name=['hinge'], position=[0.3])
    return call(GetMassMatrix, service, state, process, limit)


def call(kind, service, state, process, limit=30.0):
    """Call until the node is configured, or for so long [s] after its first answer."""
    request = kind.Request(state=state)
    context = rclpy.Context()
    rclpy.init(context=context)
    try:
        node = rclpy.create_node('launch_test', context=context)
        client = node.create_client(kind, service)
        executor = rclpy.executors.SingleThreadedExecutor(context=context)
        response = kind.Response(message='no answer')
        deadline, answered = time.monotonic() + LIMIT, False
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


# What is refused, and what the arguments do


@pytest.fixture
def files(tmp_path):
    """A URDF, a xacro file that needs an argument, and one that cannot be expanded."""
    (tmp_path / 'arm.urdf').write_text(pendulum(2))
    (tmp_path / 'arm.xacro').write_text(XACRO)
    (tmp_path / 'broken.xacro').write_text(XACRO.replace('$(arg mass)', '${nobody}'))
    return tmp_path


REFUSED = [
    ('params_file:={0}/no.yaml', 'params_file is {0}/no.yaml'),
    ('description:={0}/no.urdf', '{0}/no.urdf'),
    ('description:=package://arm/arm.urdf', 'package://arm/arm.urdf: give the path'),
    ('description:={0}/arm.urdf xacro_args:=a:=b', 'xacro_args is given'),
    ('xacro_args:=a:=b', 'xacro_args is given without'),
    ('description:={0}/arm.xacro xacro_args:=mass=3', "xacro_args has 'mass=3'"),
    ('description:={0}/broken.xacro', 'xacro cannot expand {0}/broken.xacro: '),
    ('description:={0}/arm.urdf param_file:={0}/a.yaml', 'did you mean params_file?'),
]


@pytest.mark.parametrize(('arguments', 'reason'), REFUSED)
def test_what_cannot_be_meant_is_refused_in_one_line(files, arguments, reason):
    code, output = end_of(DYNAMICS, *arguments.format(files).split())
    assert code == 1
    assert [line for line in output.splitlines() if reason.format(files) in line], output
    assert 'Traceback' not in output
    assert 'process started' not in output


INCLUDES = """
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

def generate_launch_description():
    source = PythonLaunchDescriptionSource({file!r})
    included = [
        GroupAction([IncludeLaunchDescription(source, launch_arguments=arguments.items())])
        for arguments in {arms!r}
    ]
    return LaunchDescription([DeclareLaunchArgument('robot_ip'), *included])
"""


def including(files, *arms):
    """A launch file of a cell, which starts the node once with each of these arguments."""
    cell = files / 'dynamics.launch.py'
    given = [{'description': str(files / 'arm.urdf'), **arm} for arm in arms]
    cell.write_text(INCLUDES.format(file=DYNAMICS, arms=given))
    return str(cell)


def test_an_argument_that_launch_reads_itself_is_taken(files):
    arguments = [f'description:={files}/arm.urdf', 'launch-prefix:=env']
    with running(DYNAMICS, *arguments, **PRINTING) as process:
        Output(process).until('(compiled in)')


def parameters_of(node, *names):
    """Values of parameters of the launched node."""
    client = AsyncParameterClient(node, '/test_of_arguments/robot_dynamics')
    assert client.wait_for_services(LIMIT)
    future = client.get_parameters([*names])
    rclpy.spin_until_future_complete(node, future, timeout_sec=LIMIT)
    return future.result().values


@pytest.fixture
def observer():
    """A node that asks the launched one."""
    rclpy.init()
    node = rclpy.create_node('observer')
    yield node
    node.destroy_node()
    rclpy.shutdown()


def test_arguments_reach_the_node(files, observer):
    """Arguments of xacro, the topic of the joint states, and the clock."""
    arguments = [f'description:={files}/arm.xacro', 'xacro_args:=mass:=7.5']
    arguments += ['joint_states:=/cell/joint_states', 'use_sim_time:=true']
    arguments += ['namespace:=test_of_arguments']
    with running(DYNAMICS, *arguments):
        text, simulated = parameters_of(observer, 'robot_description', 'use_sim_time')
        subscriptions = observer.get_subscriptions_info_by_topic('/cell/joint_states')
    assert '7.5' in text.string_value
    assert simulated.bool_value
    assert [each.node_name for each in subscriptions] == ['robot_dynamics']


class Output:
    """What a launch prints, until a line that is waited for."""

    def __init__(self, process):
        self._process = process
        self.text = ''

    def until(self, pattern):
        """The first group of the next line that holds the pattern."""
        for line in self._process.stdout:
            self.text += line
            if found := re.search(pattern, line):
                return found[1]
        raise AssertionError(f'{pattern} was not printed:\n{self.text}')


def test_a_node_that_dies_is_started_again_with_respawn(files):
    arguments = [f'description:={files}/arm.urdf', 'respawn:=true']
    with running(DYNAMICS, *arguments, **PRINTING) as process:
        output = Output(process)
        first = int(output.until(STARTED))
        output.until('(compiled in)')
        os.kill(first, signal.SIGKILL)
        assert int(output.until(STARTED)) != first
        output.until('(compiled in)')


def two_arms(files, on_death):
    """A launch of two arms, what it prints, and the processes of its nodes."""
    arms = ({'namespace': side, 'on_death': on_death} for side in ('left', 'right'))
    process = run_launch(including(files, *arms), 'robot_ip:=10.0.0.1', **PRINTING)
    output = Output(process)
    numbers = [int(output.until(STARTED)) for _ in range(2)]
    for _ in range(2):
        output.until('(compiled in)')
    return process, output, numbers


def test_an_arm_goes_on_when_the_node_of_the_other_one_dies(files):
    """Its torque must not be taken away; the launch says at its end that it has failed."""
    process, output, (first, second) = two_arms(files, 'continue')
    os.kill(first, signal.SIGKILL)
    output.until('(Other nodes)')
    os.kill(second, 0)
    os.killpg(process.pid, signal.SIGINT)
    rest, _ = process.communicate(timeout=LIMIT)
    assert process.returncode == 1
    assert re.search(r'/(left|right)/robot_dynamics \(.*\) died', output.text)
    assert 'finished cleanly' in rest


def test_a_launch_whose_nodes_have_all_died_ends_with_an_error(files):
    process, output, numbers = two_arms(files, 'continue')
    for number in numbers:
        os.kill(number, signal.SIGKILL)
        output.until('(Other nodes)')
    process.communicate(timeout=LIMIT)
    assert process.returncode == 1


def test_a_dead_node_ends_the_other_one_if_that_is_wanted(files):
    process, _, (first, _) = two_arms(files, 'end')
    os.kill(first, signal.SIGKILL)
    rest, _ = process.communicate(timeout=LIMIT)
    assert process.returncode == 1
    assert 'finished cleanly' in rest
