"""An excess of measured efforts that is gravity is found along any motion, and no other is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_settings import examples
from shown_states import DYNAMICS, MODEL

from robot_dynamics_ros.control.gravity_in_efforts import (
    ABSENT,
    MEMORY,
    DoubleCompensation,
    GravityCheck,
)
from robot_dynamics_ros.core import JointFriction, RobotDynamics

PERIOD = 0.01
# A gravity torque, and limits of efforts that it tells of.
GRAVITY, STRONG = np.array([0.0, 40.0, 10.0]), np.array([100.0, 100.0, 30.0])
# While a joint moves one way, as much friction as gravity could not be told from it: up to half of
# the weight that the slide carries.
FRICTION = JointFriction(
    MODEL, viscous={'turn': 2.0, 'slide': 5.0, 'wrist': 1.0},
    coulomb={'turn': 1.0, 'slide': 5.0, 'wrist': 1.0},
)  # fmt: skip


def motion(random):
    """q and v for two seconds of joints that swing, each at its own speed."""
    center, phase = random.uniform(-1.0, 1.0, (2, 3))
    reach, rate = random.uniform(0.1, 0.5, 3), random.uniform(0.5, 3.0, 3)
    for time in np.arange(0.0, 2.0, PERIOD):
        q = center + reach * np.sin(rate * time + phase)
        yield q, reach * rate * np.cos(rate * time + phase)


@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(['added', 'taken away', 'nothing', 'friction', 'payload']),
    mass=st.floats(0.1, 3.0),
)
# The same noise in every run.
@examples(40, deadline=None, derandomize=True)
def test_gravity_that_somebody_adds_is_found_and_nothing_else_is(seed, kind, mass):
    """Nor a payload of up to half the mass that moves up and down with the hand."""
    check, random, ever = DoubleCompensation(3), np.random.default_rng(seed), False
    loaded = RobotDynamics(MODEL.with_payload('hand', 0.25 * mass), backend='python')
    for q, v in motion(random):
        gravity = DYNAMICS.gravity_torque(q)
        excess = {
            'added': gravity,
            'taken away': -gravity,
            'nothing': 0.0 * q,
            'friction': FRICTION.torque(v),
            'payload': loaded.gravity_torque(q) - gravity,
        }[kind]
        check.observe(excess + 0.05 * random.normal(size=3), gravity, PERIOD)
        ever |= check.is_gravity
    assert check.is_gravity == ever == (kind == 'added')
    assert kind != 'added' or check.share == pytest.approx(1.0, abs=0.02)


def seen(excess, gravity=GRAVITY, count=200, check=None):
    check = check or DoubleCompensation(3)
    for _ in range(count):
        check.observe(np.array(excess), np.array(gravity), PERIOD)
    return check


@given(seed=st.integers(0, 2**32 - 1), weight=st.floats(1e-12, 1e-2))
@examples(20, deadline=None, derandomize=True)
def test_noise_where_hardly_anything_weighs_is_not_gravity(seed, weight):
    check, random = DoubleCompensation(3), np.random.default_rng(seed)
    gravity = weight * random.normal(size=3)
    for _ in range(300):
        assert not seen(0.05 * random.normal(size=3), gravity, 1, check).is_gravity


def test_it_says_nothing_before_it_has_seen_enough_and_old_comparisons_expire():
    enough = round(MEMORY / PERIOD)
    check = seen(GRAVITY, count=enough - 1)
    assert not check.is_gravity
    assert seen(GRAVITY, count=200 - enough + 1, check=check).is_gravity
    seen(0.0 * GRAVITY, count=2 * enough, check=check)
    assert not check.is_gravity
    # e^-2 of the excess that was seen in 2 s is left, and all of the gravity of 3 s.
    left = np.exp(-2.0) * (1.0 - np.exp(-4.0)) / (1.0 - np.exp(-6.0))
    assert check.share == pytest.approx(left, rel=1e-6)
    check.reset()
    assert np.isnan(check.share)


@pytest.mark.parametrize(
    ('share', 'angle', 'found'),
    [
        *((0.69, 0.0, False), (0.71, 0.0, True), (1.29, 0.0, True), (1.31, 0.0, False)),
        # What gravity does not explain is the square of the sine: 0.04 and 0.06.
        *((1.0, 0.2, True), (1.0, 0.25, False)),
    ],
)
def test_the_size_and_the_shape_of_the_excess_tell(share, angle, found):
    excess = 10.0 * np.array([share, np.tan(angle)]) * np.cos(angle)
    assert seen(excess, [10.0, 0.0]).is_gravity == found


# A residual that is gravity


def judged(residual, gravity=GRAVITY, limits=STRONG, seconds=2.0, check=None):
    check = check or GravityCheck(limits)
    for _ in range(round(seconds / PERIOD)):
        check.step(np.array(residual), np.array(gravity), PERIOD)
    return check


@pytest.mark.parametrize(
    ('residual', 'fits', 'absent'),
    [
        ([1.0, -5.0, 2.0], True, False),
        (GRAVITY + np.array([0.5, 2.0, -1.0]), False, True),
        *((share * GRAVITY, False, False) for share in (-1.0, 0.6, 1.8)),
        ([60.0, 0.0, 0.0], False, False),
    ],
)
def test_a_residual_that_is_gravity_is_named_and_any_other_is_asked_about(residual, fits, absent):
    """Of a contact too, until it ends."""
    check = judged(residual)
    assert check.fits == fits == (not check.reason)
    assert (check.reason == ABSENT) == absent
    # Until the memory of it has faded: e^-8 of the squares is less than FITS.
    assert judged([0.5, 0.5, 0.5], seconds=8.0 * MEMORY, check=check).fits


def test_nothing_is_known_before_there_is_enough():
    check = judged(GRAVITY, seconds=0.9 * MEMORY)
    assert (check.known, check.reason) == (False, '')


@pytest.mark.parametrize('limits', [STRONG, np.full(3, np.inf)])
def test_small_gravity_tells_nothing(limits):
    """As of an arm that stands upright, whose friction is larger than its gravity torque."""
    check = judged([3.0, -2.0, 1.0], gravity=[0.0, 0.3, 0.1], limits=limits)
    assert (check.known, check.fits, check.reason) == (True, False, '')
    assert judged(GRAVITY, limits=limits, check=check).reason == ABSENT


def test_the_limit_of_a_lift_does_not_hide_that_gravity_is_missing():
    """A lift of 2000 N beside a joint of 43 N m; both lack their gravity, as those of a TIAGo."""
    limits, gravity = np.array([2000.0, 43.0]), np.array([190.0, 22.0])
    assert judged(gravity, gravity, limits).reason == ABSENT
