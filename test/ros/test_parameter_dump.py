"""What `ros2 param dump` writes can be given to the node again."""

import pytest
import yaml
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters, SetParameters
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter, parameter_value_to_python
from three_joints import URDF

pytestmark = pytest.mark.contract

DEPTH = 'qos_overrides./arm/joint_states.subscription.depth'
GIVEN = f"""
/arm/robot_dynamics:
  ros__parameters:
    robot_description: {yaml.safe_dump(URDF, width=1000).strip()}
    autostart: false
    effort_limits: [.inf, 200.0, 20.0]
    reference_tolerance: []
    gravity: [0, 0, -10]
    fade_time: 2
    qos_overrides:
      /arm/joint_states: {{subscription: {{depth: 37}}}}
"""


def dump_of(graph, file):
    """The parameters, by name, of a node that is started with a file, once it has configured."""
    given = {'namespace': '/arm', 'unguarded': False}
    with graph(cli_args=['--ros-args', '--params-file', str(file)], **given) as (node, observer):
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


def test_a_dump_can_be_given_again_and_again(graph, tmp_path):
    file = tmp_path / 'arm.yaml'
    file.write_text(GIVEN)
    first = dump_of(graph, file)
    assert first[DEPTH] == 37
    assert list(first['reference_tolerance']) == []
    assert first['robot_description'] == URDF
    for _ in range(2):
        file.write_text(written(first))
        assert dump_of(graph, file) == first


BAD = {
    'effort_limits': 50.0,
    'gravity': '[0, 0, -9.81]',
    'fade_time': 'long',
    'terms': ['weight'],
    'autostart': 1,
}


def test_a_refused_set_leaves_type_and_value(graph):
    with graph(robot_description=URDF, effort_limits=[]) as (_, observer):

        def present():
            described = observer.call(DescribeParameters, 'describe_parameters', names=list(BAD))
            got = observer.call(GetParameters, 'get_parameters', names=list(BAD))
            return described.descriptors, got.values

        before = present()
        for name, value in BAD.items():
            message = Parameter(name, value=value).to_parameter_msg()
            (result,) = observer.call(
                SetParameters, 'set_parameters', parameters=[message]
            ).results
            assert not result.successful
            assert present() == before
