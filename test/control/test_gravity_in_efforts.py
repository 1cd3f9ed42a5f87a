"""An excess of measured efforts that is gravity is found along any motion, and no other is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_settings import examples
from shown_states import DYNAMICS, MODEL

from robot_dynamics_ros.control.driver_effort import MEMORY, GravityFit
from robot_dynamics_ros.core import JointFriction, RobotDynamics

PERIOD = 0.01
GRAVITY = np.array([0.0, 40.0, 10.0])
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
    check, random, ever = GravityFit(), np.random.default_rng(seed), False
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
    check = check or GravityFit()
    for _ in range(count):
        check.observe(np.array(excess), np.array(gravity), PERIOD)
    return check


@given(seed=st.integers(0, 2**32 - 1), weight=st.floats(1e-12, 1e-2))
@examples(20, deadline=None, derandomize=True)
def test_noise_where_hardly_anything_weighs_is_not_gravity(seed, weight):
    check, random = GravityFit(), np.random.default_rng(seed)
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
