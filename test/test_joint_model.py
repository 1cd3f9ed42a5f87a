"""What identify writes of joints is read again: the torque is that of the identified model."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from identified import identified_model
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.comparison.recorded_joints import ModelTorques
from robot_dynamics_ros.core import ParameterError, parse_urdf
from robot_dynamics_ros.identification.result_files import result_files
from robot_dynamics_ros.joint_model import JointModel, read_joint_model

pytest.importorskip('yaml')


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_description_and_joint_model_have_the_torque_of_the_identified_model(robot, tmp_path):
    """Rotors, offsets and both directions of friction, which a URDF does not have."""
    identified = identified_model(robot.model)
    files = result_files(robot.text, robot.model, identified, {})
    (tmp_path / 'friction.yaml').write_text(files['friction.yaml'])
    read = read_joint_model(tmp_path / 'friction.yaml')
    read.check_joints(robot.model, needed=robot.model.joint_names)
    written = parse_urdf(files['identified.urdf'])
    v, a = np.random.default_rng(3).uniform(-1.0, 1.0, (2, 20, robot.model.size))
    q = np.cumsum(0.3 * np.sign(v), axis=0)
    states = SimpleNamespace(positions=q, velocities=v, accelerations=a, begins=True)
    terms = ModelTorques(written, written.joint_names, read).terms(states)
    wanted = identified.inverse_dynamics(q, v, a)
    # The file has six digits.
    error = 1e-5 * np.abs(wanted).max()
    # Contacts that give have slipped at the second state.
    np.testing.assert_allclose(terms.sum(axis=0)[1:], wanted[1:], rtol=0.0, atol=error)


def test_joints_without_a_value_are_as_described_and_others_are_left_out():
    """Joints that were not recorded, and those that mimic another one."""
    model = hand_written('mimic').model
    _, finger = model.joint_names
    given = JointModel(
        coulomb=(*((name, 2.0) for name in model.joint_names), ('not recorded', 2.0)),
        torque_offset=((finger, -1.0), ('not recorded', 5.0)),
        smoothing=((finger, 0.05),),
        max_velocity=((finger, 0.7),),
        viscous_lower=((finger, 0.0),),
    )
    friction = given.friction(model)
    wanted = [0.05 if joint.name == finger else 0.01 for joint in model.joints]
    assert friction['smoothing'].tolist() == wanted
    assert friction['viscous'].tolist() == [joint.damping for joint in model.joints]
    assert friction.speed_range.tolist() == [*model.velocity_bounds[:-1], 0.7]
    assert given.offsets(model).tolist() == [0.0, -1.0]
    assert given.with_rotors(model) is model


def test_joints_that_do_not_fit_the_robot_are_named():
    model = hand_written('tree').model
    first, *others = model.joint_names
    with pytest.raises(ParameterError, match=r"'elbow_2'.*robot"):
        JointModel(smoothing=(('elbow_2', 1.0),)).check_joints(model)
    given = JointModel(armature=((first, 1.0),))
    given.check_joints(model, needed=[first])
    with pytest.raises(ParameterError, match=f'no values of {", ".join(others)}'):
        given.check_joints(model, needed=model.joint_names)


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('', 'friction.yaml'),
        ('<robot/>', 'friction.yaml'),
        ('a: [1', 'as YAML'),
        ('joints: {a: {viscous: -1.0}}', '-1, it must not'),
        ('joints: {a: {viscous: much}}', "'much', a finite number"),
        ('joints: {a: {max_velocity: -2}}', '-2, it must not'),
        ('joints: {a: {coulomb: .nan}}', 'a finite number is needed'),
        ('joints: {a: {coulumb: 1.0}}', "'coulumb'.* viscous, .*, smoothing"),
        ('joints: {a: 1.0}', 'values are needed'),
        ('joints: {a: {smoothing: 0}}', 'above 0'),
        ('/**: {ros__parameters: {joint_model: a}}', 'friction.yaml'),
    ],
)
def test_what_cannot_be_meant_is_refused_with_the_file(text, words, tmp_path):
    file = tmp_path / 'given.yaml'
    file.write_text(text)
    with pytest.raises(ParameterError, match=f'^{re.escape(str(file))}.*{words}'):
        read_joint_model(file)
