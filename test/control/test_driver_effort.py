"""What efforts are is converted in one place, and what the data contradict at rest is found."""

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_settings import examples
from shown_states import GRAVITY, PARTS, PERIOD, Driver, Q

from robot_dynamics_ros.control.driver_effort import (
    MEANINGS,
    MEMORY,
    SLOWEST,
    EffortFit,
    applied_torque,
    effort_of,
    link_torque,
    shows_added_gravity,
)
from robot_dynamics_ros.control.settings import DriverEffort, Settings
from robot_dynamics_ros.control.supervisor import Event

VALUES = get_args(DriverEffort)
# A gravity torque, and limits of efforts that it tells of.
HEAVY, STRONG = np.array([0.0, 40.0, 10.0]), np.array([100.0, 100.0, 30.0])
WITHOUT = 'torque_without_gravity'


def published(meaning, torque, gravity):
    """What a driver of this kind publishes of a torque on the links."""
    return {
        'torque': torque,
        'reversed_torque': -torque,
        WITHOUT: torque - gravity,
        'current': 0.08 * torque,
        'none': 0.0 * torque,
    }[meaning]


@pytest.mark.parametrize('meaning', VALUES)
def test_from_what_is_published_follow_the_torque_of_the_links_and_what_was_commanded(meaning):
    torque, gravity = np.array([3.0, -20.0, np.nan]), np.array([0.0, -15.0, 4.0])
    effort = published(meaning, torque, gravity)
    assert applied_torque(None, meaning) is None
    if meaning in ('current', 'none'):
        assert meaning not in MEANINGS
        assert applied_torque(effort, meaning) is None
        return
    np.testing.assert_array_equal(link_torque(effort, lambda: gravity, meaning), torque)
    np.testing.assert_array_equal(effort_of(torque, gravity, meaning), effort)
    commanded = torque - gravity if meaning == WITHOUT else torque
    np.testing.assert_array_equal(applied_torque(effort, meaning), commanded)
    assert shows_added_gravity(meaning) == (meaning != WITHOUT)


# Which value fits


def judged(effort, meaning='torque', gravity=HEAVY, limits=STRONG, seconds=2.0, fit=None):
    fit = fit or EffortFit(limits, meaning)
    for _ in range(round(seconds / PERIOD)):
        fit.step(np.array(effort), np.array(gravity), PERIOD)
    return fit


@given(
    meaning=st.sampled_from(list(MEANINGS)),
    truth=st.sampled_from(VALUES),
    seed=st.integers(0, 2**32 - 1),
)
@examples(60, deadline=None, derandomize=True)
def test_the_value_that_fits_is_found_whatever_was_set_and_friction_does_not_hide_it(
    meaning, truth, seed
):
    """Friction at rest of 5 % of the effort limits, and offsets of sensors of 0.5 %."""
    noise = np.random.default_rng(seed).uniform(-1.0, 1.0, (2, 3)) * STRONG
    effort = published(truth, HEAVY + 0.05 * noise[0], HEAVY) + 0.005 * noise[1]
    fit = judged(effort, meaning)
    assert truth in fit.fitting
    assert fit.fits == (meaning in fit.fitting) == (not fit.doubt)
    assert fit.fits or fit.fitting[0] in fit.doubt


@pytest.mark.parametrize('effort', [[60.0, 0.0, 0.0], [0.0, 0.0, 40.0], [30.0, 60.0, 10.0]])
def test_a_large_contact_fits_nothing_until_it_ends(effort):
    fit = judged(effort)
    assert (fit.fits, fit.fitting) == (False, ())
    assert fit.doubt
    # Until the memory of it has faded: e^-8 of the squares is less than FITS.
    assert judged(HEAVY, seconds=8.0 * MEMORY, fit=fit).fits
    # Then nothing is compared any more, unless the value is another or the device is.
    fit.use('torque')
    assert fit.fits
    fit.use('reversed_torque')
    assert not fit.fits


def test_percent_and_other_multiples_are_no_torques():
    assert judged(5.0 * HEAVY).fitting == ('current',)


def test_nothing_is_known_before_there_is_enough():
    fit = judged(-HEAVY, seconds=0.9 * MEMORY)
    assert not fit.step(-HEAVY, HEAVY, PERIOD)
    assert (fit.fits, fit.fitting, fit.doubt) == (False, (), '')


@pytest.mark.parametrize('limits', [STRONG, np.full(3, np.inf)])
def test_small_gravity_tells_nothing(limits):
    """As of an arm that stands upright, whose friction is larger than its gravity torque."""
    fit, small = EffortFit(limits, 'torque'), np.array([0.0, 0.3, 0.1])
    assert fit.step(np.array([3.0, -2.0, 1.0]), small, PERIOD)
    judged([3.0, -2.0, 1.0], gravity=small, fit=fit)
    assert (fit.fits, fit.doubt) == (False, '')
    assert judged(-HEAVY, fit=fit).fitting == ('reversed_torque',)


def test_the_limit_of_a_lift_does_not_hide_that_gravity_is_missing():
    """A lift of 2000 N beside a joint of 43 N m; both lack their gravity, as those of a TIAGo."""
    limits, gravity = np.array([2000.0, 43.0]), np.array([190.0, 22.0])
    assert judged([0.0, 0.0], gravity=gravity, limits=limits).fitting == (
        WITHOUT,
        'current',
        'none',
    )


# From the states of a guard


def contradiction(
    share, meaning='torque', *, active=True, terms=('gravity',), parts=None, **shown
):
    """What is said of efforts at rest that are a share of gravity."""
    settings = Settings(fade_time=0.2, on_restart='fade_from_zero', driver_effort=meaning)
    driver = Driver(settings, terms)
    driver.guard.supervisor.active = active
    for _ in range(round(1.2 / PERIOD)):
        for part in [np.ones(3, bool)] if parts is None else parts:
            effort = np.where(part, share * GRAVITY, np.nan)
            driver.show(np.where(part, Q, np.nan), effort=effort, **shown)
    return driver.guard.efforts.contradiction


@pytest.mark.parametrize(
    ('meaning', 'fits'),
    [('torque', 1.0), ('reversed_torque', -1.0), ('current', 0.1), ('none', 1)],
)
def test_efforts_that_fit_are_silent_whether_commanded_or_not(meaning, fits):
    for active in (True, False):
        assert not contradiction(fits, meaning, active=active)


@pytest.mark.parametrize(
    ('share', 'meaning', 'other'),
    [
        (-1.0, 'torque', 'reversed_torque'),
        (1.0, 'reversed_torque', 'torque'),
        (1.0, WITHOUT, 'torque'),
    ],
)
@pytest.mark.parametrize('active', [True, False])
def test_gravity_that_contradicts_is_named_although_the_arm_is_not_commanded(
    share, meaning, other, active
):
    # Commands do not begin where gravity in the efforts is that of somebody else.
    said = contradiction(share, meaning, active=active, terms=('coriolis',))
    assert f'driver_effort is {meaning}, {other} fits' in said


@pytest.mark.parametrize('parts', [None, PARTS])
def test_efforts_without_gravity_contradict_only_where_the_commands_hold_the_arm(parts):
    """A brake may hold it before, and its motors apply nothing."""
    assert WITHOUT in contradiction(0.0, parts=parts)
    assert 'current' in contradiction(8.0, parts=parts)
    for held in ({'active': False}, {'terms': ('coriolis',)}):
        assert not contradiction(0.0, parts=parts, **held)
    assert not contradiction(0.0, WITHOUT, terms=('coriolis',), parts=parts)


def test_a_moving_arm_tells_nothing_and_a_live_value_takes_effect():
    assert not contradiction(-1.0, v=np.array([0.0, 2.0 * SLOWEST, 0.0]))
    driver = Driver(Settings(fade_time=0.2), ('coriolis',))
    driver.settle(seconds=1.2, effort=-GRAVITY)
    assert driver.guard.efforts.contradiction
    driver.guard.apply(Settings(driver_effort='reversed_torque'))
    driver.settle(seconds=1.2, effort=-GRAVITY)
    assert not driver.guard.efforts.contradiction
    assert driver.guard.efforts.fits


@pytest.mark.parametrize('terms', ['gravity', 'coriolis'])
@pytest.mark.parametrize('meaning', VALUES)
def test_efforts_of_a_driver_that_adds_gravity_too_are_a_fault(meaning, terms):
    """Of efforts without gravity nothing is known; a fault is zero, at the rate limit."""
    settings = Settings(fade_time=0.2, driver_effort=meaning, on_restart='fade_from_zero')
    driver = Driver(settings, (terms,))
    command = driver.settle()
    effort = published(meaning, command + GRAVITY, GRAVITY)
    commands = [driver.show(effort=effort) for _ in range(200)]
    found = bool(driver.guard.supervisor.fault)
    assert found == (meaning in ('torque', 'reversed_torque') and terms == 'gravity')
    if found:
        assert driver.guard.supervisor.event is Event.DOUBLE_GRAVITY
        spoken = np.array([each for each in commands if each is not None])
        assert not spoken[-1].any()
        steps = np.abs(np.diff(spoken, axis=0))
        assert (steps <= driver.guard.limiter.rates * PERIOD + 1e-9).all()
