"""A parameter that is a map from names to numbers, such as locked_joints."""

import pytest
import yaml
from rcl_interfaces.srv import DescribeParameters
from rclpy.parameter import Parameter as RosParameter
from three_joints import URDF

from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.parameter_yaml import yaml_value
from robot_dynamics_ros.ros.parameters import node_parameters
from robot_dynamics_ros.ros.parameters.bounds import POSITIVE
from robot_dynamics_ros.ros.parameters.documents import parameter_file
from robot_dynamics_ros.ros.parameters.node_table import TABLE
from robot_dynamics_ros.ros.parameters.parameter import Parameter
from robot_dynamics_ros.ros.parameters.table import Group, ParameterTable

ROW = Parameter('sizes', 'double_map', {}, 'Sizes.', unit='m', bounds=POSITIVE)


def test_each_entry_is_checked_and_whole_numbers_are_taken():
    assert ROW.checked({'a': 1, 'b': 0.5}) == {'a': 1.0, 'b': 0.5}
    assert ROW.constraints() == ['each greater than 0']
    for value, reason in (
        ({'a': 0.0}, 'sizes.a is 0.0, .*0'),
        ({'a': True}, 'sizes.a is True'),
        ([0.5], r'sizes is \[0.5\]'),
    ):
        with pytest.raises(ParameterError, match=reason):
            ROW.checked(value)


def test_the_row_of_an_entry():
    table = ParameterTable((Group('', (ROW, Parameter('a', 'int', 1, 'A.'))),), read='at start')
    assert table.row_of('sizes') is table.row_of('sizes.left/x.y') is ROW
    assert table.row_of('a').name == 'a'
    assert table.row_of('a.b') is table.row_of('other.a') is None


def test_an_empty_map_is_a_comment_in_a_file():
    """The parser of ROS refuses `sizes: {}`."""
    text = parameter_file(ParameterTable((Group('', (ROW,)),), read='at start'), 'head')
    assert yaml.safe_load(text)['/**']['ros__parameters'] is None
    assert '# sizes: {some_joint: 0.02}' in text
    assert yaml_value({'a': 0.5}) == '{a: 0.5}'


def test_the_entries_that_a_node_is_given_are_declared_and_described(graph):
    name = 'locked_joints.wrist'
    arm = {'robot_description': URDF, 'joints': ['turn', 'slide']}
    with graph(**arm, **{name: 1}) as (node, observer):
        assert node_parameters.read(node)['locked_joints'] == {'wrist': 1.0}
        described = observer.call(
            DescribeParameters, '/robot_dynamics/describe_parameters', names=[name]
        ).descriptors[0]
        assert TABLE.rows['locked_joints'].description in described.description
        assert 'Read on configure' in described.description
        (result,) = node.set_parameters([RosParameter(name, value=0.5)])
        assert 'read on configure' in result.reason
        node.trigger_deactivate()
        node.trigger_cleanup()
        (result,) = node.set_parameters([RosParameter(name, value='open')])
        assert "locked_joints.wrist is 'open', a number" in result.reason
        assert node.set_parameters([RosParameter(name, value=0.5)])[0].successful
        assert node_parameters.read(node)['locked_joints'] == {'wrist': 0.5}
