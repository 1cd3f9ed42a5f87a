"""Intervals under correlated residuals: closed forms, and how often they hold the truth."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.identification.estimation import (
    Estimate,
    LaggedInfluence,
    lagged_influence,
    with_correlation,
)
from robot_dynamics_ros.identification.parameters import ParameterLayout
from robot_dynamics_ros.identification.regression import EquationBlock

ROBOT = hand_written('oblique')
LAYOUT = ParameterLayout(ROBOT.model)
JOINTS = len(LAYOUT.joints)
# Base parameters here: the offsets, whose estimates are the means of the noise of each joint.
COLUMNS = tuple(LAYOUT.columns('offset').tolist())


def block_of(noise, first=0.0, recording='one', interval=0.05):
    rows = np.zeros((len(noise), JOINTS, LAYOUT.size))
    rows[:, np.arange(JOINTS), COLUMNS] = 1.0
    times = first + interval * np.arange(len(noise))
    used = np.ones(noise.shape, bool)
    return EquationBlock(
        LAYOUT, LAYOUT.joints, rows, noise, times, used, recording=recording, interval=interval
    )


def estimate_of(noise):
    """Means of the noise, and their covariance if it is white."""
    parameters = np.zeros(LAYOUT.size)
    parameters[list(COLUMNS)] = noise.mean(axis=0)
    deviation = noise.std(axis=0, ddof=1)
    covariance = np.diag(deviation**2 / len(noise))
    return Estimate(LAYOUT, parameters, COLUMNS, covariance, deviation, 'weighted')


def correlated(random, count, correlation):
    """Noise (count, n) of variance 1 that remembers the share `correlation` of its last value."""
    noise = random.normal(size=(count, JOINTS))
    for now, before in zip(noise[1:], noise[:-1], strict=True):
        now[:] = correlation * before + np.sqrt(1.0 - correlation**2) * now
    return noise


def widened(noise):
    found = estimate_of(noise)
    return with_correlation(found, lagged_influence([block_of(noise)], found), 1.0)


@pytest.mark.parametrize('correlation', [0.0, 0.6, 0.85])
def test_the_variance_of_a_mean_of_correlated_noise(correlation):
    """It is that of white noise times (1 + r) / (1 - r)."""
    noise = correlated(np.random.default_rng(3), 20000, correlation)
    found = np.diag(widened(noise).base_covariance) * len(noise)
    expected = (1.0 + correlation) / (1.0 - correlation)
    np.testing.assert_allclose(found, expected, rtol=0.25)


@pytest.mark.parametrize('correlation', [0.0, 0.7])
def test_intervals_hold_the_truth(correlation):
    """95 % of them; with correlated noise, those for white noise hold it far less often."""
    random = np.random.default_rng(4)
    held = {'white': [], 'correlated': []}
    for _ in range(200):
        noise = correlated(random, 500, correlation)
        for name, found in (('white', estimate_of(noise)), ('correlated', widened(noise))):
            errors = np.abs(found.parameters[list(COLUMNS)])
            held[name].append(errors < 1.96 * np.sqrt(np.diag(found.base_covariance)))
    assert 0.92 <= np.mean(held['correlated']) <= 0.98
    if correlation:
        assert np.mean(held['white']) < 0.75


def test_joints_that_err_together():
    """Base parameter = mean over joints: its variance has the products of different joints."""
    common = np.repeat(np.random.default_rng(5).normal(size=(4000, 1)), JOINTS, axis=1)
    block = block_of(common)
    rows = np.zeros_like(block.rows)
    rows[:, :, COLUMNS[0]] = 1.0
    block = replace(block, rows=rows)
    found = estimate_of(common)
    one = replace(found, base_columns=COLUMNS[:1], base_covariance=found.base_covariance[:1, :1])
    inflation = lagged_influence([block], one).inflation
    np.testing.assert_allclose(inflation, JOINTS, rtol=0.1)


def test_blocks_are_runs_and_recordings_add_up():
    noise = correlated(np.random.default_rng(6), 600, 0.7)
    found = estimate_of(noise)
    whole = lagged_influence([block_of(noise)], found)
    cuts = [0, 10, 50, 51, 400, 600]
    parts = [block_of(noise[a:b], first=0.05 * a) for a, b in pairwise(cuts)]
    np.testing.assert_allclose(lagged_influence(parts, found).products, whole.products)
    other = [replace(part, recording=str(i)) for i, part in enumerate(parts)]
    together = lagged_influence(other, found)
    merged = LaggedInfluence.merged([lagged_influence([part], found) for part in parts])
    np.testing.assert_allclose(together.products, merged.products)
    np.testing.assert_allclose(merged.alone, whole.alone)
    assert not np.allclose(merged.products[:, 1], whole.products[:, 1])


def test_alternating_residuals_make_no_interval_shorter():
    noise = correlated(np.random.default_rng(7), 2000, -0.6)
    found = widened(noise)
    assert (np.diag(found.base_covariance) >= np.diag(estimate_of(noise).base_covariance)).all()


def test_each_parameter_has_lags_of_its_own():
    """One joint whose noise lasts long, among others whose noise is white."""
    random = np.random.default_rng(8)
    noise = correlated(random, 20000, 0.0)
    noise[:, 0] = correlated(random, 20000, 0.9)[:, 0]
    found = np.diag(widened(noise).base_covariance) * len(noise)
    assert found[0] == pytest.approx(19.0, rel=0.3)
    np.testing.assert_allclose(found[1:], 1.0, rtol=0.1)


def test_lags_of_another_duration_are_not_added():
    """Two recordings of the same process, at 20 and at 10 equations a second."""
    fast = correlated(np.random.default_rng(9), 20000, 0.8)
    slow = correlated(np.random.default_rng(10), 20000, 0.64)
    found = estimate_of(np.concatenate([fast, slow]))
    parts = [block_of(fast), block_of(slow, recording='two', interval=0.1)]
    lagged = lagged_influence(parts, found)
    assert lagged.intervals == (0.05, 0.1)
    expected = 0.5 * (1.8 / 0.2 + 1.64 / 0.36)
    np.testing.assert_allclose(lagged.inflation, expected, rtol=0.25)


def test_equations_of_single_times_far_apart_are_no_neighbours():
    noise = correlated(np.random.default_rng(11), 50, 0.9)
    found = estimate_of(noise)
    apart = [block_of(one[None], first=10.0 * k) for k, one in enumerate(noise)]
    assert not lagged_influence(apart, found).products[:, 1:].any()
    beside = [block_of(one[None], first=0.05 * k) for k, one in enumerate(noise)]
    np.testing.assert_allclose(
        lagged_influence(beside, found).products,
        lagged_influence([block_of(noise)], found).products,
    )
