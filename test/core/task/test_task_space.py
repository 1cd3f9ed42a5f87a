"""The dynamics in the task space, at singularities too."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.examples import example
from mechanics.planar_arms import planar_arm
from mechanics.robots import hand_written
from mechanics.units import coordinates_in_units, in_units

from robot_dynamics_ros.core import (
    ParameterError,
    RobotDynamics,
    StateError,
    UnknownNameError,
    parse_urdf,
)

pytestmark = pytest.mark.contract

UR5 = example('ur_description/urdf/ur5_robot.urdf')
XARM7 = example('xarm_description/urdf/xarm7.urdf')
# Elbow and wrist bent: far from any singularity. Straight: two directions are lost.
BENT = np.array([0.3, -1.2, 1.6, -0.7, 1.1, 0.4])
STRAIGHT = np.zeros(6)


@pytest.mark.parametrize('axes', ['LOCAL', 'WORLD', 'LOCAL_WORLD_ALIGNED'])
def test_task_space_dynamics_is_the_joint_space_one_seen_from_the_tool(axes):
    """F = J^-T tau for an arm of six joints, and x_ddot = J a + J_dot v."""
    v, a = np.array([0.4, -0.3, 0.8, 0.2, -0.5, 1.0]), np.array([1.0, -2.0, 0.5, 0.3, -1.0, 0.2])
    dynamics = UR5.native
    task = dynamics.task_space(BENT, v, 'tool0', axes)
    J = dynamics.jacobian(BENT, 'tool0', axes)
    J_dot = dynamics.jacobian_derivative(BENT, v, 'tool0', axes)
    tau = dynamics.inverse_dynamics(BENT, v, a)
    force = task.inertia @ (J @ a + J_dot @ v) + task.coriolis + task.gravity
    scale = 1e3 * np.abs(task.inertia).max()
    assert not task.singular
    assert_close(J.T @ force, tau, scale)
    assert_close(task.inertia, task.inertia.T)
    assert_close(J @ task.inverse, np.eye(6), scale=1e3)


def test_torques_in_the_null_space_do_not_move_the_tool():
    q, frame = np.array([0.2, 0.5, -0.4, 1.3, 0.6, 0.9, -0.2]), XARM7.model.frames[-1].name
    dynamics, v = XARM7.native, np.zeros(7)
    task, J = dynamics.task_space(q, v, frame), dynamics.jacobian(q, frame)
    tau = (np.eye(7) - J.T @ task.inverse.T) @ np.arange(1.0, 8.0)
    a = dynamics.forward_dynamics(q, v, tau + dynamics.gravity_torque(q))
    assert np.abs(a).max() > 1.0
    assert_close(J @ a, np.zeros(6), scale=1e4 * np.abs(a).max())


@pytest.mark.parametrize('q', [STRAIGHT, STRAIGHT + 1e-9])
def test_a_singular_task_space_is_finite_and_flagged(q):
    task = UR5.native.task_space(q, np.ones(6), 'tool0')
    assert task.singular
    for values in (task.inertia, task.coriolis, task.gravity, task.inverse):
        assert np.isfinite(values).all()


def test_immobile_directions_are_those_that_no_joint_moves():
    J = UR5.native.jacobian(STRAIGHT, 'tool0')
    task = UR5.native.task_inertia(STRAIGHT, 'tool0')
    assert len(task.immobile) == 6 - np.linalg.matrix_rank(J)
    assert_close(task.immobile @ J, np.zeros((len(task.immobile), 6)), scale=1e4)
    assert_close(task.immobile @ task.immobile.T, np.eye(len(task.immobile)))


def test_a_singular_mass_matrix_is_flagged():
    robot = hand_written('massless_tip')
    n = robot.model.size
    frame = robot.model.frames[-1].name
    task = robot.native.task_space(np.full(n, 0.3), np.ones(n), frame, rows=(0,))
    assert task.singular
    assert np.isfinite(task.inertia).all()


def test_rows_may_be_an_array():
    v = np.ones(6)
    task = UR5.native.task_space(BENT, v, 'tool0', rows=np.array([0, 2]))
    assert_close(task.inertia, UR5.native.task_space(BENT, v, 'tool0', rows=(0, 2)).inertia)


def test_a_task_may_be_part_of_a_twist():
    task = UR5.native.task_space(BENT, np.ones(6), 'tool0', rows=(0, 1, 2))
    assert task.inertia.shape == (3, 3)
    assert task.inverse.shape == (6, 3)
    J = UR5.native.jacobian(BENT, 'tool0')[:3]
    spread = J @ np.linalg.inv(UR5.native.mass_matrix(BENT)) @ J.T
    assert_close(task.inertia @ spread, np.eye(3), scale=10.0)


# A carriage of 200 kg, on which a pointer of 2 g turns whose tip is 9 mm from its axis.
POINTER = """<robot name="pointer"><link name="rail"/>
  <link name="carriage"><inertial><mass value="200"/>
    <inertia ixx="9" ixy="0" ixz="0" iyy="9" iyz="0" izz="9"/></inertial></link>
  <link name="needle"><inertial><origin xyz="0.005 0 0"/><mass value="0.002"/>
    <inertia ixx="1e-9" ixy="0" ixz="0" iyy="2e-8" iyz="0" izz="2e-8"/></inertial></link>
  <link name="tip"/>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="carriage"/>
    <origin xyz="0 0 0.5"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="2" velocity="1" effort="500"/></joint>
  <joint name="turn" type="continuous"><parent link="carriage"/><child link="needle"/>
    <origin xyz="0.1 0 0.2"/><axis xyz="0 0 1"/></joint>
  <joint name="end" type="fixed"><parent link="needle"/><child link="tip"/>
    <origin xyz="0.009 0 0"/></joint></robot>"""


def task_inertia_in_units(model, q, frame, rows, length, mass):
    """In these units, and what Lambda of SI is multiplied by to become it, if it is regular."""
    dynamics = RobotDynamics(in_units(model, length, mass), backend='python')
    task = dynamics.task_inertia(coordinates_in_units(model, q, length), frame, rows=rows)
    lever = np.where(np.array(rows) < 3, 1.0, length)
    return task, mass * np.outer(lever, lever)


UNITS = [(1e3, 1.0), (1.0, 1e3), (1e3, 1e3), (1e-3, 1e-3)]


@pytest.mark.parametrize(('length', 'mass'), UNITS)
@pytest.mark.parametrize('rows', [(0, 5), (1, 0), (5,)])
def test_a_light_joint_on_a_heavy_carriage_is_regular_in_every_unit(rows, length, mass):
    """M holds 200 kg and 1e-7 kg m^2: their ratio says nothing, it changes with the units."""
    model = parse_urdf(POINTER)
    plain, _ = task_inertia_in_units(model, [0.3, 0.8], 'tip', rows, 1.0, 1.0)
    other, factors = task_inertia_in_units(model, [0.3, 0.8], 'tip', rows, length, mass)
    assert not plain.singular
    assert not other.singular
    np.testing.assert_allclose(other.inertia, factors * plain.inertia, rtol=1e-6)


@pytest.mark.parametrize(('length', 'mass'), UNITS)
@pytest.mark.parametrize('joints', [3, 6])
@pytest.mark.parametrize('bent', [True, False])
def test_what_is_singular_does_not_depend_on_the_units(joints, bent, length, mass):
    model, rows = parse_urdf(planar_arm(joints)), (0, 1, 5)
    q = np.linspace(0.5, 1.1, joints) if bent else np.zeros(joints)
    for chosen, lost in ((rows, 0 if bent else 1), (range(6), 3 if bent else 4)):
        task, _ = task_inertia_in_units(model, q, 'tip', chosen, length, mass)
        assert task.singular == bool(lost)
        assert len(task.immobile) == lost


@pytest.mark.parametrize('axes', ['LOCAL', 'LOCAL_WORLD_ALIGNED'])
def test_a_point_on_every_axis_has_no_linear_motion(axes):
    """A pan and tilt unit, with the camera where its axes cross: rounding moves it by 1e-17 m."""
    carrier = '<link name="{0}"><inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" '
    carrier += 'iyy="0.02" iyz="0" izz="0.03"/></inertial></link>'
    joint = '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/>'
    joint += '<origin xyz="{3}" rpy="{4}"/><axis xyz="{5}"/></joint>'
    text = (
        '<robot name="head"><link name="base"/><link name="camera"/>'
        + carrier.format('neck')
        + carrier.format('skull')
        + joint.format('pan', 'base', 'neck', '0.1 0.2 0.7', '0.3 -0.7 1.9', '0 0 1')
        + joint.format('tilt', 'neck', 'skull', '0 0 0.3', '0 0 0', '0 1 0')
        + '<joint name="lens" type="fixed"><parent link="skull"/><child link="camera"/></joint>'
        + '</robot>'
    )
    dynamics = RobotDynamics(parse_urdf(text), backend='python')
    task = dynamics.task_inertia([0.4, 0.9], 'camera', axes, rows=(0, 1, 2))
    assert len(task.immobile) == 3
    assert not task.massless


def test_task_inertia_of_some_joints_is_that_of_the_reduced_robot():
    """The others are held: equivalent to the reduced robot."""
    kept, q = ['wrist_1_joint', 'elbow_joint'], dict(zip(UR5.model.joint_names, BENT, strict=True))
    locked = {name: value for name, value in q.items() if name not in kept}
    reduced = RobotDynamics(UR5.model.reduced(kept, locked))
    some = UR5.native.task_inertia(BENT, 'tool0', rows=(0, 2), joints=kept)
    expected = reduced.task_inertia(
        [q[name] for name in reduced.model.joint_names], 'tool0', rows=(0, 2)
    )
    assert_close(some.inertia, expected.inertia, scale=1e3)
    assert some.rows == (0, 2)


@pytest.mark.parametrize(
    ('joints', 'error', 'reason'),
    [
        ([], ParameterError, 'joints is empty: name'),
        (['elbow_joint'] * 2, ParameterError, 'twice: elbow_joint'),
        ('elbow_joint', ParameterError, 'sequence of names'),
        (['gripper'], UnknownNameError, "unknown joint 'gripper'"),
    ],
)
def test_joints_that_cannot_move_are_refused(joints, error, reason):
    with pytest.raises(error, match=reason):
        UR5.native.task_inertia(BENT, 'tool0', joints=joints)


@pytest.mark.parametrize('rows', [(), (0, 0), (6,), (-1,), 3, ('x',), (0.5,), ((0,),)])
def test_rows_that_no_twist_has_are_refused(rows):
    with pytest.raises(StateError, match='rows are'):
        UR5.native.task_space(BENT, np.ones(6), 'tool0', rows=rows)
