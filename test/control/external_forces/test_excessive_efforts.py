"""Efforts that no drive has count as not measured, with the reason."""

import numpy as np
import pytest
from felt_arm import NONE, SAMPLING, settled
from three_joints import JOINTS, URDF

from robot_dynamics_ros.control.external_forces.drive_torques import LARGEST, DriveTorques
from robot_dynamics_ros.core import parse_urdf

THRESHOLDS = {'collision_threshold': (1.0, 1.0, 1.0), 'push_threshold': (1.0, 1.0, 1.0)}
# Of `three_joints`, which has none for the first joint.
LIMITS = {1: (200.0, 'N'), 2: (20.0, 'N m')}


def replaced(joint, value):
    return lambda effort: np.where(np.arange(3) == joint, value, effort)


@pytest.mark.parametrize('value', [1.01, -5e4, 1e290, -1e305])
@pytest.mark.parametrize('joint', LIMITS)
def test_one_beyond_ten_times_its_limit_is_named_once_and_returns(joint, value):
    limit, unit = LIMITS[joint]
    arm = settled(**THRESHOLDS)
    reasons = set()
    with np.errstate(all='raise'):
        for count in range(100):
            arm.change = replaced(joint, value * LARGEST * limit * (1.0 + count))
            arm.show()
            reasons.add(arm.estimate.reason)
    # None while they count as lost states, then one.
    nothing, reason = sorted(reasons)
    assert not nothing
    expected = f'{value * LARGEST * limit:.3g} {unit}'
    assert reason.startswith(f'effort of {JOINTS[joint]} is {expected}')
    arm.change = lambda effort: effort
    arm.run(0.1)
    assert not arm.estimate.reason
    assert np.abs(arm.estimate.torque).max() < SAMPLING
    assert not arm.collisions


@pytest.mark.parametrize('joint', LIMITS)
def test_one_below_that_is_felt(joint):
    arm = settled(moves=False)
    effort = -0.99 * LARGEST * LIMITS[joint][0]
    push = arm.effort() - np.where(np.arange(3) == joint, effort, arm.effort())
    arm.change = replaced(joint, effort)
    arm.run(0.5)
    assert not arm.estimate.reason
    np.testing.assert_allclose(arm.estimate.torque, push, rtol=1e-9, atol=1e-9)


def test_a_joint_without_a_limit_has_no_bound_of_its_own():
    arm = settled(moves=False)
    arm.change = replaced(0, 9e5)
    arm.run(0.5)
    assert not arm.estimate.reason
    assert np.isfinite(arm.estimate.wrench()).all()


def test_the_reason_is_that_of_the_last_state_of_the_joint():
    """An effort that is missing afterwards is missing, and other joints tell nothing of it."""
    drives = DriveTorques(parse_urdf(URDF), JOINTS, np.arange(3))
    q, v = NONE, NONE
    assert drives.measured(q, v, np.array([0.0, 1e5, 0.0])).startswith('effort of slide is 1e+05')
    wrist = np.array([np.nan, np.nan, 0.0])
    assert drives.measured(wrist, wrist, wrist).startswith('effort of slide is 1e+05')
    assert 'turn, slide, wrist' in drives.measured(q, v, None)
    assert not drives.measured(q, v, NONE)


def test_a_glitch_of_one_joint_does_not_hide_the_fault_of_another():
    """The joint that is named is one that is beyond its bound now, or that this state lacks."""
    drives = DriveTorques(parse_urdf(URDF), JOINTS, np.arange(3))
    both, wrist = np.array([0.0, 1e5, 1e3]), np.array([0.0, 0.0, 2e3])
    assert drives.measured(NONE, NONE, both).startswith('effort of slide is 1e+05')
    without_slide = np.array([0.0, np.nan, 0.0])
    given = without_slide, without_slide, np.array([0.0, np.nan, 1e3])
    assert drives.measured(*given).startswith('effort of slide is 1e+05')
    assert drives.measured(NONE, NONE, wrist).startswith('effort of wrist is 2e+03')
    # Another number, or another joint beside it, is the same reason.
    assert drives.measured(NONE, NONE, both).startswith('effort of wrist is 2e+03')
    assert not drives.measured(NONE, NONE, NONE)


def test_a_velocity_that_ceases_after_a_whole_state_is_named():
    """In a state of that joint alone: the others are known from the state before."""
    drives = DriveTorques(parse_urdf(URDF), JOINTS, np.arange(3))
    assert not drives.measured(NONE, NONE, NONE)
    turn = np.array([0.0, np.nan, np.nan])
    reason = drives.measured(turn, np.full(3, np.nan), turn)
    assert reason.startswith('velocity of turn')
