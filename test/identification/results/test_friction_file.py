"""friction.yaml: intervals behind the values, and springs, which the node does not have."""

import math

import pytest
from identified import identified_model
from mechanics.robots import hand_written

from robot_dynamics_ros.identification.identification import ParameterRow
from robot_dynamics_ros.identification.results.friction_file import friction_file
from robot_dynamics_ros.identification.results.result_files import result_files

yaml = pytest.importorskip('yaml')


def row(name, low=1.5, high=2.5):
    return ParameterRow(name, 'N m', 0.0, 2.0, low, high)


@pytest.fixture(scope='module')
def robot():
    return hand_written('tree')


def lines_of(text, joint):
    """The lines of one joint."""
    lines = text.splitlines()
    first = lines.index(f'  {joint}:') + 1
    count = next((n for n, line in enumerate(lines[first:]) if line[:4] != '    '), None)
    return lines[first:][:count]


def test_each_value_has_its_interval_where_the_data_tell_it(robot):
    joint, other, *_ = robot.model.joint_names
    rows = [row(f'{joint} coulomb'), row(f'{joint} offset', math.nan, math.nan)]
    text = friction_file(identified_model(robot.model), rows)
    said = {line.split(':')[0].strip(): line for line in lines_of(text, joint)}
    # Friction without directions has one interval for both.
    assert said['coulomb'].endswith('  # N m; 1.5 to 2.5')
    assert said['coulomb_negative'].endswith('  # N m; 1.5 to 2.5')
    assert said['torque_offset'].endswith('  # N m')
    assert not any(' to ' in line for line in lines_of(text, other))
    assert yaml.safe_load(text) == yaml.safe_load(friction_file(identified_model(robot.model)))


def test_each_direction_has_its_own_interval(robot):
    joint = robot.model.joint_names[0]
    rows = [row(f'{joint} coulomb'), row(f'{joint} coulomb_negative', 0.5, 0.75)]
    text = friction_file(identified_model(robot.model), rows)
    assert any(line.endswith('; 0.5 to 0.75') for line in lines_of(text, joint))


def test_springs_are_said_to_be_missing_in_the_node(robot):
    joint = robot.model.joint_names[0]
    identified = identified_model(robot.model)
    files = result_files(robot.text, robot.model, identified, {}, rows=[row(f'{joint} stiffness')])
    assert '    # stiffness 2 N m; 1.5 to 2.5' in lines_of(files['friction.yaml'], joint)
    for name in ('friction.yaml', 'dynamics_node.yaml'):
        assert 'dynamics_node has none' in ' '.join(files[name].replace('#', ' ').split())
    without = result_files(robot.text, robot.model, identified, {})
    assert not any('pring' in without[name] for name in ('friction.yaml', 'dynamics_node.yaml'))
