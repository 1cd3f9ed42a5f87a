"""All files of an identified robot say the same, each as exactly as it is known."""

import json
import math
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from identified import identified_model
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import ParameterError, RobotDynamics, parse_urdf
from robot_dynamics_ros.identification import ParameterRow
from robot_dynamics_ros.identification.result_files import result_files
from robot_dynamics_ros.joint_model import KEYS, SAFE

yaml = pytest.importorskip('yaml')

DOCUMENT = Path(__file__).resolve().parents[2] / 'docs' / 'identified_files.md'


@cache
def files_of(robot):
    identified = identified_model(robot.model)
    return identified, result_files(robot.text, robot.model, identified, {})


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_the_urdf_has_all_digits_and_friction_six(robot):
    identified, files = files_of(robot)
    written, wanted = parse_urdf(files['identified.urdf']), identified.model.inertial_parameters()
    found = written.inertial_parameters()
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=1e-14 * np.abs(wanted).max())
    friction = yaml.safe_load(files['friction.yaml'])['joints']
    node = yaml.safe_load(files['dynamics_node.yaml'])['/**']['ros__parameters']
    assert list(friction) == node['joints'] == list(robot.model.joint_names)
    assert node['joint_model'] == 'friction.yaml'
    # Nothing was recorded of this model.
    assert files['friction.yaml'].count('# not identified') == robot.model.size
    for key in KEYS:
        rounded = [float(f'{value:.6g}') for value in identified.values[key]]
        expected = [None] * robot.model.size if key in SAFE else rounded
        assert [joint.get(key) for joint in friction.values()] == expected
    # A URDF has the mean of both directions: no other symmetric law is nearer to both.
    for joint in written.independent_joints:
        index = robot.model.index_of(joint.name)
        both = [identified.values[f'coulomb{way}'][index] for way in ('', '_negative')]
        assert joint.friction == pytest.approx(np.mean(both), rel=1e-15)
    assert not any(one.friction or one.damping for one in written.joints if one.mimicked)


def test_each_value_has_its_interval_where_the_data_tell_it():
    robot = hand_written('tree')
    names = robot.model.joint_names
    rows = [
        ParameterRow(f'{names[joint]} {term}', 'N m', 0.0, 2.0, *interval)
        for joint, term, *interval in (
            (0, 'coulomb', 1.5, 2.5),
            (0, 'offset', math.nan, math.nan),
            (1, 'coulomb', 1.5, 2.5),
            (1, 'coulomb_negative', 0.5, 0.75),
        )
    ]
    assert ['1.5 to 2.5' in str(row) for row in rows[:2]] == [True, False]
    identified = identified_model(robot.model)
    # A constant of a term that no joint has is not written.
    identified.values['gradual'] = np.zeros(len(names))
    # Of the first joint something is known: how fast it was.
    identified.values['max_velocity'] = np.array([1.5, *[np.nan] * (len(names) - 1)])
    files = result_files(robot.text, robot.model, identified, {}, rows=rows)
    assert yaml.safe_load(files['friction.yaml'])['joints'][names[0]]['max_velocity'] == 1.5
    assert files['friction.yaml'].count('# not identified') == len(names) - 1
    assert 'gradual' not in files['friction.yaml']
    # Friction without directions has one interval for both.
    assert re.findall(r'(\w+): \S+  # N(?: m)?; (.*)', files['friction.yaml']) == [
        ('coulomb', '1.5 to 2.5'),
        ('coulomb_negative', '1.5 to 2.5'),
        ('coulomb', '1.5 to 2.5'),
        ('coulomb_negative', '0.5 to 0.75'),
    ]


def test_joints_that_were_not_recorded_are_named():
    robot = hand_written('tree')
    kept, *locked = robot.model.joint_names
    nominal = robot.model.reduced([kept], others=0.3)
    identified = identified_model(nominal)
    report = {'rank': 3, 'noise': np.array([0.5, np.nan]), 'interval': (1.0, np.inf)}
    files = result_files(robot.text, nominal, identified, report)
    written = parse_urdf(files['identified.urdf'])
    wanted = identified.model.inertial_parameters()
    found = written.reduced([kept], others=0.3).inertial_parameters()
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=1e-14 * np.abs(wanted).max())
    assert written.joints[1:] == robot.model.joints[1:]
    said = ' '.join(files['dynamics_node.yaml'].replace('#', ' ').split())
    assert f'not recorded: {", ".join(locked)}. ' in said
    assert f'    # locked_joints: {{{locked[0]}: 0.0}}\n' in files['dynamics_node.yaml']
    result = json.loads(files['identification.json'])
    assert result == {'rank': 3, 'noise': [0.5, None], 'interval': [1.0, None]}


@pytest.mark.parametrize(
    ('name', 'value'),
    [
        ('viscous', -0.1),
        ('coulomb_negative', -1e-9),
        ('armature', np.nan),
        ('torque_offset', np.inf),
    ],
)
def test_what_the_node_would_refuse_is_not_written(name, value):
    robot = hand_written('tree')
    identified = identified_model(robot.model)
    changed = identified.values[name].copy()
    changed[1] = value
    identified = replace(identified, values={**identified.values, name: changed})
    joint = robot.model.joint_names[1]
    with pytest.raises(ParameterError, match=f"{name}.*'{joint}'"):
        result_files(robot.text, robot.model, identified, {})


def test_the_document_has_each_file():
    listed = re.findall(r'^\| `([\w.]+)` \| ', DOCUMENT.read_text().split('From Python')[0], re.M)
    assert set(listed) == {*files_of(hand_written('pendulum'))[1], 'report.html'}


@pytest.mark.contract
@pytest.mark.parametrize('name', ['mimic', 'gantry', 'fixed_links'])
def test_the_torque_of_the_model_is_the_sum_of_its_terms(name):
    """Bodies by the regressor of the description, which does not know the identified model."""
    described = hand_written(name).model
    identified = identified_model(described)
    q, v, a = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 20, described.size))
    Y = RobotDynamics(described, backend='python').regressor(q, v, a)
    rigid = Y @ identified.model.inertial_parameters()
    values = identified.values
    viscous = np.where(v < 0.0, values['viscous_negative'], values['viscous'])
    coulomb = np.where(v < 0.0, values['coulomb_negative'], values['coulomb'])
    falling = 1.0 + (v / values['stribeck_velocity']) ** 2
    dry = coulomb + values['load'] * np.abs(rigid)
    friction = viscous * v + dry * v / np.sqrt(v**2 + values['smoothing'] ** 2)
    # A contact that has slipped for long.
    slipped = values['stribeck'] / falling + values['presliding'] + values['presliding_long']
    friction += slipped * v / np.sqrt(v**2 + 0.01**2)
    friction += values['gradual'] * v / np.sqrt(v**2 + values['gradual_smoothing'] ** 2)
    expected = rigid + values['armature'] * a + friction + values['torque_offset']
    found = identified.inverse_dynamics(q, v, a)
    assert found == pytest.approx(expected, rel=1e-11, abs=1e-11)
    assert identified.inverse_dynamics(q[0], v[0], a[0]) == pytest.approx(expected[0], rel=1e-11)
