"""A row accepts what its type, bounds and choices allow, and names what it refuses."""

import math

import pytest

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.ros.parameter import Parameter, Table
from robot_dynamics_ros.ros.parameter_table import TABLE as NODE_TABLE
from robot_dynamics_ros.simulation.arm_parameters import TABLE as ARM_TABLE

SAMPLES = {
    'bool': True,
    'double': 0.5,
    'string': 'text',
    'double_array': [0.5],
    'string_array': ['text'],
    'double_map': {'finger': 0.5},
}


def row(type, **attributes):
    return Parameter('size', type, None, 'Size.', **attributes)


@pytest.mark.parametrize('type', SAMPLES)
@pytest.mark.parametrize('given', SAMPLES)
def test_a_value_of_another_type_is_refused(type, given):
    if given == type:
        assert row(type).checked(SAMPLES[given]) == SAMPLES[given]
        return
    with pytest.raises(ParameterError, match=r'^size.* needed'):
        row(type).checked(SAMPLES[given])


@pytest.mark.parametrize(
    ('type', 'value', 'said'),
    [
        ('double', True, 'size is True'),
        ('double_array', '[0, 0, -9.81]', '[0.0, 0.0, -9.81]'),
        ('double_array', 5.0, 'size is 5.0, a list'),
        ('double_array', [1.0, True], 'size[1] is True'),
        ('double_map', {'finger': 'open'}, "size.finger is 'open'"),
        ('string_array', ['a', 'a'], "'a' is named twice"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_needed(type, value, said):
    with pytest.raises(ParameterError) as caught:
        row(type).checked(value)
    assert said in str(caught.value)


def test_an_integer_counts_as_a_number_and_an_empty_list_comes_in_several_ways():
    assert type(row('double').checked(3)) is float
    for value in (None, [], (), [''], ['', '']):
        assert row('string_array').checked(value) == []


@pytest.mark.parametrize(
    ('limits', 'inside', 'outside'),
    [
        ({}, (-1e300, 0.0), (math.inf, -math.inf)),
        ({'above': 0.0}, (1e-300, 7.0), (0.0, -1.0, math.inf)),
        ({'least': 0.0, 'most': 60.0}, (0.0, 60.0), (-1e-9, 60.1, math.inf)),
        ({'least': 0.0, 'infinite': True}, (0.0, math.inf), (-1.0, -math.inf)),
    ],
)
def test_limits(limits, inside, outside):
    for value in inside:
        assert row('double', **limits).checked(value) == value
    for value in (*outside, math.nan):
        with pytest.raises(ParameterError, match=rf'^size\[1\] is {value}.*\[m\]'):
            row('double_array', unit='m', **limits).checked([1.0, value])


def test_choices_and_sizes():
    choices = {'hold': 'stays', 'zero': 'none'}
    for type, value in (('string', 'stop'), ('string', ''), ('string_array', ['hold', 'stop'])):
        with pytest.raises(ParameterError, match='allowed are hold, zero'):
            row(type, choices=choices).checked(value)
    assert row('string_array', choices=choices).checked(['zero', 'hold']) == ['zero', 'hold']
    with pytest.raises(ParameterError, match=r'size has 2 values, 3 '):
        row('double_array', size=3).checked([1.0, 2.0])


def test_the_row_of_an_entry_of_a_map():
    sizes = row('double_map')
    table = Table({'': (sizes, Parameter('a', 'bool', True, 'A.'))}, read='at the start')
    assert table.row_of('size') is table.row_of('size.left/x.y') is sizes
    assert table.row_of('a.b') is table.row_of('other.a') is None


@pytest.mark.parametrize('table', [NODE_TABLE, ARM_TABLE], ids=['node', 'arm'])
def test_each_default_is_allowed_and_no_name_is_there_twice(table):
    rows = [row for rows in table.groups.values() for row in rows]
    assert len(rows) == len(table.rows)
    for row in rows:
        assert row.checked(row.default) == ([] if row.default == [''] else row.default)
