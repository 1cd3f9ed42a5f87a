"""The weighted mean over a window: motion and efforts alike, on any stamps."""

import numpy as np
import pytest

from robot_dynamics_ros.control.payload_estimation.state_window import (
    CORE,
    GAP,
    LEAST_STATES,
    LENGTH,
    STRIDE,
    StateWindows,
)

# Coefficients of the motions of two joints, and of their efforts.
POSITION = np.array([[0.3, -0.2], [1.1, 0.4], [-0.5, 0.9], [0.7, -0.6]])
EFFORT = np.array([[3.0, -5.0], [1.0, 2.0], [-4.0, 0.5], [0.0, 0.0]])


def at(coefficients, times, derivative=0):
    polynomials = [np.polynomial.Polynomial(column) for column in coefficients.T]
    return np.column_stack([one.deriv(derivative)(times) for one in polynomials])


def states(times):
    return np.column_stack([times, at(POSITION, times), at(POSITION, times, 1), at(EFFORT, times)])


def jittered(rate, seconds, seed=1):
    random = np.random.default_rng(seed)
    times = np.arange(round(rate * seconds)) / rate
    return times + random.uniform(-0.3, 0.3, len(times)) / rate


def filtered(rows, size=2, parts=17):
    windows = StateWindows(size)
    found = [window for part in np.array_split(rows, parts) for window in windows.push(part)]
    assert windows.gaps == 0
    return found


@pytest.mark.parametrize('rate', [50.0, 250.0, 1000.0])
@pytest.mark.parametrize('measured', [True, False])
def test_a_cubic_stays_as_it_is(rate, measured):
    """Velocities, and accelerations as their derivatives, or both from positions alone.

    Lines between the states differ from the cubic by its second derivative times dt^2 / 8.
    """
    times = jittered(rate, 3.0)
    rows = states(times)
    if not measured:
        rows[:, 3:5] = np.nan
    found = filtered(rows)
    assert len(found) > 2.0 / (max(LENGTH, LEAST_STATES / rate) * STRIDE)
    allowed = 8.0 / rate**2 + 1e-4
    for middle, motion in found:
        np.testing.assert_allclose(motion.q[0], at(POSITION, middle)[0], atol=allowed)
        np.testing.assert_allclose(motion.v[0], at(POSITION, middle, 1)[0], atol=30.0 * allowed)
        np.testing.assert_allclose(motion.a[0], at(POSITION, middle, 2)[0], atol=1e3 * allowed)
        np.testing.assert_allclose(motion.efforts[0], at(EFFORT, middle)[0], atol=allowed)


@pytest.mark.parametrize('frequency', [2.0, 8.0, 12.0, 20.0])
def test_acceleration_and_effort_pass_the_same_low_pass(frequency):
    """Of a mass of 1 kg the effort is the acceleration, at any frequency, damped or not."""
    rate = 2.0 * np.pi * frequency
    times = jittered(1000.0, 3.0)
    q, v, a = (
        np.sin(rate * times + order * np.pi / 2) * rate ** (order - 2) for order in range(3)
    )
    for measured in (v, np.full_like(v, np.nan)):
        found = filtered(np.column_stack([times, q, measured, a]), size=1)
        accelerations = np.array([motion.a[0, 0] for _, motion in found])
        efforts = np.array([motion.efforts[0, 0] for _, motion in found])
        np.testing.assert_allclose(accelerations, efforts, atol=2e-3)
        # The window is that of the documents: 9.5 Hz is halved.
        assert np.abs(efforts).max() > 0.9 if frequency < 3.0 else np.abs(efforts).max() < 0.75


def test_a_gap_that_is_short_is_bridged():
    times = np.delete(jittered(500.0, 2.0), [500, 501, 502])
    for middle, motion in filtered(states(times)):
        np.testing.assert_allclose(motion.q[0], at(POSITION, middle)[0], atol=1e-4)


def test_no_window_reaches_over_a_gap():
    times = jittered(500.0, 2.0)
    missing = (times > 0.9) & (times < 0.9 + 2.0 * GAP * LENGTH)
    windows = StateWindows(2)
    found = [w for part in np.array_split(states(times[~missing]), 40) for w in windows.push(part)]
    assert windows.gaps == 1
    for middle, motion in found:
        half = motion.reach / CORE
        assert middle + half <= 0.9 or middle - half >= 0.9


@pytest.mark.parametrize('parts', [500, 7, 1])
def test_states_before_a_gap_are_filtered_however_they_come(parts):
    """The windows are those of each stretch alone, also where one push holds several gaps."""
    numbers = np.arange(2000)
    rows = states(numbers / 500.0)
    stretches = [rows[(numbers // 200 == k) & (numbers % 200 >= 30)] for k in range(10)]
    expected = [time for part in stretches for time, _ in StateWindows(2).push(part)]
    assert len(expected) >= 2 * len(stretches)
    windows = StateWindows(2)
    pushes = np.array_split(np.concatenate(stretches), parts)
    found = [time for part in pushes for time, _ in windows.push(part)]
    np.testing.assert_array_equal(found, expected)
    assert windows.gaps == len(stretches) - 1


def test_a_clock_that_was_set_back_begins_anew():
    times = np.arange(1000) / 500.0
    windows = StateWindows(2)
    before = list(windows.push(states(times)))
    after = list(windows.push(states(times)))
    assert windows.gaps == 1
    assert len(after) == len(before)


def test_an_effort_that_is_not_measured_stays_unknown():
    rows = states(jittered(500.0, 1.0))
    rows[:, 5] = np.nan
    for _, motion in StateWindows(2).push(rows):
        assert np.isnan(motion.efforts[0, 0])
        assert np.isfinite(motion.efforts[0, 1])
