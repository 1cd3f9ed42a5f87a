"""An excess of measured efforts that is gravity is found along any motion, and no other is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_settings import examples
from three_joints import URDF

from robot_dynamics_ros.control.gravity_in_efforts import MEMORY, DoubleCompensation, GravityCheck
from robot_dynamics_ros.core import JointFriction, RobotDynamics, parse_urdf

MODEL = parse_urdf(URDF)
DYNAMICS = RobotDynamics(MODEL, backend='python')
PERIOD = 0.01
# A gravity torque, and limits of efforts that it tells of.
GRAVITY, STRONG = np.array([0.0, 40.0, 10.0]), np.array([100.0, 100.0, 30.0])
# The same noise in every run.
STEADY = examples(30, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1)


def motion(seed, seconds=2.0):
    """q and v of joints that swing, each at its own speed."""
    random = np.random.default_rng(seed)
    center, phase = random.uniform(-1.0, 1.0, (2, 3))
    reach, rate = random.uniform(0.1, 0.5, 3), random.uniform(0.5, 3.0, 3)
    for time in np.arange(0.0, seconds, PERIOD):
        q = center + reach * np.sin(rate * time + phase)
        yield q, reach * rate * np.cos(rate * time + phase)


def observed(states, excess, seed=0, noise=0.05):
    """A check that has seen all of the motion, with noise on the measured efforts."""
    check, random = DoubleCompensation(3), np.random.default_rng(seed)
    ever = False
    for q, v in states:
        gravity = DYNAMICS.gravity_torque(q)
        check.observe(excess(q, v, gravity) + noise * random.normal(size=3), gravity, PERIOD)
        ever |= check.is_gravity
    return check, ever


@given(seed=seeds)
@STEADY
def test_gravity_that_somebody_adds_is_found(seed):
    check, _ = observed(motion(seed), lambda q, v, gravity: gravity, seed)
    assert check.is_gravity
    assert check.share == pytest.approx(1.0, abs=0.02)


@given(seed=seeds)
@STEADY
def test_friction_is_not_gravity(seed):
    """Up to half of the weight that the slide carries; while a joint moves one way, as much
    friction as gravity could not be told from it.
    """
    friction = JointFriction(
        MODEL,
        viscous={'turn': 2.0, 'slide': 5.0, 'wrist': 1.0},
        coulomb={'turn': 1.0, 'slide': 5.0, 'wrist': 1.0},
    )
    _, ever = observed(motion(seed), lambda q, v, gravity: friction.torque(v), seed)
    assert not ever


@given(seed=seeds, mass=st.floats(0.1, 3.0))
@STEADY
def test_a_payload_at_the_hand_is_not_gravity(seed, mass):
    """Of up to half the mass that moves up and down with the hand."""
    loaded = RobotDynamics(MODEL.with_payload('hand', 0.25 * mass), backend='python')
    _, ever = observed(motion(seed), lambda q, v, g: loaded.gravity_torque(q) - g, seed)
    assert not ever


@given(seed=seeds, sign=st.sampled_from([-1.0, 0.0]))
@STEADY
def test_nothing_added_and_gravity_taken_away(seed, sign):
    _, ever = observed(motion(seed), lambda q, v, gravity: sign * gravity, seed)
    assert not ever


@given(seed=seeds, size=st.integers(1, 3), weight=st.floats(1e-12, 1e-2))
@STEADY
def test_noise_where_hardly_anything_weighs_is_not_gravity(seed, size, weight):
    check, random = DoubleCompensation(3), np.random.default_rng(seed)
    gravity = weight * random.normal(size=size)
    for _ in range(300):
        check.observe(0.05 * random.normal(size=size), gravity, PERIOD)
        assert not check.is_gravity


def test_it_says_nothing_before_it_has_seen_enough():
    check, gravity = DoubleCompensation(3), np.array([3.0, -40.0, 5.0])
    seen = 0.0
    while seen < MEMORY - 1.5 * PERIOD:
        check.observe(gravity, gravity, PERIOD)
        seen += PERIOD
        assert not check.is_gravity
    for _ in range(3):
        check.observe(gravity, gravity, PERIOD)
    assert check.is_gravity


def test_old_comparisons_expire_and_a_change_clears_them():
    check, gravity = DoubleCompensation(3), np.array([3.0, -40.0, 5.0])
    for _ in range(200):
        check.observe(gravity, gravity, PERIOD)
    assert check.is_gravity
    for _ in range(round(2 * MEMORY / PERIOD)):
        check.observe(0.0 * gravity, gravity, PERIOD)
    assert not check.is_gravity
    # e^-2 of the excess that was seen in 2 s is left, and all of the gravity of 3 s.
    left = np.exp(-2.0) * (1.0 - np.exp(-4.0)) / (1.0 - np.exp(-6.0))
    assert check.share == pytest.approx(left, rel=1e-6)
    check.reset()
    assert np.isnan(check.share)


@pytest.mark.parametrize(
    ('share', 'found'), [(0.69, False), (0.71, True), (1.29, True), (1.31, False)]
)
def test_the_size_of_the_excess_tells(share, found):
    check, gravity = DoubleCompensation(3), np.array([3.0, -40.0, 5.0])
    for _ in range(100):
        check.observe(share * gravity, gravity, PERIOD)
    assert check.is_gravity == found


@pytest.mark.parametrize(('angle', 'found'), [(0.2, True), (0.25, False)])
def test_the_shape_of_the_excess_tells(angle, found):
    """What gravity does not explain is the square of the sine: 0.04 and 0.06."""
    check, gravity = DoubleCompensation(3), np.array([10.0, 0.0])
    excess = 10.0 * np.array([np.cos(angle), np.sin(angle)])
    for _ in range(100):
        check.observe(excess, gravity, PERIOD)
    assert check.is_gravity == found


# A residual that is gravity


def judged(residual, gravity=GRAVITY, limits=STRONG, seconds=2.0, check=None):
    check = check or GravityCheck(limits)
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


@pytest.mark.parametrize('limits', [STRONG, np.full(3, np.inf)])
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
