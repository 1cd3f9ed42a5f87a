"""Task space, joint velocities of a twist, held joints, and what can be lifted.

Everything has an answer at singularities too, which do not depend on units.
"""

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


@pytest.mark.parametrize(
    ('robot', 'q', 'rows'),
    [
        (UR5, STRAIGHT, range(6)),
        (UR5, STRAIGHT + 1e-9, range(6)),
        # Whose mass matrix is singular.
        (hand_written('massless_tip'), np.full(2, 0.3), (0,)),
    ],
)
def test_a_singular_task_space_is_finite_and_flagged(robot, q, rows):
    frame = robot.model.frames[-1].name
    task = robot.native.task_space(q, np.ones(q.size), frame, rows=rows)
    assert task.singular
    for values in (task.inertia, task.coriolis, task.gravity, task.inverse):
        assert np.isfinite(values).all()


def test_immobile_directions_are_those_that_no_joint_moves():
    J = UR5.native.jacobian(STRAIGHT, 'tool0')
    task = UR5.native.task_inertia(STRAIGHT, 'tool0')
    assert len(task.immobile) == 6 - np.linalg.matrix_rank(J)
    assert_close(task.immobile @ J, np.zeros((len(task.immobile), 6)), scale=1e4)
    assert_close(task.immobile @ task.immobile.T, np.eye(len(task.immobile)))


def test_a_task_may_be_part_of_a_twist():
    task = UR5.native.task_space(BENT, np.ones(6), 'tool0', rows=np.array([0, 1, 2]))
    assert task.inertia.shape == (3, 3)
    assert task.inverse.shape == (6, 3)
    J = UR5.native.jacobian(BENT, 'tool0')[:3]
    spread = J @ np.linalg.inv(UR5.native.mass_matrix(BENT)) @ J.T
    assert_close(task.inertia @ spread, np.eye(3), scale=10.0)


# Units of length and mass change no answer.

TWIST = np.array([0.1, -0.2, 0.05, 0.3, -0.1, 0.2])
# Of an arm in the x-y plane.
IN_PLANE = (0, 1, 5)
# A carriage of 200 kg, on which a pointer of 2 g turns whose tip is 9 mm from its axis: M holds
# 200 kg and 1e-7 kg m^2, whose ratio says nothing.
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
POINTED, ARM = parse_urdf(POINTER), UR5.model
PLANAR = {joints: parse_urdf(planar_arm(joints)) for joints in (3, 6)}
# Robot, frame, q, rows of the twist, and how many directions are lost.
TASKS = [
    (POINTED, 'tip', [0.3, 0.8], (0, 5), 0),
    (POINTED, 'tip', [0.3, 0.8], (1, 0), 0),
    (POINTED, 'tip', [0.3, 0.8], (5,), 0),
    *((PLANAR[n], 'tip', np.linspace(0.5, 1.1, n), IN_PLANE, 0) for n in (3, 6)),
    *((PLANAR[n], 'tip', np.linspace(0.5, 1.1, n), range(6), 3) for n in (3, 6)),
    *((PLANAR[n], 'tip', np.zeros(n), IN_PLANE, 1) for n in (3, 6)),
    *((PLANAR[n], 'tip', np.zeros(n), range(6), 4) for n in (3, 6)),
    (ARM, 'tool0', BENT, range(6), 0),
]


def in_units(model, length, mass):
    """With every length and every mass multiplied by these: 1e3, 1e3 for mm and g."""

    def placed(placement):
        x, y, z = placement.translation
        return Transform(placement.rotation, (length * x, length * y, length * z))

    def scaled(body):
        first = tuple(mass * length * x for x in body.first_moment)
        second = tuple(tuple(mass * length**2 * x for x in row) for row in body.second_moment)
        return Inertia(mass * body.mass, first, second)

    joints = tuple(
        replace(joint, placement=placed(joint.placement), inertia=scaled(joint.inertia))
        for joint in model.joints
    )
    frames = tuple(replace(frame, placement=placed(frame.placement)) for frame in model.frames)
    return replace(model, joints=joints, frames=frames)


@pytest.mark.parametrize(('length', 'mass'), [(1e3, 1.0), (1.0, 1e3), (1e-3, 1e-3)])
@pytest.mark.parametrize(('model', 'frame', 'q', 'rows', 'lost'), TASKS)
def test_no_answer_depends_on_the_units(model, frame, q, rows, lost, length, mass):
    """Neither what is singular, nor inertias and velocities but for their unit."""
    rows = list(rows)
    one = RobotDynamics(model, backend='python')
    other = RobotDynamics(in_units(model, length, mass), backend='python')
    size = np.array([length if unit == 'N' else 1.0 for unit in model.effort_units])
    lever = np.where(np.array(rows) < 3, 1.0, length)
    task = one.task_inertia(q, frame, rows=rows)
    seen = other.task_inertia(size * q, frame, rows=rows)
    assert [(each.singular, len(each.immobile)) for each in (task, seen)] == [(lost > 0, lost)] * 2
    if not lost:
        factors = mass * np.outer(lever, lever)
        np.testing.assert_allclose(seen.inertia, factors * task.inertia, rtol=1e-6)
    for axes in ('LOCAL', 'WORLD', 'LOCAL_WORLD_ALIGNED'):
        answer = one.joint_velocity(q, TWIST[rows], frame, axes, rows)
        scaled = length / lever * TWIST[rows]
        found = other.joint_velocity(size * q, scaled, frame, axes, rows)
        assert found.singular == answer.singular
        assert lost or not answer.singular
        assert_close(found.conditioning, answer.conditioning, 1.0)
        np.testing.assert_allclose(found.velocity, size * answer.velocity, rtol=1e-6, atol=1e-9)


# Joint velocities of a twist.

# Below this conditioning a direction is nearly lost, and velocities are damped.
NEARLY_LOST = 1e-2


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
    answers = [
        UR5.native.joint_velocity(BENT * [1, 1, 1, 1, 0, 1] + [0, 0, 0, 0, w, 0], TWIST, 'tool0')
        for w in np.linspace(0.2, 0.0, 1001)
    ]
    assert {answer.singular for answer in answers} == {False, True}
    velocities = np.array([answer.velocity for answer in answers])
    assert np.abs(np.diff(velocities, axis=0)).max() < 0.08 * np.abs(velocities).max()


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


# Held joints.

V, MOVING = np.linspace(-1.0, 0.8, 7), [0, 3, 4]


def test_what_some_joints_do_is_that_of_the_reduced_robot():
    """The others are held: forward dynamics, and the task inertia."""
    kept, frame = MOVING, XARM7.model.frames[-1].name
    joints = [NAMES[index] for index in kept]
    locked = {name: Q7[index] for index, name in enumerate(NAMES) if index not in kept}
    reduced = RobotDynamics(XARM7.model.reduced(joints, locked))
    tau = np.array([3.0, -5.0, 1.0])
    answer = XARM7.native.forward_dynamics_holding(joints, Q7, V[kept], tau)
    expected = reduced.forward_dynamics(Q7[kept], V[kept], tau)
    assert_close(answer, expected, scale=1e3 * np.abs(expected).max())
    some = XARM7.native.task_inertia(Q7, frame, rows=(0, 2), joints=joints[::-1])
    assert_close(some.inertia, reduced.task_inertia(Q7[kept], frame, rows=(0, 2)).inertia, 1e3)
    assert some.rows == (0, 2)


@pytest.mark.parametrize('q', [[0.4, 0.7], [0.0, 2.0]])
def test_a_point_mass_on_the_axis_of_its_joint_is_refused(q):
    """What rounding leaves of its inertia, some 1e-17 kg m^2, is no light joint."""
    dynamics = RobotDynamics(parse_urdf(POINT_ON_AXIS))
    assert 0.0 < abs(dynamics.mass_matrix(q)[1, 1]) < 1e-15
    with pytest.raises(SingularMassMatrixError, match='spindle'):
        dynamics.forward_dynamics_holding(['spindle'], q, [0.0], [1.0])
    assert dynamics.task_inertia(q, 'tool').massless
    assert not dynamics.task_inertia(q, 'tool', joints=['shoulder']).massless


REFUSED = [
    *((('task_space', BENT, np.ones(6), 'tool0'), {'rows': rows}, StateError, 'rows')
      for rows in ((), (0, 0), (6,), (-1,), 3, ('x',), (0.5,), ((0,),))),
    (('task_inertia', BENT, 'tool0'), {'joints': []}, ParameterError, 'joints'),
    (('task_inertia', BENT, 'tool0'), {'joints': 'elbow_joint'}, ParameterError, 'joints'),
    (('task_inertia', BENT, 'tool0'), {'joints': ['elbow_joint'] * 2}, ParameterError,
     'elbow_joint'),
    (('task_inertia', BENT, 'tool0'), {'joints': ['hand']}, UnknownNameError, "'hand'"),
    (('joint_velocity', BENT, [0.1, 0.2], 'tool0'), {'rows': IN_PLANE}, StateError, 'twist'),
    (('joint_velocity', BENT, [0.1, 0.2, np.nan], 'tool0'), {'rows': IN_PLANE}, StateError,
     "twist.*'about z'"),
    (('joint_velocity', BENT, 'up', 'tool0'), {'rows': IN_PLANE}, StateError, 'twist'),
    (('joint_velocity', BENT, [0.1], 'tool0'), {'rows': (6,)}, StateError, 'rows'),
    (('forward_dynamics_holding', ['elbow_joint'], BENT, [0.0], [1.0, 2.0]), {}, StateError,
     'tau'),
    (('forward_dynamics_holding', ['elbow_joint'], BENT, [0.0], [np.inf]), {}, StateError,
     "tau.*'elbow_joint'"),
    (('forward_dynamics_holding', ['hand'], BENT, [0.0], [1.0]), {}, UnknownNameError, "'hand'"),
]  # fmt: skip


@pytest.mark.parametrize(('call', 'options', 'error', 'named'), REFUSED)
def test_what_no_twist_and_no_joint_can_be_is_refused(call, options, error, named):
    method, *arguments = call
    with pytest.raises(error, match=named):
        getattr(UR5.native, method)(*arguments, **options)


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
    """What is carried counts, and negative is what must be taken off; of a batch, too."""
    model, states = robot.model, np.array([state.q for state in robot.states(3)])
    limits = 2.0 * np.abs(robot.python.gravity_torque(states[0])) + 1.0
    arm = with_limits(model, limits)
    for frame in [frame.name for frame in model.frames if frame.body >= 0]:
        dynamics = RobotDynamics(arm, backend='python')
        margins = dynamics.payload_margin(states, frame)
        each = [dynamics.payload_margin(q, frame) for q in states]
        np.testing.assert_allclose(margins, each, 1e-12)
        assert dynamics.payload_margin(states[:0], frame).shape == (0,)
        assert margins[0] > 0.0
        if np.isinf(margins[0]):
            # A tonne loads no joint by more than rounding.
            assert use_of_limits(arm.with_payload(frame, 1000.0), states[0], limits) < 1.0
            continue
        for factor, least, most in (
            (0.99, 0.0, 1.0), (1.0, 1.0 - 1e-9, 1.0 + 1e-9), (1.01, 1.0, np.inf),
        ):  # fmt: skip
            loaded = arm.with_payload(frame, factor * margins[0])
            assert least < use_of_limits(loaded, states[0], limits) < most
            left = RobotDynamics(loaded, backend='python').payload_margin(states[0], frame)
            assert left == pytest.approx((1.0 - factor) * margins[0], rel=1e-6, abs=1e-9)


def test_infinite_where_nothing_is_lifted():
    robot = hand_written('pendulum')
    frame = robot.model.frames[-1].name
    limited = with_limits(robot.model, [1e-3])
    assert RobotDynamics(limited, gravity=(0.0, 0.0, 0.0)).payload_margin([0.7], frame) == np.inf
    for none in (np.inf, 0.0, -5.0):
        unlimited = with_limits(robot.model, [none])
        assert RobotDynamics(unlimited).payload_margin([0.7], frame) == np.inf
