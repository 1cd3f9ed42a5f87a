"""A cubic through the states of a window: exact for cubics, on any stamps."""

import numpy as np
import pytest

from robot_dynamics_ros.control.payload_estimation.state_window import GAP, LENGTH, StateWindows

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


@pytest.mark.parametrize('rate', [30.0, 125.0, 1000.0])
@pytest.mark.parametrize('measured', [True, False])
def test_a_cubic_is_exact(rate, measured):
    """Velocities, and accelerations as their derivatives, or both from positions alone."""
    times = jittered(rate, 3.0)
    rows = states(times)
    if not measured:
        rows[:, 3:5] = np.nan
    windows = StateWindows(2)
    found = [window for part in np.array_split(rows, 17) for window in windows.push(part)]
    assert len(found) > 3.0 / (max(LENGTH, 9.0 / rate))
    assert windows.gaps == 0
    for middle, motion in found:
        np.testing.assert_allclose(motion.q[0], at(POSITION, middle)[0], atol=1e-9)
        np.testing.assert_allclose(motion.v[0], at(POSITION, middle, 1)[0], atol=1e-8)
        np.testing.assert_allclose(motion.a[0], at(POSITION, middle, 2)[0], atol=1e-6)
        np.testing.assert_allclose(motion.efforts[0], at(EFFORT, middle)[0], atol=1e-8)


def test_no_window_reaches_over_a_gap():
    times = jittered(500.0, 2.0)
    missing = (times > 0.9) & (times < 0.9 + 2.0 * GAP * LENGTH)
    windows = StateWindows(2)
    found = [w for part in np.array_split(states(times[~missing]), 40) for w in windows.push(part)]
    assert windows.gaps == 1
    for middle, motion in found:
        assert middle + motion.reach <= 0.9 or middle - motion.reach >= 0.9


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
