"""The wrench that explains the torques, and the directions that a robot cannot feel."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.examples import example, needs_examples
from mechanics.planar_arms import planar_arm
from mechanics.robots import hand_written

from robot_dynamics_ros.control.external.wrench import (
    HARDLY_FELT,
    WrenchEstimator,
    estimated_wrench,
)
from robot_dynamics_ros.core import RobotDynamics, parse_urdf

WRENCH = np.array([12.0, -7.0, 20.0, 0.6, -1.1, 0.4])
AXES = 'LOCAL', 'LOCAL_WORLD_ALIGNED'
TURNING = np.zeros(2, bool)
Q = np.array([0.3, -1.1, 1.4, -0.6, 1.2, 0.5, 0.2])


@pytest.fixture(scope='module')
def arm():
    """An arm of seven joints, away from its singularities."""
    return RobotDynamics(example('xarm_description/urdf/xarm7.urdf').model, backend='python')


@needs_examples
@pytest.mark.parametrize('axes', AXES)
def test_torques_of_a_wrench_give_the_wrench(arm, axes):
    frame = arm.model.frames[-1].name
    r = arm.jacobian(Q, frame, axes).T @ WRENCH
    found = WrenchEstimator(arm, frame, axes).estimate(Q, r)
    assert_close(found.wrench, WRENCH, 100.0)
    assert_close(found.unexplained, np.zeros(7), 100.0)
    assert not found.remarks()


@needs_examples
def test_a_contact_elsewhere_is_not_explained(arm):
    """On the elbow: the joints of the wrist feel nothing, which no wrench at the tool explains."""
    r, tool = np.array([0.0, 8.0, -5.0, 0.0, 0.0, 0.0, 0.0]), arm.model.frames[-1].name
    found, J = WrenchEstimator(arm, tool).estimate(Q, r), arm.jacobian(Q, tool)
    assert_close(found.unexplained, r - J.T @ found.wrench, 10.0)
    # Least squares: what is left is felt by no wrench.
    assert_close(J @ found.unexplained, np.zeros(6), 100.0)


def test_what_an_arm_cannot_feel_is_named():
    """Two parallel joints feel no force along their axes, no moment across them, and one more."""
    dynamics = RobotDynamics(parse_urdf(planar_arm(2)), backend='python')
    q = np.array([0.3, 0.9])
    found = WrenchEstimator(dynamics, 'tip').estimate(q, np.array([1.0, -2.0]))
    J = dynamics.jacobian(q, 'tip')
    assert len(found.unfelt) == 4
    assert_close(J.T @ found.unfelt.T, np.zeros((2, 4)), 1.0)
    assert_close(found.unfelt @ found.unfelt.T, np.eye(4))
    for row in (2, 3, 4):
        assert_close(np.linalg.norm(found.unfelt[:, row]), 1.0)
        assert found.wrench[row] == 0.0
    assert len(found.remarks()) == 4
    # What it feels is answered all the same.
    assert_close(found.unexplained, np.zeros(2), 1.0)


def test_near_a_lost_direction_the_estimate_fades_without_a_jump():
    """Two lever arms, of which one shrinks to nothing: its force is never above the true one."""
    truth, found, levers = 10.0, [], np.geomspace(1e-4, 1.0, 200)
    for lever in levers:
        J = np.zeros((6, 2))
        J[0, 0], J[1, 1] = 1.0, lever
        estimate = estimated_wrench(J, J.T @ np.array([5.0, truth, 0, 0, 0, 0]), TURNING)
        found.append(estimate.wrench[1])
        assert estimate.wrench[0] == pytest.approx(5.0, rel=1e-12)
        assert len(estimate.unfelt) == (5 if lever <= HARDLY_FELT else 4)
    well = levers >= HARDLY_FELT
    assert_close(np.array(found)[well], np.full(well.sum(), truth))
    assert (np.diff(found) >= -1e-12).all()
    assert np.abs(np.diff(found)).max() < 0.1 * truth
    assert found[0] < 1e-3 * truth


def test_joints_whose_torque_is_not_known_are_left_out():
    dynamics = hand_written('oblique').python
    q, frame = np.array([0.2, 0.1, -0.4, 0.9]), 'd'
    r = dynamics.jacobian(q, frame).T @ WRENCH
    joints = ('first', 'third', 'fourth')
    known = WrenchEstimator(dynamics, frame, joints=joints)
    nonsense = r + np.array([0.0, 1e3, 0.0, 0.0])
    assert np.array_equal(known.estimate(q, nonsense).wrench, known.estimate(q, r).wrench)
    assert known.estimate(q, r).unexplained.shape == (3,)


@pytest.mark.parametrize('unit', [1e-3, 2.5])
def test_another_unit_of_length_changes_the_numbers_only(unit):
    """Lengths in that unit [m]: forces stay, moments and torques of turning joints change."""
    random = np.random.default_rng(4)
    J, r = random.uniform(-1.0, 1.0, (6, 4)), random.uniform(-5.0, 5.0, 4)
    sliding = np.array([False, True, False, False])
    J[3:, sliding] = 0.0
    other = J.copy()
    other[:3, ~sliding] /= unit
    here = estimated_wrench(J, r, sliding)
    there = estimated_wrench(other, np.where(sliding, r, r / unit), sliding)
    assert_close(there.wrench, here.wrench / np.repeat([1.0, unit], 3), 100.0)
