"""Samples at equal intervals: as they are where stamps are regular, else by cubics."""

import numpy as np
from recorded_states import Sines

from robot_dynamics_ros.recordings.motion import grid

INTERVAL = 0.01


def gridded(times, values):
    """Rows of the grid, and their times."""
    size, values_of = grid(times, INTERVAL)
    rows = np.stack([values_of(column) for column in values.T], axis=1)
    return rows, times[0] + np.arange(size) * INTERVAL


def test_regular_samples_are_passed_on():
    times = 5.0 + np.arange(1000) * INTERVAL + np.random.default_rng(2).uniform(0, 1e-7, 1000)
    values = Sines().at(times)
    np.testing.assert_array_equal(gridded(times, values)[0], values)


def test_cubics_are_exact_at_any_times():
    times = np.cumsum(np.random.default_rng(3).uniform(0.2, 1.8, 1000)) * INTERVAL
    # Regular stamps between irregular ones leave no hole.
    times[300:600] = times[300] + np.arange(300) * INTERVAL
    times[600:] += times[599] - times[600] + INTERVAL
    polynomial = np.polynomial.Polynomial([1.0, -2.0, 0.5, 0.3])
    rows, wanted = gridded(times, polynomial(times)[:, None])
    assert wanted[-1] > times[-3] - INTERVAL
    np.testing.assert_allclose(rows[:, 0], polynomial(wanted), rtol=1e-9, atol=1e-9)


def test_bursts_of_stamps_do_not_overshoot():
    """Some samples of a steady motion have the stamp of the one before, within a millionth."""
    late = np.zeros(300)
    late[10:300:7] = 1.0 - 1e-6
    rows, _ = gridded((np.arange(300) - late) * INTERVAL, np.arange(300.0)[:, None])
    # Late ones do not count: those around them say what lies between.
    np.testing.assert_allclose(rows[:, 0], np.arange(len(rows)), atol=1e-9)
