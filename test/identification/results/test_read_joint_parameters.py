"""What identify writes of joints is read again: the torque is that of the identified model."""

import re

import numpy as np
import pytest
from identified import identified_model
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.comparison.evidence.model_torques import ModelTorques
from robot_dynamics_ros.comparison.joint_parameters import JointParameters
from robot_dynamics_ros.core import ParameterError, parse_urdf
from robot_dynamics_ros.identification.results.read_joint_parameters import read_joint_parameters
from robot_dynamics_ros.identification.results.result_files import result_files

pytest.importorskip('yaml')

FILES = ('friction.yaml', 'dynamics_node.yaml')
NODE = '/**: {{ros__parameters: {{joints: [a, b], {}}}}}'


class States:
    def __init__(self, size, seed=3):
        random = np.random.default_rng(seed)
        names = ('positions', 'velocities', 'accelerations')
        for name, values in zip(names, random.uniform(-1.0, 1.0, (3, 20, size)), strict=True):
            setattr(self, name, values)


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_description_and_parameters_have_the_torque_of_the_identified_model(robot, tmp_path):
    """Rotors, offsets and both directions of friction, which a URDF does not have."""
    identified = identified_model(robot.model)
    files = result_files(robot.text, robot.model, identified, {})
    read = []
    for name in FILES:
        (tmp_path / name).write_text(files[name])
        read.append(read_joint_parameters(tmp_path / name))
    assert read[0] == read[1]
    written = parse_urdf(files['identified.urdf'])
    states = States(robot.model.size)
    terms = ModelTorques.of_joints(written, written.joint_names, read[0]).terms(states)
    wanted = identified.inverse_dynamics(states.positions, states.velocities, states.accelerations)
    error = 1e-12 * np.abs(wanted).max()
    np.testing.assert_allclose(terms.sum(axis=0), wanted, rtol=0.0, atol=error)


def test_values_of_joints_that_were_not_recorded_are_left_out():
    robot = hand_written('tree')
    kept, *_ = robot.model.joint_names
    values = tuple((name, 2.0) for name in robot.model.joint_names)
    torques = ModelTorques.of_joints(robot.model, [kept], JointParameters(torque_offset=values))
    states = States(1)
    bare = ModelTorques.of_joints(robot.model, [kept])
    np.testing.assert_allclose(torques.terms(states)[3] - bare.terms(states)[3], 2.0, atol=1e-14)


def test_a_joint_that_the_robot_does_not_have_is_refused():
    model = hand_written('tree').model
    given = JointParameters(armature=(('wrist', 1.0),))
    with pytest.raises(ParameterError, match=r"'wrist'.*robot"):
        ModelTorques.of_joints(model, model.joint_names, given)


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('', 'neither friction.yaml'),
        ('<robot/>', 'neither friction.yaml'),
        ('a: [1', 'is not YAML'),
        ('joints: {a: {viscous: -1.0}}', '-1, it must not'),
        ('joints: {a: {viscous: 1e-3}}', "'1e-3', a finite number"),
        ('joints: {a: {coulomb: .nan}}', 'finite number'),
        ('joints: {a: {coulumb: 1.0}}', "'coulumb'.* viscous, .*, smoothing"),
        ('joints: {a: 1.0}', 'values are needed'),
        ('smoothing: 0.0\njoints: {a: {coulomb: 1.0}}', 'above 0'),
        ('joints: {a: {smoothing: 0}}', 'above 0'),
        ('joints: {a: {smoothing: .nan}}', 'finite number'),
        (
            NODE.format('friction_smoothing_by_joint: [0.1, -0.1]'),
            r'friction_smoothing_by_joint\[1\] is -0.1',
        ),
        (
            NODE.format('friction_smoothing_by_joint: [0.1, 0.1, 0.1]'),
            'friction_smoothing_by_joint has 3 values',
        ),
        (NODE.format('armature: [1.0, 2.0, 3.0]'), 'armature has 3 values'),
        (NODE.format('armature: 1.0'), 'list is needed'),
        (NODE.format('friction_coulomb: [1.0, true]'), r'friction_coulomb\[1\] is True'),
        (NODE.format('terms: [gravity]'), 'none of friction_viscous, '),
        ('/**: {ros__parameters: {armature: [1.0]}}', 'joint once'),
        (
            '{one: {ros__parameters: {armature: [1.0]}}, two: {ros__parameters: {armature: []}}}',
            r'several nodes \(/one, /two\)',
        ),
    ],
)
def test_what_cannot_be_meant_is_refused_with_the_file(text, words, tmp_path):
    file = tmp_path / 'given.yaml'
    file.write_text(text)
    with pytest.raises(ParameterError, match=f'^{re.escape(str(file))}.*{words}'):
        read_joint_parameters(file)


def test_the_smoothing_of_each_joint_is_read_from_both_files(tmp_path):
    texts = (
        'smoothing: 0.02\njoints: {a: {smoothing: 0.1, coulomb: 2.0}, b: {coulomb: 3, '
        'smoothing: 0.05}}',
        NODE.format(
            'friction_smoothing: 0.02, friction_smoothing_by_joint: [0.1, 0.05], '
            'friction_coulomb: [2.0, 3.0]'
        ),
    )
    for text in texts:
        file = tmp_path / 'given.yaml'
        file.write_text(text)
        assert read_joint_parameters(file) == JointParameters(
            coulomb=(('a', 2.0), ('b', 3.0)),
            smoothing=0.02,
            smoothings=(('a', 0.1), ('b', 0.05)),
        )


def test_a_joint_without_a_smoothing_of_its_own_has_that_of_all(tmp_path):
    """The torque is that of F_v v + F_s v / sqrt(v^2 + v_0^2) with v_0 of each joint."""
    model = hand_written('tree').model
    first, *others = model.joint_names
    entries = ''.join(f', {name}: {{coulomb: 2.0}}' for name in others)
    file = tmp_path / 'friction.yaml'
    file.write_text(
        f'smoothing: 0.3\njoints: {{{first}: {{coulomb: 2.0, smoothing: 0.05}}{entries}}}'
    )
    parameters = read_joint_parameters(file)
    torques = ModelTorques.of_joints(model, model.joint_names, parameters)
    states = States(model.size)
    v, v_0 = states.velocities, np.where(np.arange(model.size) == 0, 0.05, 0.3)
    viscous = [joint.damping for joint in model.joints]
    wanted = viscous * v + 2.0 * v / np.sqrt(v**2 + v_0**2)
    np.testing.assert_allclose(torques.terms(states)[3], wanted, rtol=1e-13, atol=1e-14)


def test_one_value_may_stand_for_all_joints_and_offsets_may_be_negative(tmp_path):
    file = tmp_path / 'given.yaml'
    file.write_text(NODE.format('friction_viscous: [1], torque_offset: [-1.0, 2.0]'))
    found = read_joint_parameters(file)
    assert found.viscous == (('a', 1.0), ('b', 1.0))
    assert found.torque_offset == (('a', -1.0), ('b', 2.0))
