"""Where commands begin if the joints come in several messages."""

import numpy as np
import pytest
from held_arm import GRAVITY, PERIOD, ZERO, ArmInParts, interrupted

from robot_dynamics_ros.control.start_torque import WATCHED

OTHER_WRIST = GRAVITY + np.array([0.0, 0.0, 2.0])
NO_WRIST = np.where([False, False, True], np.nan, GRAVITY)


def test_a_drive_that_has_kept_the_torque_goes_on_with_it():
    arm = interrupted(ArmInParts)
    command, waited = arm.first()
    np.testing.assert_allclose(command, GRAVITY, rtol=1e-12)
    assert arm.guard.start.torque == 'the last command'
    assert WATCHED <= waited <= WATCHED + 3 * PERIOD


@pytest.mark.parametrize('effort', [None, ZERO, OTHER_WRIST, NO_WRIST])
def test_any_other_drive_is_faded_in_from_zero(effort):
    """Also if one part alone differs, or measures no efforts."""
    arm = interrupted(ArmInParts)
    command, _ = arm.first(effort=effort)
    assert not command.any()
    assert 'no measured efforts' in arm.guard.start.decision


def test_an_arm_that_is_held_by_its_gravity_torque_is_taken_over():
    arm = ArmInParts()
    command, waited = arm.first()
    np.testing.assert_allclose(command, GRAVITY, rtol=1e-12)
    assert 'equal the gravity' in arm.guard.start.decision
    assert WATCHED <= waited <= WATCHED + 3 * PERIOD


@pytest.mark.parametrize('effort', [ZERO, OTHER_WRIST, 2.0 * GRAVITY])
def test_an_arm_that_is_held_by_something_else_is_not_taken_over(effort):
    """Efforts that come in parts are measured: rest alone does not decide."""
    arm = ArmInParts()
    command, _ = arm.first(effort=effort)
    assert not command.any()
    assert 'something else holds' in arm.guard.start.decision


@pytest.mark.parametrize('speed', [0.1, -0.1])
def test_an_arm_that_moves_is_not_taken_over(speed):
    arm = ArmInParts()
    command, _ = arm.first(speed=speed, effort=None)
    assert not command.any()


def test_a_part_that_begins_later_is_watched_as_long():
    """One effort of it says nothing of the time before."""
    arm = ArmInParts(state_timeout=0.5)
    for _ in range(round(2.0 / PERIOD)):
        arm.shown = 0
        assert arm.show() is None
    command, waited = arm.first()
    np.testing.assert_allclose(command, GRAVITY, rtol=1e-12)
    assert waited >= WATCHED
