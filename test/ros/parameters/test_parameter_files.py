"""A parameter file that says nothing to the node must not leave it on defaults."""

import os
import subprocess
import sys

import pytest

rclpy = pytest.importorskip('rclpy')

from domains import free_domain
from rclpy.parameter import Parameter
from three_joints import URDF

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.ros.node import DynamicsNode
from robot_dynamics_ros.ros.parameters import parameter_files

LIMIT = 60.0
NAMESPACES = ('/', '/arm', '/arm/cell')
# Keys above the values, from the outside in, and the namespaces in which rcl finds the block.
BLOCKS = {
    ('/**',): NAMESPACES,
    ('/*',): ('/',),
    ('/**/robot_dynamics',): NAMESPACES,
    ('/*/robot_dynamics',): ('/arm',),
    ('robot_dynamics',): ('/',),
    ('/robot_dynamics',): ('/',),
    ('arm/robot_dynamics',): ('/arm',),
    ('/arm/**',): ('/arm', '/arm/cell'),
    ('/*/*',): ('/arm',),
    ('arm', 'robot_dynamics'): ('/arm',),
    ('/arm/cell', 'robot_dynamics'): ('/arm/cell',),
    ('/**', 'robot_dynamics'): NAMESPACES,
    ('robot_dynamic',): (),
    ('/robot_dynamics/robot_dynamics',): (),
}


def block(keys, *values):
    """A block of a parameter file with these lines of values."""
    lines = [f'{"  " * depth}{key}:' for depth, key in enumerate((*keys, 'ros__parameters'))]
    return '\n'.join([*lines, *(f'{"  " * len(lines)}{value}' for value in values)]) + '\n'


@pytest.mark.parametrize('keys', BLOCKS, ids=': '.join)
@pytest.mark.parametrize('namespace', NAMESPACES)
def test_a_block_is_for_the_nodes_for_which_rcl_takes_it(tmp_path, keys, namespace):
    file = tmp_path / 'arm.yaml'
    file.write_text(block(keys, 'fade_time: 2.5'))
    context = rclpy.Context()
    rclpy.init(
        context=context, args=['--ros-args', '--params-file', str(file)], domain_id=free_domain()
    )
    try:
        node = rclpy.create_node('robot_dynamics', context=context, namespace=namespace)
        taken = bool(node.declare_parameter('fade_time', 0.0).value)
        name = node.get_fully_qualified_name()
        node.destroy_node()
    finally:
        rclpy.shutdown(context=context)
    assert taken == (namespace in BLOCKS[keys])
    if taken:
        parameter_files.check(str(file), name)
        return
    with pytest.raises(ParameterError, match=f'{name}, it has /'):
        parameter_files.check(str(file), name)


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('', '.*block /robot_dynamics or /\\*\\*'),
        ('# nothing\n', 'is empty'),
        ('/**:\n', 'block /\\*\\* needs ros__parameters'),
        ('/**:\n  ros__parameters:\n', r'block /\*\* needs ros__parameters with'),
        ('/**:\n  fade_time: 1.0\n', r'block /\*\* needs ros__parameters with'),
        ('fade_time: 1.0\n', 'block /fade_time needs ros__parameters with'),
        ('- 1\n', '.*blocks of nodes'),
        ('a: [1\n', 'is not YAML: .* line 2'),
        ('a: \x00\n', 'is not YAML'),
    ],
)
def test_a_file_without_a_block_is_named_with_the_reason(tmp_path, text, reason):
    file = tmp_path / 'arm.yaml'
    file.write_text(text)
    with pytest.raises(ParameterError, match=f'^parameter file {file}:? {reason}'):
        parameter_files.check(str(file), '/robot_dynamics')


def test_a_file_that_does_not_exist(tmp_path):
    with pytest.raises(ParameterError, match='file or directory'):
        parameter_files.check(str(tmp_path / 'arm.yaml'), '/robot_dynamics')


def test_the_files_of_a_command_line():
    arguments = [
        'node',
        '--params-file',
        'no',
        '--ros-args',
        '--params-file',
        'a',
        '-r',
        '__ns:=/b',
    ]
    arguments += ['--params-file', 'b', '--', '--params-file', 'no', '--ros-args', '--params-file']
    assert parameter_files.given(arguments) == ['a', 'b', '']


@pytest.mark.parametrize('text', ['', block(['other_node'], 'fade_time: 2.0')])
def test_a_node_without_a_block_in_its_file_does_not_configure(tmp_path, text, capfd):
    file = tmp_path / 'arm.yaml'
    file.write_text(text)
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=free_domain())
    arguments = ['--ros-args', '--params-file', str(file)]
    description = [Parameter('robot_description', value=URDF)]
    node = DynamicsNode(context=context, cli_args=arguments, parameter_overrides=description)
    try:
        node.start()
        assert node.robot_holder.current is None
        assert f'parameter file {file}' in node.robot_holder.refusal
        assert 'start the node' in node.robot_holder.refusal
        # Neither when it is asked to.
        node.trigger_configure()
        assert node.robot_holder.current is None
    finally:
        node.destroy_node()
        rclpy.shutdown(context=context)
    error = capfd.readouterr().err
    assert 'not started' not in error
    assert 'start the node' in error
    assert f'parameter file {file}' in error


@pytest.mark.parametrize(
    ('values', 'reason'),
    [
        (['gravity: [0, 0, -9.81]'], 'decimal point, [0.0, 0.0, -9.81]'),
        (['joints: [a, 2]'], "joints is ['a', 2], the entries"),
    ],
)
def test_what_rcl_refuses_in_a_file_is_said_with_the_remedy(tmp_path, values, reason):
    file = tmp_path / 'arm.yaml'
    file.write_text(block(['/**'], *values))
    code, said = run('--params-file', str(file))
    assert code == 1
    assert str(file) in said
    assert reason in said


def test_what_rcl_refuses_on_the_command_line_is_said_with_the_remedy():
    code, said = run('-p', 'effort_limits:=[12, 7.5]')
    assert code == 1
    assert 'effort_limits is [12, 7.5], the numbers' in said
    assert 'decimal point, [12.0, 7.5]' in said


def run(*arguments):
    """Exit code and output of a node that ends by itself."""
    command = [sys.executable, '-m', 'robot_dynamics_ros.ros.node', '--ros-args', *arguments]
    environment = {**os.environ, 'ROS_DOMAIN_ID': str(free_domain())}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert 'Traceback' not in done.stderr
    return done.returncode, done.stderr
