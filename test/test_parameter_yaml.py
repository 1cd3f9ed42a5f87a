import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot_dynamics_ros.parameter_yaml import yaml_comment, yaml_value

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


@given(sentences=st.lists(st.text(), max_size=3))
def test_yaml_reads_what_is_below_a_comment_alone(sentences):
    text = yaml_comment('Why not:', sentences)
    assert yaml.safe_load(f'{text}value: 1') == {'value': 1}
    assert all(line.startswith('#') and len(line) < 100 for line in text.splitlines())
    assert bool(text) == any(''.join(filter(str.isprintable, each)).split() for each in sentences)
