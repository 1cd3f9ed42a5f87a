"""A row accepts what its type, bounds and choices allow, and names what it refuses."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.ros.parameters.bounds import FINITE, NOT_NEGATIVE, POSITIVE, Bounds
from robot_dynamics_ros.ros.parameters.node_table import TABLE as NODE_TABLE
from robot_dynamics_ros.ros.parameters.parameter import Parameter
from robot_dynamics_ros.simulation.arm_parameters import TABLE as ARM_TABLE

ROWS = [
    pytest.param(row, id=f'{node}-{row.name}')
    for node, table in (('node', NODE_TABLE), ('arm', ARM_TABLE))
    for row in table.rows.values()
]
# One of each type, none of which a parameter of another type may take.
SAMPLES = {
    'bool': True,
    'int': 3,
    'double': 0.5,
    'string': 'text',
    'double_array': [0.5],
    'string_array': ['text'],
}
# In ROS, 3 means 3.0 where a double is needed.
ALSO = {('double', 'int')}


def row(type, **attributes):
    return Parameter('size', type, None, 'Size.', **attributes)


@pytest.mark.parametrize('type', SAMPLES)
@pytest.mark.parametrize('given_type', SAMPLES)
def test_a_value_of_another_type_is_refused(type, given_type):
    value = SAMPLES[given_type]
    if given_type == type or (type, given_type) in ALSO:
        assert row(type).checked(value) == value
        return
    with pytest.raises(ParameterError) as caught:
        row(type).checked(value)
    assert str(caught.value).startswith('size')
    assert ' is needed' in str(caught.value)


@pytest.mark.parametrize(
    ('type', 'value', 'said'),
    [
        ('double', 'long', "size is 'long', a number"),
        ('double', None, 'size is None'),
        ('int', 0.5, 'size is 0.5, an integer'),
        ('int', True, 'size is True'),
        ('bool', 1, 'size is 1, a bool'),
        ('double_array', 5.0, 'size is 5.0, a list'),
        ('string_array', 'turn', "size is 'turn', a list"),
        ('double_array', '[0, 0, -9.81]', "size is '[0, 0, -9.81]', a list"),
        ('double_array', '[12, 7]', "size is '[12, 7]', a list"),
        ('double_array', '[a, 7]', "size is '[a, 7]', a list"),
        ('double_array', True, 'size is True'),
        ('double_array', 'turn', "size is 'turn', a list"),
        ('double_array', [1.0, True], 'size[1] is True'),
        ('double_array', [b'\x00'], "size[0] is b'\\x00', a number"),
        ('string_array', ['turn', 5], 'size[1] is 5, a string'),
    ],
)
def test_a_wrong_type_is_said_with_the_value_and_what_is_needed(type, value, said):
    with pytest.raises(ParameterError) as caught:
        row(type).checked(value)
    assert said in str(caught.value)


def test_an_integer_counts_as_a_double():
    for value in (row('double').checked(3), *row('double_array').checked([3, 0])):
        assert type(value) is float


@pytest.mark.parametrize('value', [None, [], (), [''], ['', '']])
def test_an_empty_list_comes_in_several_ways(value):
    """From a file, from rclpy, and as the one empty name that gives a list its type."""
    assert row('string_array', unique=True).checked(value) == []


BOUNDS = (
    FINITE,
    POSITIVE,
    NOT_NEGATIVE,
    Bounds(0.0, 60.0),
    Bounds(0.0, 1.0, lower_open=True),
    Bounds(-2.0, 3.0),
)


@given(
    bounds=st.sampled_from(BOUNDS),
    value=st.one_of(st.floats(allow_nan=True), st.sampled_from([-2.0, 0.0, 1.0, 3.0, 60.0, 60.1])),
)
def test_bounds_allow_the_finite_numbers_of_their_interval(bounds, value):
    inside = bounds.lower <= value <= bounds.upper and math.isfinite(value)
    inside = inside and not (bounds.lower_open and value == bounds.lower)
    for parameter, candidate, name in (
        (row('double', bounds=bounds, unit='m'), value, 'size'),
        (row('double_array', bounds=bounds, unit='m'), [1.0, value], 'size[1]'),
    ):
        if inside:
            assert parameter.checked(candidate) == candidate
            continue
        with pytest.raises(ParameterError) as caught:
            parameter.checked(candidate)
        assert str(caught.value).startswith(f'{name} is {value}, ')
        assert str(bounds) in str(caught.value)
        assert str(caught.value).endswith(' [m]')


def test_choices_of_a_string_and_of_a_list():
    choices = {'hold': 'stays', 'zero': 'none'}
    one, some = row('string', choices=choices), row('string_array', choices=choices)
    assert one.checked('zero') == 'zero'
    assert some.checked(['zero', 'hold']) == ['zero', 'hold']
    for parameter, value, said in (
        (one, 'stop', "size is 'stop', allowed are hold, zero"),
        (one, '', "size is '', allowed are hold, zero"),
        (some, ['hold', 'stop'], "size[1] is 'stop', allowed are hold, zero"),
        (some, ['hold', 'hold'], "size: 'hold'"),
    ):
        with pytest.raises(ParameterError) as caught:
            parameter.checked(value)
        assert said in str(caught.value)


def test_a_fixed_size():
    assert row('double_array', size=3).checked([1.0, 2.0, 3.0]) == [1.0, 2.0, 3.0]
    for value in ([], [1.0], [1.0] * 4):
        with pytest.raises(ParameterError, match=f'size .*{len(value)} .* 3 '):
            row('double_array', size=3).checked(value)


@pytest.mark.parametrize('parameter', ROWS)
def test_the_default_is_allowed_and_of_its_type(parameter):
    checked, default = parameter.checked(parameter.default), parameter.default
    assert checked == ([] if default == [''] else default)
    assert type(checked) is type(default)
    # What was read may be checked once more.
    assert parameter.checked(checked) == checked
