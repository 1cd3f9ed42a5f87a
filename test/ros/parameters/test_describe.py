"""What `ros2 param describe` shows, and who refuses a wrong value first."""

import re

import pytest
from rcl_interfaces.srv import DescribeParameters
from rclpy.parameter import Parameter
from three_joints import URDF

from robot_dynamics_ros.ros.parameters.declaration import descriptor
from robot_dynamics_ros.ros.parameters.node_table import TABLE as NODE_TABLE
from robot_dynamics_ros.simulation.arm_parameters import TABLE as ARM_TABLE


def test_describe_shows_unit_range_choices_and_whether_it_is_live(graph):
    names = ['fade_time', 'on_stale', 'terms', 'backend', 'effort_limits']
    with graph(robot_description=URDF) as (_, observer):
        response = observer.call(
            DescribeParameters, '/robot_dynamics/describe_parameters', names=names
        )
    fade_time, on_stale, terms, backend, effort_limits = response.descriptors
    assert 'change takes effect' in fade_time.description
    assert re.fullmatch(r'double\b.* 0 .* 60', fade_time.additional_constraints)
    assert on_stale.additional_constraints.startswith('string, one')
    assert 'twice: gravity (g(q))' in terms.additional_constraints
    assert backend.description.endswith('Read on configure.')
    assert 'limit of the URDF' in effort_limits.description
    assert re.match('double array, .* 0', effort_limits.additional_constraints)
    assert not any(each.read_only for each in response.descriptors)


@pytest.mark.parametrize('table', [NODE_TABLE, ARM_TABLE], ids=['node', 'arm'])
def test_a_descriptor_says_all_that_its_row_says(table):
    for row in table.rows.values():
        described = descriptor(row, table)
        for text in (row.description, row.details, row.unit, row.empty):
            assert text in described.description
        for text in (*row.constraints(), *row.choices, *row.choices.values()):
            assert text in described.additional_constraints
        assert ('Live' in described.description) == row.live
        assert (table.read in described.description) != row.live
        assert described.read_only == (table is ARM_TABLE)


@pytest.mark.parametrize(
    ('name', 'value', 'reason'),
    [
        ('fade_time', 61.0, 'fade_time is 61.0'),
        ('on_stale', 'wait', "on_stale is 'wait', allowed"),
    ],
)
def test_the_reason_of_a_refusal_is_ours_and_not_that_of_rclpy(graph, capfd, name, value, reason):
    """In a file it makes the node wait for a better value; rclpy would end the process."""
    with graph(**{'robot_description': URDF, name: value}) as (node, _):
        assert node.robot_holder.current is None
        (result,) = node.set_parameters([Parameter(name, value=value)])
        assert not result.successful
        assert result.reason.startswith(reason)
    assert reason in capfd.readouterr().err
