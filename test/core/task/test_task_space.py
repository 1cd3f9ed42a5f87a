"""The task space, and joint velocities from twists, at singularities too."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.examples import example
from mechanics.robots import hand_written

from robot_dynamics_ros.core import StateError
from robot_dynamics_ros.core.task.resolved_rate import NEARLY_LOST
from robot_dynamics_ros.core.task.task_space import task_inertia

UR5 = example('ur_description/urdf/ur5_robot.urdf')
XARM7 = example('xarm_description/urdf/xarm7.urdf')
# Elbow and wrist bent: far from any singularity. Straight: two directions are lost.
BENT = np.array([0.3, -1.2, 1.6, -0.7, 1.1, 0.4])
STRAIGHT = np.zeros(6)
TWIST = np.array([0.1, -0.2, 0.05, 0.3, -0.1, 0.2])


def test_a_twist_is_reached():
    answer = UR5.native.joint_velocity(BENT, TWIST, 'tool0')
    assert not answer.singular
    assert answer.conditioning > NEARLY_LOST
    assert_close(UR5.native.jacobian(BENT, 'tool0') @ answer.velocity, TWIST)
    assert_close(answer.error, np.zeros(6), scale=1.0)


def test_of_all_velocities_the_smallest_is_chosen():
    q = np.array([0.2, 0.5, -0.4, 1.3, 0.6, 0.9, -0.2])
    answer = XARM7.native.joint_velocity(q, TWIST, XARM7.model.frames[-1].name)
    J = XARM7.native.jacobian(q, XARM7.model.frames[-1].name)
    assert_close(answer.velocity, np.linalg.pinv(J) @ TWIST, scale=10.0)


@pytest.mark.parametrize('q', [STRAIGHT, STRAIGHT + 1e-9, STRAIGHT + 1e-5])
def test_a_singular_arm_gets_a_bounded_answer_and_a_flag(q):
    answer = UR5.native.joint_velocity(q, TWIST, 'tool0')
    assert answer.singular
    assert answer.conditioning < NEARLY_LOST
    largest = np.linalg.svd(UR5.native.jacobian(q, 'tool0'), compute_uv=False)[0]
    bound = np.linalg.norm(TWIST) / (NEARLY_LOST * largest)
    assert np.linalg.norm(answer.velocity) <= bound
    assert np.isfinite(answer.error).all()


def test_the_answer_is_continuous_where_the_damping_begins():
    """Along a path into the singularity no velocity jumps."""
    path = np.linspace(0.2, 0.0, 4001)
    answers = [
        UR5.native.joint_velocity(BENT * [1, 1, 1, 1, 0, 1] + [0, 0, 0, 0, w, 0], TWIST, 'tool0')
        for w in path
    ]
    assert {answer.singular for answer in answers} == {False, True}
    velocities = np.array([answer.velocity for answer in answers])
    assert np.abs(np.diff(velocities, axis=0)).max() < 0.02 * np.abs(velocities).max()


def test_a_frame_that_no_joint_moves_gets_no_velocity():
    answer = UR5.native.joint_velocity(BENT, TWIST, 'base_link')
    assert answer.singular
    assert_close(answer.velocity, np.zeros(6))
    assert_close(answer.error, -TWIST)


@pytest.mark.parametrize('twist', [np.full(6, np.nan), np.zeros(5), 'up'])
def test_a_bad_twist_is_refused(twist):
    with pytest.raises(StateError, match='twist'):
        UR5.native.joint_velocity(BENT, twist, 'tool0')


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
    J, M = UR5.native.jacobian(STRAIGHT, 'tool0'), UR5.native.mass_matrix(STRAIGHT)
    task = task_inertia(J, M)
    assert len(task.immobile) == 6 - np.linalg.matrix_rank(J)
    assert_close(task.immobile @ J, np.zeros((len(task.immobile), 6)), scale=1e4)
    assert_close(task.immobile @ task.immobile.T, np.eye(len(task.immobile)))


def test_what_is_singular_is_said_in_words():
    """The joints move y and z against each other alone, whatever the mass."""
    J = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    (remark,) = task_inertia(J, np.diag([2.0, 3.0])).remarks(['x', 'y', 'z'])
    assert remark.endswith(': 0.71 y + 0.71 z')
    _, massless = task_inertia(J, np.diag([2.0, 0.0])).remarks(['x', 'y', 'z'])
    assert massless == 'some motion of the joints moves (nearly) no mass'
    assert not task_inertia(J[:2], np.diag([2.0, 3.0])).remarks(['x', 'y'])


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


@pytest.mark.parametrize('rows', [(), (0, 0), (6,), (-1,), 3, ('x',), (0.5,), ((0,),)])
def test_rows_that_no_twist_has_are_refused(rows):
    with pytest.raises(StateError, match='rows are'):
        UR5.native.task_space(BENT, np.ones(6), 'tool0', rows=rows)
