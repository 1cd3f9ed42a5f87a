"""Parameter files: which the node takes, refuses, and what `ros2 param dump` writes."""

from pathlib import Path

import pytest
import rclpy
import yaml
from domains import free_domain
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import parameter_value_to_python
from three_joints import URDF

from robot_dynamics_ros.ros.parameters import ParameterFiles

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


def test_a_block_is_for_the_nodes_for_which_rcl_takes_it(tmp_path):
    file, context = tmp_path / 'arm.yaml', rclpy.Context()
    rclpy.init(context=context, domain_id=free_domain())
    options = {'context': context, 'cli_args': arguments(file)}
    try:
        for keys, namespaces in BLOCKS.items():
            file.write_text(block(keys, 'fade_time: 2.5'))
            for namespace in NAMESPACES:
                node = rclpy.create_node('robot_dynamics', namespace=namespace, **options)
                taken = bool(node.declare_parameter('fade_time', 0.0).value)
                name = node.get_fully_qualified_name()
                node.destroy_node()
                assert taken == (namespace in namespaces), keys
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


def test_a_node_without_a_block_in_its_file_does_not_configure(graph, tmp_path):
    """Neither by itself nor when it is asked to."""
    file = tmp_path / 'arm.yaml'
    file.write_text(block(['other_node'], 'fade_time: 2.0'))
    with graph(robot_description=URDF, cli_args=arguments(file)) as (node, observer):
        node.trigger_configure()
        assert str(file) in observer.shows('refused').message


DEPTH = 'qos_overrides./arm/joint_states.subscription.depth'
GIVEN = f"""
/arm/robot_dynamics:
  ros__parameters:
    robot_description: {yaml.safe_dump(URDF, width=1000).strip()}
    autostart: false
    effort_limits: [.inf, 200.0, 20.0]
    gravity: [0, 0, -10]
    fade_time: 2
    qos_overrides:
      /arm/joint_states: {{subscription: {{depth: 37}}}}
"""


def dump_of(graph, file):
    """The parameters, by name, of a node that is started with a file, once it has configured."""
    given = {'namespace': '/arm', 'unguarded': False}
    with graph(cli_args=arguments(file), **given) as (node, observer):
        names = sorted(observer.call(ListParameters, 'list_parameters').result.names)
        values = observer.call(GetParameters, 'get_parameters', names=names).values
        assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    return dict(zip(names, map(parameter_value_to_python, values), strict=True))


def written(values):
    """As `ros2 param dump` writes it: names with a dot become nested keys."""
    content = {}
    for name, value in values.items():
        *groups, last = name.split('.')
        block = content
        for group in groups:
            block = block.setdefault(group, {})
        block[last] = list(value) if hasattr(value, 'tolist') or isinstance(value, list) else value
    dumped = {'/arm/robot_dynamics': {'ros__parameters': content}}
    return yaml.dump(dumped, default_flow_style=False)


@pytest.mark.contract
def test_a_dump_can_be_given_again(graph, tmp_path):
    file = tmp_path / 'arm.yaml'
    file.write_text(GIVEN)
    first = dump_of(graph, file)
    assert first[DEPTH] == 37
    assert list(first['push_threshold']) == []
    assert first['robot_description'] == URDF
    file.write_text(written(first))
    assert dump_of(graph, file) == first


@pytest.mark.contract
def test_a_refused_set_leaves_type_and_value(lent):
    bad = {'effort_limits': 50.0, 'gravity': '[0, 0, -9.81]', 'fade_time': 'long', 'autostart': 1}

    def present():
        described = lent.call(DescribeParameters, 'describe_parameters', names=list(bad))
        return described, lent.call(GetParameters, 'get_parameters', names=list(bad))

    before = present()
    for name, value in bad.items():
        assert lent.refused(**{name: value})
        assert present() == before
