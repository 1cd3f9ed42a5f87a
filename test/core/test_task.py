"""Task space, joint velocities of a twist, held joints, and what can be lifted.

Everything has an answer at singularities too, which do not depend on units.
"""

import re
from dataclasses import replace

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.examples import example
from mechanics.planar_arms import planar_arm
from mechanics.robots import HAND_WRITTEN, POINT_ON_AXIS, hand_written

from robot_dynamics_ros.core import (
    ParameterError,
    RobotDynamics,
    SingularMassMatrixError,
    StateError,
    UnknownNameError,
    parse_urdf,
)
from robot_dynamics_ros.core.spatial import Inertia, Transform

pytestmark = pytest.mark.contract

UR5 = example('ur_description/urdf/ur5_robot.urdf')
XARM7 = example('xarm_description/urdf/xarm7.urdf')
# Elbow and wrist bent: far from any singularity. Straight: two directions are lost.
BENT = np.array([0.3, -1.2, 1.6, -0.7, 1.1, 0.4])
STRAIGHT = np.zeros(6)
NAMES = XARM7.model.joint_names
Q7 = np.array([0.2, 0.5, -0.4, 1.3, 0.6, 0.9, -0.2])


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
    q, frame = Q7, XARM7.model.frames[-1].name
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


def test_a_task_may_be_part_of_a_twist():
    task = UR5.native.task_space(BENT, np.ones(6), 'tool0', rows=np.array([0, 1, 2]))
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


def in_units(model, length, mass):
    """With every length and every mass multiplied by these: 1e3, 1e3 for mm and g."""
    joints = tuple(_joint(joint, length, mass) for joint in model.joints)
    frames = tuple(
        replace(frame, placement=_placement(frame.placement, length)) for frame in model.frames
    )
    return replace(model, joints=joints, frames=frames)


def coordinates_in_units(model, values, length):
    """Positions or velocities (n,) of the independent joints, in other units of length."""
    slides = np.array([joint.kind == 'prismatic' for joint in model.independent_joints])
    return np.where(slides, length * np.asarray(values), values)


def _joint(joint, length, mass):
    body = joint.inertia
    first = tuple(mass * length * x for x in body.first_moment)
    second = tuple(tuple(mass * length**2 * x for x in row) for row in body.second_moment)
    return replace(
        joint,
        placement=_placement(joint.placement, length),
        inertia=Inertia(mass * body.mass, first, second),
        armature=joint.armature * mass * (1.0 if joint.kind == 'prismatic' else length**2),
    )


def _placement(placement, length):
    x, y, z = placement.translation
    return Transform(placement.rotation, (length * x, length * y, length * z))


def task_inertia_in_units(model, q, frame, rows, length, mass):
    """In these units, and what Lambda of SI is multiplied by to become it, if it is regular."""
    dynamics = RobotDynamics(in_units(model, length, mass), backend='python')
    task = dynamics.task_inertia(coordinates_in_units(model, q, length), frame, rows=rows)
    lever = np.where(np.array(rows) < 3, 1.0, length)
    return task, mass * np.outer(lever, lever)


UNITS = [(1e3, 1.0), (1.0, 1e3), (1e-3, 1e-3)]


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


# Joint velocities of a twist.

# Below this conditioning a direction is nearly lost, and velocities are damped.
NEARLY_LOST = 1e-2
TWIST = np.array([0.1, -0.2, 0.05, 0.3, -0.1, 0.2])
# Of an arm in the x-y plane.
IN_PLANE = (0, 1, 5)


def test_a_twist_is_reached():
    answer = UR5.native.joint_velocity(BENT, TWIST, 'tool0')
    assert not answer.singular
    assert answer.conditioning > NEARLY_LOST
    assert_close(UR5.native.jacobian(BENT, 'tool0') @ answer.velocity, TWIST)
    assert_close(answer.error, np.zeros(6), scale=1.0)


@pytest.mark.parametrize('q', [STRAIGHT, STRAIGHT + 1e-9, STRAIGHT + 1e-5])
def test_a_singular_arm_gets_a_bounded_answer_and_a_flag(q):
    answer = UR5.native.joint_velocity(q, TWIST, 'tool0')
    assert answer.singular
    assert answer.conditioning < NEARLY_LOST
    J = UR5.native.jacobian(q, 'tool0')
    lever = np.linalg.norm(J[:3]) / np.linalg.norm(J[3:])
    units = np.repeat([1.0, lever], 3)
    largest = np.linalg.svd(units[:, None] * J, compute_uv=False)[0]
    bound = np.linalg.norm(units * TWIST) / (NEARLY_LOST * largest)
    assert np.linalg.norm(answer.velocity) <= bound
    assert np.isfinite(answer.error).all()


def test_the_answer_is_continuous_where_the_damping_begins():
    """Along a path into the singularity no velocity jumps."""
    path = np.linspace(0.2, 0.0, 1001)
    answers = [
        UR5.native.joint_velocity(BENT * [1, 1, 1, 1, 0, 1] + [0, 0, 0, 0, w, 0], TWIST, 'tool0')
        for w in path
    ]
    assert {answer.singular for answer in answers} == {False, True}
    velocities = np.array([answer.velocity for answer in answers])
    assert np.abs(np.diff(velocities, axis=0)).max() < 0.08 * np.abs(velocities).max()


@pytest.mark.parametrize('axes', ['LOCAL', 'WORLD', 'LOCAL_WORLD_ALIGNED'])
@pytest.mark.parametrize(('robot', 'frame'), [(UR5, 'tool0'), (hand_written('oblique'), 'd')])
def test_the_size_of_a_robot_changes_no_answer(robot, frame, axes):
    """A tenth of the size, also of joints that slide: as singular, and as fast."""

    def smaller(match):
        return f'xyz="{" ".join(repr(0.1 * float(x)) for x in match[1].split())}"'

    arm = robot.python
    small = RobotDynamics(
        parse_urdf(re.sub('xyz="([^"]*)"', smaller, robot.text)), backend='python'
    )
    size = np.array([0.1 if unit == 'N' else 1.0 for unit in arm.model.effort_units])
    singular = []
    for q, _, _, _ in robot.states(20):
        answer = arm.joint_velocity(q, TWIST, frame, axes)
        other = small.joint_velocity(size * q, np.repeat([0.1, 1.0], 3) * TWIST, frame, axes)
        assert_close(other.conditioning, answer.conditioning, 1.0)
        assert_close(other.velocity, size * answer.velocity, 100.0)
        singular.append((answer.singular, other.singular))
    assert {one == another for one, another in singular} == {True}


@pytest.mark.parametrize('joints', [3, 4, 6])
def test_a_planar_arm_is_regular_in_its_plane(joints):
    """It reaches any velocity in the plane, so that nothing is singular there."""
    dynamics = RobotDynamics(parse_urdf(planar_arm(joints)))
    q, twist = np.linspace(0.5, 1.1, joints), np.array([0.1, -0.2, 0.4])
    answer = dynamics.joint_velocity(q, twist, 'tip', rows=IN_PLANE)
    assert not answer.singular
    assert answer.conditioning > NEARLY_LOST
    reached = dynamics.jacobian(q, 'tip') @ answer.velocity
    assert_close(reached, [0.1, -0.2, 0.0, 0.0, 0.0, 0.4])
    assert_close(answer.error, np.zeros(3), scale=1.0)


def test_rows_are_those_of_the_jacobian_in_their_order():
    rows, v = (4, 0, 2), np.array([0.3, -0.1, 0.2])
    answer = UR5.native.joint_velocity(BENT, v, 'tool0', 'LOCAL', rows)
    J = UR5.native.jacobian(BENT, 'tool0', 'LOCAL')[list(rows)]
    assert_close(J @ answer.velocity, v)
    assert_close(answer.velocity, np.linalg.pinv(J) @ v, scale=10.0)


def test_a_row_of_rounding_moves_nothing():
    """On an oblique base the z row of a planar arm is 1e-17, and 0 in exact arithmetic."""
    model = parse_urdf(planar_arm(4, rpy='0.3 -0.7 1.9'))
    dynamics, q = RobotDynamics(model, backend='python'), np.array([0.4, -1.1, 0.7, 0.5])
    assert 0.0 < np.abs(dynamics.jacobian(q, 'tip', 'LOCAL')[2]).max() < 1e-15
    answer = dynamics.joint_velocity(q, [0.1], 'tip', 'LOCAL', rows=[2])
    assert answer.singular
    assert not answer.velocity.any()
    assert_close(answer.error, [-0.1])


@pytest.mark.parametrize(
    ('twist', 'rows', 'reason'),
    [
        ([0.1, 0.2], IN_PLANE, 'twist has 2 values, 3'),
        ([0.1, 0.2, np.nan], IN_PLANE, "twist is nan at 'about z'"),
        ('up', IN_PLANE, 'twist'),
        ([0.1], (6,), 'rows are'),
    ],
)
def test_a_twist_that_does_not_fit_its_rows_is_refused(twist, rows, reason):
    with pytest.raises(StateError, match=reason):
        UR5.native.joint_velocity(BENT, twist, 'tool0', rows=rows)


# Held joints.

V, A = np.linspace(-1.0, 0.8, 7), np.linspace(2.0, -1.5, 7)
MOVING = [4, 0, 3]


def test_it_undoes_inverse_dynamics_of_the_joints_that_move():
    joints = [NAMES[index] for index in MOVING]
    v, a = np.zeros(7), np.zeros(7)
    v[MOVING], a[MOVING] = V[MOVING], A[MOVING]
    tau = XARM7.native.inverse_dynamics(Q7, v, a)[MOVING]
    answer = XARM7.native.forward_dynamics_holding(joints, Q7, V[MOVING], tau)
    assert_close(answer, A[MOVING], scale=1e3)


def test_it_is_forward_dynamics_of_the_reduced_robot():
    kept = sorted(MOVING)
    joints = [NAMES[index] for index in kept]
    locked = {name: Q7[index] for index, name in enumerate(NAMES) if index not in kept}
    reduced = RobotDynamics(XARM7.model.reduced(joints, locked))
    tau = np.array([3.0, -5.0, 1.0])
    answer = XARM7.native.forward_dynamics_holding(joints, Q7, V[kept], tau)
    expected = reduced.forward_dynamics(Q7[kept], V[kept], tau)
    assert_close(answer, expected, scale=1e3 * np.abs(expected).max())


@pytest.mark.parametrize('q', [[0.4, 0.7], [0.0, 2.0]])
def test_a_point_mass_on_the_axis_of_its_joint_is_refused(q):
    """What rounding leaves of its inertia, some 1e-17 kg m^2, is no light joint."""
    dynamics = RobotDynamics(parse_urdf(POINT_ON_AXIS))
    assert 0.0 < abs(dynamics.mass_matrix(q)[1, 1]) < 1e-15
    with pytest.raises(SingularMassMatrixError, match=r'spindle.*no mass'):
        dynamics.forward_dynamics_holding(['spindle'], q, [0.0], [1.0])
    assert dynamics.task_inertia(q, 'tool').massless
    assert not dynamics.task_inertia(q, 'tool', joints=['shoulder']).massless


@pytest.mark.parametrize(
    ('joints', 'tau', 'error', 'reason'),
    [
        (NAMES[:2], [1.0], StateError, 'tau has 1 values'),
        (
            NAMES[:2],
            [1.0, np.inf],
            StateError,
            f"tau is inf at '{NAMES[1]}'",
        ),
        (
            ['gripper', NAMES[0]],
            [1.0, 2.0],
            UnknownNameError,
            "unknown joint 'gripper'",
        ),
    ],
)
def test_bad_arguments_are_named(joints, tau, error, reason):
    with pytest.raises(error, match=reason):
        XARM7.native.forward_dynamics_holding(joints, Q7, [0.0, 0.0], tau)


# What can be lifted: with the mass of the margin, one joint is at its limit, and none beyond.


def with_limits(model, efforts):
    """The same robot with these effort limits of its independent joints."""
    limits = dict(zip(model.joint_names, efforts, strict=True))
    joints = tuple(
        replace(joint, limits=replace(joint.limits, effort=limits.get(joint.name, np.inf)))
        for joint in model.joints
    )
    return replace(model, joints=joints)


def use_of_limits(model, q, limits):
    """The largest share of a limit that gravity takes at rest."""
    return float((np.abs(RobotDynamics(model, backend='python').gravity_torque(q)) / limits).max())


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_one_joint_is_at_its_limit_with_that_mass(robot):
    model, share = robot.model, 2.0
    ((q, *_),) = robot.states(1)
    for frame in [frame.name for frame in model.frames if frame.body >= 0]:
        own = np.abs(RobotDynamics(model, backend='python').gravity_torque(q))
        limits = share * own + 1.0
        arm = with_limits(model, limits)
        mass = RobotDynamics(arm, backend='python').payload_margin(q, frame)
        assert mass > 0.0
        if np.isinf(mass):
            # A tonne loads no joint by more than rounding.
            assert use_of_limits(arm.with_payload(frame, 1000.0), q, limits) < 1.0
            continue
        assert use_of_limits(arm.with_payload(frame, mass), q, limits) == pytest.approx(
            1.0, rel=1e-9
        )
        assert use_of_limits(arm.with_payload(frame, 1.01 * mass), q, limits) > 1.0
        assert use_of_limits(arm.with_payload(frame, 0.99 * mass), q, limits) < 1.0


def test_what_is_carried_counts():
    robot = hand_written('tree')
    frame = 'left_hand'
    arm = with_limits(robot.model, [500.0] * robot.model.size)
    (q, *_), *_ = robot.states(1)
    margin = RobotDynamics(arm).payload_margin(q, frame)
    assert np.isfinite(margin)
    part = 0.4 * margin
    loaded = RobotDynamics(arm.with_payload(frame, part))
    assert loaded.payload_margin(q, frame) == pytest.approx(margin - part, rel=1e-9)


def test_negative_where_the_arm_cannot_hold_itself():
    """What is too much is what must be taken off."""
    robot, frame = hand_written('fixed_links'), 'flange'
    (q, *_), *_ = robot.states(1)
    limits = np.array([joint.limits.effort for joint in robot.model.independent_joints])
    heavy = RobotDynamics(robot.model.with_payload(frame, 50.0))
    margin = heavy.payload_margin(q, frame)
    assert -50.0 < margin < 0.0
    lighter = robot.model.with_payload(frame, 50.0 + margin)
    assert use_of_limits(lighter, q, limits) == pytest.approx(1.0, rel=1e-9)


def test_infinite_where_nothing_is_lifted():
    robot = hand_written('pendulum')
    frame = robot.model.frames[-1].name
    limited = with_limits(robot.model, [1e-3])
    assert RobotDynamics(limited, gravity=(0.0, 0.0, 0.0)).payload_margin([0.7], frame) == np.inf
    for none in (np.inf, 0.0, -5.0):
        unlimited = with_limits(robot.model, [none])
        assert RobotDynamics(unlimited).payload_margin([0.7], frame) == np.inf
