import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot_dynamics_ros.parameter_yaml import yaml_value

yaml = pytest.importorskip('yaml')

VALUES = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(codec='utf-8')),
    st.sampled_from(['y', 'on', 'off', 'null', 'true', 'hold', '~', '1e3', "it's", 'a"b\\', '\n']),
)


@given(value=st.one_of(VALUES, st.lists(VALUES, max_size=4)))
def test_yaml_reads_each_value_as_what_it_is(value):
    text = yaml_value(value)
    assert '\n' not in text
    read = yaml.safe_load(f'value: {text}')['value']
    assert read == value
    assert type(read) is type(value)
