"""Parameter files: which blocks are for the node, and values that YAML reads as they are."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.parameter_yaml import (
    node_parameters,
    read_yaml,
    yaml_comment,
    yaml_value,
)

yaml = pytest.importorskip('yaml')

NAMES = ('fade_time',)


def read(names):
    """The parameters of a file with such blocks, each with its own name as a value."""
    content = {name: {'ros__parameters': {'last': name, name: 1, 'joints': []}} for name in names}
    return node_parameters(content, NAMES)


@pytest.mark.parametrize(
    'names',
    [
        ['/**'],
        ['robot_dynamics'],
        ['/**', '/left/robot_dynamics'],
        ['/left/robot_dynamics', '/**'],
        ['/*/robot_dynamics', '/left/robot_dynamics'],
        ['/**/robot_dynamics', '/**'],
        ['/left/**', '/**/robot_dynamics', '/left/*'],
    ],
)
def test_blocks_for_one_node_are_combined_and_the_last_has_precedence(names):
    assert read(names) == {'last': names[-1], 'joints': [], **dict.fromkeys(names, 1)}


@pytest.mark.parametrize(
    'names',
    [
        ['/left/robot_dynamics', '/right/robot_dynamics'],
        ['/robot_dynamics', '/left/robot_dynamics'],
        ['/**', '/left/robot_dynamics', 'right/robot_dynamics'],
        ['/left/**', '/right/robot_dynamics'],
        ['/left/*', '/right/*'],
        ['/left*/robot_dynamics', '/left/robot_dynamics'],
    ],
)
def test_blocks_for_different_nodes_are_refused_with_their_names(names):
    found = ', '.join(f'/{name.lstrip("/")}' for name in names)
    with pytest.raises(ParameterError, match=rf'several nodes \({re.escape(found)}\)'):
        read(names)


def test_a_namespace_may_be_a_key_of_its_own():
    block = {'ros__parameters': {'joints': ['a']}}
    content = {'left': {'robot_dynamics': block}, 'right': {'robot_dynamics': dict(block)}}
    with pytest.raises(ParameterError, match='/left/robot_dynamics, /right/robot_dynamics'):
        node_parameters(content, NAMES)


def test_blocks_of_other_nodes_do_not_matter_unless_they_have_parameters_of_the_node():
    other = {'ros__parameters': {'joints': ['b'], 'update_rate': 500}}
    own = {'ros__parameters': {'joints': ['a'], 'fade_time': 1.0}}
    both = {'controller_manager': other, 'my_dynamics': own}
    assert node_parameters(both, NAMES) == own['ros__parameters']
    with pytest.raises(ParameterError, match=r'\(blocks: /controller_manager\)'):
        node_parameters({'controller_manager': other}, NAMES)
    with pytest.raises(ParameterError, match=r'several nodes \(/robot_dynamics, /my_dynamics\)'):
        node_parameters({'robot_dynamics': {'ros__parameters': {}}, **both}, NAMES)


def test_a_file_is_read_as_ros_reads_it(tmp_path):
    file = tmp_path / 'a.yaml'
    file.write_text('[1e-3, 2E+1, -1e0, 1.5, 3, yes, a, 1e]')
    read = read_yaml(file)
    assert read == [0.001, 20.0, -1.0, 1.5, 3, True, 'a', '1e']
    assert type(read[1]) is float


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
