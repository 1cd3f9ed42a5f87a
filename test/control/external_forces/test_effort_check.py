"""Which efforts can be the torques of the drives: laws of the comparison with gravity."""

import numpy as np
import pytest

from robot_dynamics_ros.control.external_forces.effort_check import MEMORY, EffortCheck

LIMITS = np.array([100.0, 100.0, 30.0])
GRAVITY = np.array([0.0, 40.0, 10.0])
PERIOD = 0.01


def judged(residual, gravity=GRAVITY, limits=LIMITS, seconds=2.0, check=None):
    check = check or EffortCheck(limits)
    for _ in range(round(seconds / PERIOD)):
        check.step(np.array(residual), np.array(gravity), PERIOD)
    return check


def test_a_small_residual_fits_and_stays_so():
    check = judged([1.0, -5.0, 2.0])
    assert check.fits
    assert not check.reason
    assert judged(GRAVITY, check=check).fits


def test_a_residual_that_is_gravity_is_named():
    check = judged(GRAVITY + np.array([0.5, 2.0, -1.0]))
    assert not check.fits
    assert 'contain no gravity' in check.reason


@pytest.mark.parametrize('share', [-1.0, 0.6, 1.8])
def test_any_other_large_residual_is_asked_about(share):
    assert 'N m' in judged(share * GRAVITY).reason


def test_a_residual_that_changes_is_the_same_reason():
    """So that the log has it once; another kind of reason is another one."""
    check = judged(-GRAVITY)
    before = check.reason
    assert judged(-1.7 * GRAVITY, check=check).reason == before
    assert 'contain no gravity' in judged(GRAVITY, seconds=10.0 * MEMORY, check=check).reason


def test_nothing_is_known_before_there_is_enough():
    check = judged(GRAVITY, seconds=0.9 * MEMORY)
    assert not check.known
    assert not check.reason


@pytest.mark.parametrize('limits', [LIMITS, np.full(3, np.inf)])
def test_small_gravity_tells_nothing(limits):
    """As of an arm that stands upright, whose friction is larger than its gravity torque."""
    check = judged([3.0, -2.0, 1.0], gravity=[0.0, 0.3, 0.1], limits=limits)
    assert check.known
    assert not check.fits
    assert not check.reason
    assert 'contain no gravity' in judged(GRAVITY, limits=limits, check=check).reason


def test_a_contact_at_the_start_is_waited_for():
    check = judged([60.0, 0.0, 0.0])
    assert check.reason
    # Until the memory of it has faded: e^-8 of the squares is less than FITS.
    assert judged([0.5, 0.5, 0.5], seconds=8.0 * MEMORY, check=check).fits


def test_the_limit_of_a_lift_does_not_hide_that_gravity_is_missing():
    """A lift of 2000 N beside a joint of 43 N m; both lack their gravity, as those of a TIAGo."""
    limits, gravity = np.array([2000.0, 43.0]), np.array([190.0, 22.0])
    assert 'contain no gravity' in judged(gravity, gravity, limits).reason
