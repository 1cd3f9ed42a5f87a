"""The estimate is right where the acceleration is constant, and late by what it says it is."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robot_dynamics_ros.control.acceleration import AccelerationEstimate

A = np.array([1.0, -30.0, 0.02])
cutoffs = st.floats(0.5, 200.0)
periods = st.floats(1e-4, 0.02)


@given(cutoff=st.floats(5.0, 200.0), period=st.floats(1e-3, 0.02))
@settings(deadline=None)
def test_exact_in_the_limit_of_constant_acceleration(cutoff, period):
    estimate, time = AccelerationEstimate(3, cutoff), 0.0
    while time < 40.0 * estimate.delay + 10.0 * period:
        estimate.update(time, A * time)
        time += period
    np.testing.assert_allclose(estimate.a, A, rtol=1e-9)


@given(cutoff=cutoffs, period=periods, count=st.integers(2, 40))
@settings(deadline=None)
def test_a_step_is_answered_with_the_exponential_of_the_filter(cutoff, period, count):
    """By its own closed form, whatever the period is."""
    estimate = AccelerationEstimate(3, cutoff)
    for step in range(count):
        estimate.update(step * period, A * step * period)
    answered = 1.0 - math.exp(-2.0 * math.pi * cutoff * period * (count - 1))
    np.testing.assert_allclose(estimate.a, answered * A, rtol=1e-9)


@pytest.mark.parametrize('cutoff', [1.0, 5.0, 20.0])
def test_it_lags_behind_a_ramp_by_its_delay(cutoff):
    """And by half a period, for a difference is the derivative in its middle."""
    estimate, period, jerk = AccelerationEstimate(1, cutoff), 1e-4, 7.0
    for step in range(round(15.0 * estimate.delay / period)):
        time = step * period
        estimate.update(time, np.array([0.5 * jerk * time**2]))
    lag = time - estimate.a[0] / jerk
    assert estimate.delay == pytest.approx(1.0 / (2.0 * math.pi * cutoff), rel=1e-12)
    # The sampled filter is late by period / (exp(period / delay) - 1), half a period less.
    assert lag == pytest.approx(estimate.delay, abs=0.01 * period + 1e-3 * estimate.delay)


def test_the_first_velocity_tells_nothing():
    assert not AccelerationEstimate(3, 10.0).update(5.0, 100.0 * A).any()


@pytest.mark.parametrize('elapsed', [0.0, -0.5])
def test_a_stamp_that_does_not_go_on_changes_nothing(elapsed):
    estimate, other = AccelerationEstimate(3, 10.0), AccelerationEstimate(3, 10.0)
    for each in (estimate, other):
        each.update(1.0, 0.0 * A)
        each.update(1.01, 0.01 * A)
    before = estimate.a.copy()
    assert np.array_equal(estimate.update(1.01 + elapsed, 9.0 * A), before)
    # The next difference is to the velocity that counted.
    assert np.array_equal(estimate.update(1.02, 0.02 * A), other.update(1.02, 0.02 * A))


def test_forgotten_is_as_new():
    estimate, fresh = AccelerationEstimate(3, 10.0), AccelerationEstimate(3, 10.0)
    for step in range(10):
        estimate.update(0.01 * step, A * step)
    assert estimate.a.any()
    estimate.reset()
    assert not estimate.a.any()
    for time in (-3.0, -2.99):
        velocity = A * time
        assert np.array_equal(estimate.update(time, velocity), fresh.update(time, velocity))


def test_the_velocities_that_came_may_be_reused():
    estimate, v = AccelerationEstimate(3, 1e6), np.zeros(3)
    estimate.update(0.0, v)
    v += A
    np.testing.assert_allclose(estimate.update(1.0, v), A)
    v += A
    np.testing.assert_allclose(estimate.update(2.0, v), A)
