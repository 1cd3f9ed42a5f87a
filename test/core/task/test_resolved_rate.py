"""Joint velocities from twists, at singularities too."""

import re

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.examples import example
from mechanics.planar_arms import planar_arm
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics, StateError, parse_urdf

pytestmark = pytest.mark.contract

# Below this conditioning a direction is nearly lost, and velocities are damped.
NEARLY_LOST = 1e-2

UR5 = example('ur_description/urdf/ur5_robot.urdf')
XARM7 = example('xarm_description/urdf/xarm7.urdf')
# Elbow and wrist bent: far from any singularity. Straight: two directions are lost.
BENT = np.array([0.3, -1.2, 1.6, -0.7, 1.1, 0.4])
STRAIGHT = np.zeros(6)
TWIST = np.array([0.1, -0.2, 0.05, 0.3, -0.1, 0.2])
# Of an arm in the x-y plane.
IN_PLANE = (0, 1, 5)


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
    J = UR5.native.jacobian(q, 'tool0')
    lever = np.linalg.norm(J[:3]) / np.linalg.norm(J[3:])
    units = np.repeat([1.0, lever], 3)
    largest = np.linalg.svd(units[:, None] * J, compute_uv=False)[0]
    bound = np.linalg.norm(units * TWIST) / (NEARLY_LOST * largest)
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


@pytest.mark.contract
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


@pytest.mark.parametrize('twist', [np.full(6, np.nan), np.zeros(5), 'up'])
def test_a_bad_twist_is_refused(twist):
    with pytest.raises(StateError, match='twist'):
        UR5.native.joint_velocity(BENT, twist, 'tool0')


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
        (TWIST, IN_PLANE, 'twist .* 6 .* 3 '),
        ([0.1], (6,), 'rows are'),
    ],
)
def test_a_twist_that_does_not_fit_its_rows_is_refused(twist, rows, reason):
    with pytest.raises(StateError, match=reason):
        UR5.native.joint_velocity(BENT, twist, 'tool0', rows=rows)
