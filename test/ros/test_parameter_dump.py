"""What `ros2 param dump` writes can be given to the node again."""

import pytest

rclpy = pytest.importorskip('rclpy')

import yaml
from domains import free_domain
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters, SetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter, parameter_value_to_python
from three_joints import URDF
from waiting import wait_until

from robot_dynamics_ros.ros.node import DynamicsNode

pytestmark = pytest.mark.contract

NAME = '/arm/robot_dynamics'
LIMIT = 20.0
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


def dump_of(file):
    """The parameters, by name, of a node that is started with a file, once it has configured."""
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=free_domain())
    arguments = ['--ros-args', '--params-file', str(file), '-r', '__ns:=/arm']
    node = DynamicsNode(context=context, cli_args=arguments)
    client = rclpy.create_node('client', context=context)
    executor = SingleThreadedExecutor(context=context)
    for each in (node, client):
        executor.add_node(each)

    def call(kind, name, **fields):
        service = client.create_client(kind, f'{NAME}/{name}')
        spin = lambda: executor.spin_once(timeout_sec=0.05)  # noqa: E731
        wait_until(service.service_is_ready, name, LIMIT, spin)
        future = service.call_async(kind.Request(**fields))
        wait_until(future.done, name, LIMIT, spin)
        return future.result()

    try:
        names = sorted(call(ListParameters, 'list_parameters').result.names)
        values = call(GetParameters, 'get_parameters', names=names).values
        assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
        return dict(zip(names, map(parameter_value_to_python, values), strict=True))
    finally:
        executor.shutdown()
        client.destroy_node()
        node.destroy_node()
        rclpy.shutdown(context=context)


def written(values):
    """As `ros2 param dump` writes it: names with a dot become nested keys."""
    content = {}
    for name, value in values.items():
        *groups, last = name.split('.')
        block = content
        for group in groups:
            block = block.setdefault(group, {})
        block[last] = list(value) if hasattr(value, 'tolist') or isinstance(value, list) else value
    return yaml.dump({NAME: {'ros__parameters': content}}, default_flow_style=False)


def test_a_dump_can_be_given_again_and_again(tmp_path):
    file = tmp_path / 'arm.yaml'
    file.write_text(GIVEN)
    first = dump_of(file)
    assert first[DEPTH] == 37
    assert list(first['reference_tolerance']) == []
    assert first['robot_description'] == URDF
    for _ in range(2):
        file.write_text(written(first))
        again = dump_of(file)
        assert again == first


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
            described = observer.call(
                DescribeParameters, '/robot_dynamics/describe_parameters', names=list(BAD)
            )
            got = observer.call(GetParameters, '/robot_dynamics/get_parameters', names=list(BAD))
            return described.descriptors, got.values

        before = present()
        for name, value in BAD.items():
            message = Parameter(name, value=value).to_parameter_msg()
            (result,) = observer.call(
                SetParameters, '/robot_dynamics/set_parameters', parameters=[message]
            ).results
            assert not result.successful
            assert present() == before
