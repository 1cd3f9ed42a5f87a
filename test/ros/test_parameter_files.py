"""A parameter file that says nothing to the node must not leave it on defaults."""

from pathlib import Path

import pytest
import rclpy
from domains import free_domain
from three_joints import URDF

from robot_dynamics_ros.parameter_yaml import ParameterFiles

NAMESPACES = ('/', '/arm', '/arm/cell')
# Keys above the values, from the outside in, and the namespaces in which rcl finds the block.
BLOCKS = {
    ('/**',): NAMESPACES,
    ('/*',): ('/',),
    ('/**/robot_dynamics',): NAMESPACES,
    ('/*/robot_dynamics',): ('/arm',),
    ('robot_dynamics',): ('/',),
    ('arm/robot_dynamics',): ('/arm',),
    ('/arm/**',): ('/arm', '/arm/cell'),
    ('/*/*',): ('/arm',),
    ('/arm/cell', 'robot_dynamics'): ('/arm/cell',),
    ('/**', 'robot_dynamics'): NAMESPACES,
    ('robot_dynamic',): (),
}


def block(keys, *values):
    """A block of a parameter file with these lines of values."""
    lines = [f'{"  " * depth}{key}:' for depth, key in enumerate((*keys, 'ros__parameters'))]
    return '\n'.join([*lines, *(f'{"  " * len(lines)}{value}' for value in values)]) + '\n'


def arguments(*files):
    return ['--ros-args', *(each for file in files for each in ('--params-file', str(file)))]


@pytest.mark.parametrize('keys', BLOCKS, ids=': '.join)
def test_a_block_is_for_the_nodes_for_which_rcl_takes_it(tmp_path, keys):
    file = tmp_path / 'arm.yaml'
    file.write_text(block(keys, 'fade_time: 2.5'))
    context = rclpy.Context()
    rclpy.init(context=context, args=arguments(file), domain_id=free_domain())
    try:
        for namespace in NAMESPACES:
            node = rclpy.create_node('robot_dynamics', context=context, namespace=namespace)
            taken = bool(node.declare_parameter('fade_time', 0.0).value)
            name = node.get_fully_qualified_name()
            node.destroy_node()
            assert taken == (namespace in BLOCKS[keys])
            said = ParameterFiles(arguments(file), name).refusal
            assert taken != all(word in said for word in (str(file), name, '/'.join(keys)))
    finally:
        rclpy.shutdown(context=context)


def test_the_arguments_of_ros_count_alone():
    given = ['--params-file', 'no', '--ros-args', '--params-file', 'a', '--', '--params-file']
    assert 'file a has' in ParameterFiles([*given, 'no'], '/robot_dynamics').refusal
    assert not ParameterFiles(given[:2], '/robot_dynamics').refusal


def test_a_relative_path_is_for_the_folder_of_the_last_file_that_gives_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, value in (('left', 'a'), ('right', 'b'), ('more', 'a')):
        (tmp_path / name).mkdir()
        (tmp_path / name / 'arm.yaml').write_text(block(['/**'], f'joint_model: {value}'))
    given = arguments('left/arm.yaml', 'right/arm.yaml', 'more/arm.yaml')
    files = ParameterFiles(given, '/robot_dynamics')
    assert files.path('joint_model', 'a') == tmp_path / 'more/a'
    assert files.path('joint_model', 'b') == tmp_path / 'right/b'
    assert files.path('joint_model', 'c') == tmp_path / 'c'
    assert files.path('joint_model', '/c') == Path('/c')


@pytest.mark.parametrize('text', ['', block(['other_node'], 'fade_time: 2.0')])
def test_a_node_without_a_block_in_its_file_does_not_configure(graph, tmp_path, text):
    """Neither by itself nor when it is asked to."""
    file = tmp_path / 'arm.yaml'
    file.write_text(text)
    with graph(robot_description=URDF, cli_args=arguments(file)) as (node, observer):
        node.trigger_configure()
        assert node.robot_holder.current is None
        assert str(file) in observer.shows('refused').message
