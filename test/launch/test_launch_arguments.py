"""What launch files refuse, in one line, and what their arguments do."""

import os
import re
import shutil
import signal
import subprocess

import pytest

pytest.importorskip('launch.actions')
pytest.importorskip('launch_ros.actions')
rclpy = pytest.importorskip('rclpy')

from launching import LAUNCH, PENDULUM, end_of, run_launch, running
from rcl_interfaces.srv import GetParameters
from waiting import wait_until

pytestmark = pytest.mark.contract

LIMIT = 60.0
BASE = '<link name="base"/>'
XACRO = PENDULUM.format(
    mass='$(arg mass)', namespace='xmlns:xacro="http://www.ros.org/wiki/xacro"'
).replace(BASE, f'<xacro:arg name="mass" default="2"/>{BASE}')


@pytest.fixture
def files(tmp_path):
    """A URDF, a xacro file that needs an argument, and one that cannot be expanded."""
    (tmp_path / 'arm.urdf').write_text(PENDULUM.format(mass=2, namespace=''))
    (tmp_path / 'arm.xacro').write_text(XACRO)
    (tmp_path / 'broken.xacro').write_text(XACRO.replace('$(arg mass)', '${nobody}'))
    return tmp_path


REFUSED = {
    'no parameter file': ('dynamics', ['params_file:={0}/no.yaml'], 'params_file is {0}/no.yaml'),
    'no description': ('dynamics', ['description:={0}/no.urdf'], '{0}/no.urdf'),
    'a package path': (
        'dynamics',
        ['description:=package://arm/arm.urdf'],
        'package://arm/arm.urdf: give the path',
    ),
    'arguments without xacro': (
        'dynamics',
        ['description:={0}/arm.urdf', 'xacro_args:=a:=b'],
        'xacro_args is given',
    ),
    'arguments alone': ('dynamics', ['xacro_args:=a:=b'], 'xacro_args is given without'),
    'a malformed argument': (
        'dynamics',
        ['description:={0}/arm.xacro', 'xacro_args:=mass=3'],
        "xacro_args has 'mass=3'",
    ),
    'broken xacro': (
        'dynamics',
        ['description:={0}/broken.xacro'],
        'xacro cannot expand {0}/broken.xacro: ',
    ),
    'a misspelt argument': (
        'dynamics',
        ['description:={0}/arm.urdf', 'param_file:={0}/arm.yaml'],
        'argument param_file (did you mean params_file?)',
    ),
    'an argument of the node for the demo': (
        'demo',
        ['use_sim_time:=true'],
        'launch argument use_sim_time: allowed',
    ),
}


@pytest.mark.parametrize('case', REFUSED)
def test_what_cannot_be_meant_is_refused_in_one_line(files, case):
    launch, arguments, reason = REFUSED[case]
    given = (argument.format(files) for argument in arguments)
    code, output = end_of(str(LAUNCH / f'{launch}.launch.py'), *given)
    assert code == 1
    assert [line for line in output.splitlines() if reason.format(files) in line], output
    assert 'Traceback' not in output
    assert 'process started' not in output


def test_a_copied_launch_file_refuses_unknown_arguments_too(files):
    """Without anything beside it."""
    copy = shutil.copy(LAUNCH / 'dynamics.launch.py', files / 'cell.launch.py')
    code, output = end_of(str(copy), 'urdf:=arm.urdf')
    assert code == 1
    assert 'unknown launch argument' in output


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
    cell.write_text(INCLUDES.format(file=str(LAUNCH / 'dynamics.launch.py'), arms=given))
    return str(cell)


def test_a_file_that_includes_it_may_have_arguments_of_its_own(files):
    with running(including(files, {}), 'robot_ip:=10.0.0.1', **PRINTING) as process:
        Output(process).until('(compiled in)')


def test_an_argument_that_launch_reads_itself_is_taken(files):
    arguments = [f'description:={files}/arm.urdf', 'launch-prefix:=env']
    with running(str(LAUNCH / 'dynamics.launch.py'), *arguments, **PRINTING) as process:
        Output(process).until('(compiled in)')


def parameters_of(node, *names):
    """Values of parameters of the launched node."""
    client = node.create_client(GetParameters, '/test_of_arguments/robot_dynamics/get_parameters')

    def spin():
        rclpy.spin_once(node, timeout_sec=0.1)

    wait_until(client.service_is_ready, 'the node', LIMIT, spin)
    future = client.call_async(GetParameters.Request(names=list(names)))
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
    with running(str(LAUNCH / 'dynamics.launch.py'), *arguments):
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


STARTED = r'started with pid \[(\d+)\]'
PRINTING = {'stdout': subprocess.PIPE, 'stderr': subprocess.STDOUT, 'text': True}


def test_the_launch_ends_with_an_error_if_the_node_dies(files):
    arguments = [f'description:={files}/arm.urdf']
    process = run_launch(str(LAUNCH / 'dynamics.launch.py'), *arguments, **PRINTING)
    output = Output(process)
    number = int(output.until(STARTED))
    output.until('(compiled in)')
    os.kill(number, signal.SIGKILL)
    rest, _ = process.communicate(timeout=LIMIT)
    assert process.returncode == 1
    assert 'exit code -9' in rest


def test_a_node_that_dies_is_started_again_with_respawn(files):
    arguments = [f'description:={files}/arm.urdf', 'respawn:=true']
    with running(str(LAUNCH / 'dynamics.launch.py'), *arguments, **PRINTING) as process:
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


def test_what_is_said_of_a_dead_node_is_true_of_one_that_never_commanded(files):
    """Its parameter file is wrong: no controller has a torque of it."""
    wrong = files / 'wrong.yaml'
    wrong.write_text('/**:\n  ros__parameters:\n    gravity: [0, 0, -9.81]\n')
    arguments = [f'description:={files}/arm.urdf', f'params_file:={wrong}', 'on_death:=continue']
    code, text = end_of(str(LAUNCH / 'dynamics.launch.py'), *arguments)
    assert code == 1
    (line,) = (line for line in text.splitlines() if 'hold that arm' in line)
    assert 'exit code 1.' in line


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
