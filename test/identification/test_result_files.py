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

from robot_dynamics_ros.core import ParameterError, parse_urdf
from robot_dynamics_ros.core.model.inertial_parameters import PARAMETERS
from robot_dynamics_ros.identification import ParameterRow
from robot_dynamics_ros.identification.result_files import result_files
from robot_dynamics_ros.joint_model import KEYS, SAFE

yaml = pytest.importorskip('yaml')

DOCUMENT = Path(__file__).resolve().parents[2] / 'docs' / 'identified_files.md'


@cache
def files_of(robot):
    identified = identified_model(robot.model)
    return identified, result_files(robot.text, robot.model, identified, {})


def values_of(identified):
    others = {'torque_offset': identified.offset, 'armature': identified.armature}
    return {**identified.kinds, **others}


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_urdf_and_json_have_all_digits_and_friction_six(robot):
    identified, files = files_of(robot)
    written = parse_urdf(files['identified.urdf'])
    model = json.loads(files['identification.json'])['model']
    bodies = [model['bodies'][joint.name] for joint in written.joints]
    assert all(body['changed'] for body in bodies)
    printed = [body['identified'][name] for body in bodies for name in PARAMETERS]
    assert written.inertial_parameters().tolist() == printed
    wanted = identified.model.inertial_parameters()
    np.testing.assert_allclose(printed, wanted, rtol=0.0, atol=1e-14 * np.abs(wanted).max())
    friction = yaml.safe_load(files['friction.yaml'])['joints']
    node = yaml.safe_load(files['dynamics_node.yaml'])['/**']['ros__parameters']
    names = list(robot.model.joint_names)
    assert list(model['joints']) == list(friction) == node['joints'] == names
    assert node['joint_model'] == 'friction.yaml'
    for key in SAFE:
        # Nothing was recorded of this model.
        assert all(joint[key] is None for joint in model['joints'].values())
        assert not any(key in joint for joint in friction.values())
    for key in set(KEYS) - set(SAFE):
        values = values_of(identified)[key].tolist()
        assert [joint[key] for joint in model['joints'].values()] == values
        rounded = [float(f'{value:.6g}') for value in values]
        assert [joint[key] for joint in friction.values()] == rounded


def test_the_urdf_has_the_mean_friction_of_both_directions():
    """No other symmetric law is nearer to both."""
    identified, files = files_of(hand_written('mimic'))
    joints = {joint.name: joint for joint in parse_urdf(files['identified.urdf']).joints}
    for index, name in enumerate(identified.model.joint_names):
        both = [identified.kinds[f'coulomb{way}'][index] for way in ('', '_negative')]
        assert joints[name].friction == pytest.approx(np.mean(both), rel=1e-15)
    for joint in joints.values():
        assert joint.mimicked is None or joint.friction == joint.damping == 0.0


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
    files = result_files(robot.text, robot.model, identified_model(robot.model), {}, rows=rows)
    # Friction without directions has one interval for both.
    assert re.findall(r'(\w+): \S+  # N(?: m)?; (.*)', files['friction.yaml']) == [
        ('coulomb', '1.5 to 2.5'),
        ('coulomb_negative', '1.5 to 2.5'),
        ('coulomb', '1.5 to 2.5'),
        ('coulomb_negative', '0.5 to 0.75'),
    ]


def test_the_file_says_up_to_which_speed_a_joint_was_recorded_and_the_least_viscous_friction():
    robot = hand_written('tree')
    names, identified = robot.model.joint_names, identified_model(robot.model)
    viscous = float(identified.kinds['viscous'][0])
    lower = np.full(len(names), np.inf)
    lower[:2] = 0.5 * viscous, -0.5
    speeds = np.full(len(names), 1.5)
    # Of a joint that stood still nothing is known.
    speeds[3] = 0.0
    files = result_files(
        robot.text, robot.model, identified, {}, speeds=speeds, viscous_lower=lower
    )
    joints = yaml.safe_load(files['friction.yaml'])['joints']
    found_lower = [joints[name].get('viscous_lower') for name in names[:4]]
    whole = float(identified.kinds['viscous'][2])
    near = [pytest.approx(one, rel=1e-5) for one in (0.5 * viscous, 0.0, whole)]
    assert found_lower == [*near, None]
    found = [joints[name].get('max_velocity') for name in names]
    assert found == [speed or None for speed in speeds.tolist()]


def test_joints_that_were_not_recorded_or_of_which_nothing_is_known_are_named():
    robot = hand_written('tree')
    kept, *locked = robot.model.joint_names
    nominal = robot.model.reduced([kept], others=0.3)
    identified = identified_model(nominal)
    report = {'rank': 3, 'noise': np.array([0.5, np.nan]), 'interval': (1.0, np.inf)}
    files = result_files(robot.text, nominal, identified, report, unknown=(kept,))
    written = parse_urdf(files['identified.urdf'])
    wanted = identified.model.inertial_parameters()
    found = written.reduced([kept], others=0.3).inertial_parameters()
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=1e-14 * np.abs(wanted).max())
    assert written.joints[1:] == robot.model.joints[1:]
    said = ' '.join(files['dynamics_node.yaml'].replace('#', ' ').split())
    assert f'not recorded: {", ".join(locked)}. ' in said
    assert f'    # locked_joints: {{{locked[0]}: 0.0}}\n' in files['dynamics_node.yaml']
    (marked,) = re.findall('.*# not identified.*', files['friction.yaml'])
    assert yaml.safe_load(marked) == {kept: None}
    result = json.loads(files['identification.json'])
    assert (result['rank'], result['noise'], result['interval']) == (3, [0.5, None], [1.0, None])


@pytest.mark.parametrize(
    ('name', 'value'),
    [('viscous', -0.1), ('coulomb_negative', -1e-9), ('armature', np.nan), ('offset', np.inf)],
)
def test_what_the_node_would_refuse_is_not_written(name, value):
    robot = hand_written('tree')
    identified = identified_model(robot.model)
    own = identified.kinds.get(name)
    values = (getattr(identified, name) if own is None else own).copy()
    values[1] = value
    kinds = {'kinds': {**identified.kinds, name: values}}
    changed = replace(identified, **({name: values} if own is None else kinds))
    joint = robot.model.joint_names[1]
    with pytest.raises(ParameterError, match=f"{name}.*'{joint}'"):
        result_files(robot.text, robot.model, changed, {})


def keys(value):
    """The keys of an object and of all below it; the first entry stands for the others."""
    if not isinstance(value, dict):
        return None
    named = {'joints', 'bodies'}
    return {
        key: keys(next(iter(entry.values())) if key in named else entry)
        for key, entry in value.items()
    }


def test_the_document_has_the_keys_of_the_json_and_each_file():
    _, files = files_of(hand_written('pendulum'))
    text = DOCUMENT.read_text()
    block = re.search(r'```json model\n(.*?)```', text, re.DOTALL)
    assert keys(json.loads(block[1])) == keys(json.loads(files['identification.json'])['model'])
    listed = re.findall(r'^\| `([\w.]+)` \| ', text.split('From Python')[0], re.M)
    assert set(listed) == {*files, 'report.html'}
