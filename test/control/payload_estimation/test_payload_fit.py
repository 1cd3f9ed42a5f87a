"""The fit from sums: that of all equations at once, with intervals that cover the truth."""

import numpy as np
import pytest

from robot_dynamics_ros.control.payload_estimation.body_parameters import linear_parameters
from robot_dynamics_ros.control.payload_estimation.joint_sums import (
    MOST_BLOCKS,
    Equations,
    JointSums,
)
from robot_dynamics_ros.control.payload_estimation.payload_estimate import student
from robot_dynamics_ros.control.payload_estimation.payload_fit import fit_payload

BODY = np.array([1.3, 0.04, 0.05, -0.02, 0.004, 0.0005, 0.005, -0.0003, 0.0002, 0.003])
OWN = np.array([[0.4, -1.0, 2.0], [-0.1, 0.5, 0.7]])
# Of the coefficients: forces, moments of force and angular accelerations of a lively motion.
SIZE = np.array([10.0, *[10.0] * 3, *[20.0] * 6])
NOTHING = np.array([np.inf])
DEVIATIONS = np.array([0.05, 0.2])


def following(values, correlation):
    """Values that follow each other by an AR(1) process, of independent ones."""
    for index in range(1, len(values)):
        new = np.sqrt(1 - correlation**2) * values[index]
        values[index] = correlation * values[index - 1] + new
    return values


def equations(random, count=600, noise=DEVIATIONS, correlation=0.0):
    """Equations of two joints for the body; as a motion is smooth, neighbours are alike."""
    rows = following(random.normal(size=(count, 2, 11)), 0.9) * np.append(SIZE, 30.0)
    own = following(random.normal(size=(count, 2, 3)), 0.9)
    errors = following(random.normal(size=(count, 2)), correlation)
    explained = rows[..., :10] @ linear_parameters(BODY) + np.einsum('nrf,rf->nr', own, OWN)
    return Equations(rows, own, explained + noise * errors, np.ones((count, 2), bool))


def sums_of(written, duration=1.0, parts=7):
    """Sums in blocks of time, of samples every 0.05 s that come in parts."""
    sums = JointSums(2, 11, 3, duration)
    times = 0.05 * np.arange(len(written.torque))
    for rows in np.array_split(np.arange(len(times)), parts):
        part = slice(rows[0], rows[-1] + 1)
        sums.add(times[part], written.part(part))
    return sums


def test_without_noise_the_truth_is_found():
    written = equations(np.random.default_rng(1), noise=0.0)
    fit = fit_payload(sums_of(written), NOTHING)
    np.testing.assert_allclose(fit.theta, BODY, rtol=1e-5, atol=1e-8)


def test_it_is_weighted_least_squares_of_all_equations():
    """Linear parameters of the stacked, weighted equations, solved by NumPy's least squares."""
    written = equations(np.random.default_rng(2), count=4000)
    fit = fit_payload(sums_of(written), NOTHING)
    payload, own = written.rows[..., :10], written.own
    nothing = np.zeros_like(own[:, 0])
    stacked = [
        np.hstack([payload[:, 0], own[:, 0], nothing]) / fit.noise[0],
        np.hstack([payload[:, 1], nothing, own[:, 1]]) / fit.noise[1],
    ]
    torque = np.concatenate([written.torque[:, j] / fit.noise[j] for j in range(2)])
    solution = np.linalg.lstsq(np.vstack(stacked), torque, rcond=None)[0]
    # The weak prior and the weights by correlation are all that differs.
    deviation = np.sqrt(np.diag(fit.covariance))
    found = linear_parameters(fit.theta)
    assert (np.abs(found[:4] - solution[:4]) < 0.5 * deviation[:4] * [1, 2, 2, 2]).all()
    np.testing.assert_allclose(fit.noise, DEVIATIONS, rtol=0.05)


@pytest.mark.parametrize('correlation', [0.0, 0.97])
def test_intervals_cover_the_truth(correlation):
    """The intervals that are given contain the truth in about 95 % of the cases.

    Samples every 0.05 s: errors of 0.97 last 1.6 s, longer than a block.
    """
    random = np.random.default_rng(5)
    inside = []
    for _ in range(20):
        fit = fit_payload(sums_of(equations(random, correlation=correlation)), NOTHING)
        width = student(fit.blocks - 1) * np.sqrt(np.diag(fit.covariance))
        inside.append(np.abs(fit.theta - BODY) <= width)
    # 200 parameters, of which those of one fit are not independent.
    assert 0.9 <= np.mean(inside) <= 0.995


@pytest.mark.parametrize('correlation', [0.0, 0.8, 0.97])
def test_the_factor_of_the_variance_is_that_of_the_process(correlation):
    """Regressors follow each other by 0.9, errors by r: their products by 0.9 r.

    The variance of a sum of these is (1 + 0.9 r) / (1 - 0.9 r) times that of independent ones.
    """
    random = np.random.default_rng(6)
    count = 20 * MOST_BLOCKS
    found = [
        fit_payload(sums_of(equations(random, count, correlation=correlation)), NOTHING).inflation
        for _ in range(4)
    ]
    alike = 0.9 * correlation
    assert np.mean(found) == pytest.approx((1.0 + alike) / (1.0 - alike), rel=0.15)


def test_the_noise_of_few_equations_is_not_underestimated():
    """Of 60 equations of a joint, 3 determine its friction and 5 its half of the payload."""
    random = np.random.default_rng(10)
    noise = [fit_payload(sums_of(equations(random, count=60)), NOTHING).noise for _ in range(20)]
    squares = np.mean(np.square(noise) / DEVIATIONS**2)
    assert squares == pytest.approx(1.0, abs=0.12)


def test_alike_errors_give_wider_intervals():
    random = np.random.default_rng(6)
    alone, alike = (
        fit_payload(sums_of(equations(random, correlation=correlation)), NOTHING)
        for correlation in (0.0, 0.9)
    )
    assert alone.inflation.max() < 1.7
    assert alike.inflation.min() > 3.0
    assert alike.covariance[0, 0] > 3.0 * alone.covariance[0, 0]


def test_unused_equations_do_not_count():
    random = np.random.default_rng(7)
    written = equations(random)
    torque, used = written.torque.copy(), written.used.copy()
    torque[::3], used[::3] = 1e6, False
    kept = Equations(written.rows, written.own, torque, used)
    clean = Equations(
        *(
            np.delete(field, np.s_[::3], axis=0)
            for field in (written.rows, written.own, written.torque, written.used)
        )
    )
    marked, left_out = sums_of(kept, 1e9), sums_of(clean, 1e9)
    np.testing.assert_allclose(marked.blocks, left_out.blocks, rtol=1e-12)
    np.testing.assert_array_equal(marked.counts, left_out.counts)


def test_blocks_do_not_depend_on_how_the_samples_come():
    written = equations(np.random.default_rng(12))
    at_once, in_parts = sums_of(written, parts=1), sums_of(written, parts=31)
    assert len(at_once.blocks) == 30
    np.testing.assert_allclose(in_parts.blocks, at_once.blocks, rtol=1e-9, atol=1e-9)


def test_long_recordings_need_no_more_memory():
    """Neighbouring blocks are joined, and no equation is lost."""
    random = np.random.default_rng(8)
    written = equations(random, count=20 * 3 * MOST_BLOCKS)
    sums = sums_of(written)
    assert len(sums.blocks) <= MOST_BLOCKS
    once = sums_of(written, 1e9)
    np.testing.assert_allclose(sums.blocks.sum(axis=0), once.blocks[0], rtol=1e-9, atol=1e-6)
    np.testing.assert_array_equal(sums.counts, once.counts)


def test_a_share_beside_the_payload_is_found():
    """The parameter behind the ten, with its deviation; with infinite precision it is zero."""
    random = np.random.default_rng(9)
    written = equations(random)
    lacking = Equations(
        written.rows, written.own, written.torque - 0.9 * written.rows[..., 10], written.used
    )
    free = fit_payload(sums_of(lacking), np.array([1.0]))
    assert abs(free.others[0] + 0.9) < 4.0 * free.others_deviation[0] < 0.1
    assert fit_payload(sums_of(lacking), NOTHING).others[0] == 0.0
