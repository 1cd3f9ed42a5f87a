"""The fit from sums: that of all equations at once, with intervals that cover the truth."""

import numpy as np
import pytest

from robot_dynamics_ros.core.model.inertial_parameters import parameters_of
from robot_dynamics_ros.core.model.payload import Payload
from robot_dynamics_ros.identification.payload import student
from robot_dynamics_ros.identification.payload_fit import (
    MOST_BLOCKS,
    THINNEST,
    BlockSums,
    central,
    fit_payload,
    possible,
)


def tensor(entries):
    ixx, ixy, iyy, ixz, iyz, izz = entries
    return np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])


BODY = np.array([1.3, 0.04, 0.05, -0.02, 0.004, 0.0005, 0.005, -0.0003, 0.0002, 0.003])
PI = np.array(
    parameters_of(Payload('it', 'hand', BODY[0], BODY[1:4], tensor(BODY[4:]).tolist()).moments)
)
OWN = np.array([[0.4, -1.0, 2.0], [-0.1, 0.5, 0.7]])
# Of the coefficients: forces, moments of force and angular accelerations of a lively motion.
SIZE = np.array([10.0, *[10.0] * 3, *[20.0] * 6, 30.0])
NOTHING = np.array([1e30])
DEVIATIONS = np.array([0.05, 0.2])


def following(values, correlation):
    """Values that follow each other by an AR(1) process, of independent ones."""
    for index in range(1, len(values)):
        new = np.sqrt(1 - correlation**2) * values[index]
        values[index] = correlation * values[index - 1] + new
    return values


def equations(random, count=600, noise=DEVIATIONS, correlation=0.0):
    """Columns of two joints for the body; as a motion is smooth, neighbours are alike."""
    shared = following(random.normal(size=(count, 2, 11)), 0.9) * SIZE
    own = following(random.normal(size=(count, 2, 3)), 0.9)
    own[..., 0] = 1.0
    errors = following(random.normal(size=(count, 2)), correlation)
    explained = shared @ np.append(PI, 0.0) + np.einsum('nrf,rf->nr', own, OWN)
    return np.concatenate([shared, own, (explained + noise * errors)[..., None]], axis=2)


def sums_of(columns, used=None, parts=7):
    """Sums of samples every 0.05 s that come in parts."""
    sums = BlockSums(2, 11, 3)
    used = np.ones(columns.shape[:2], bool) if used is None else used
    for rows in np.array_split(np.arange(len(columns)), parts):
        sums.add(0.05 * rows, columns[rows], used[rows])
    return sums


def test_it_is_weighted_least_squares_of_all_equations():
    """Linear parameters of the stacked, weighted equations, solved by NumPy's least squares."""
    columns = equations(np.random.default_rng(2), count=4000)
    fit = fit_payload(sums_of(columns), NOTHING)
    payload, own, torque = columns[..., :10], columns[..., 11:14], columns[..., 14]
    nothing = np.zeros_like(own[:, 0])
    stacked = [
        np.hstack([payload[:, 0], own[:, 0], nothing]) / fit.noise[0],
        np.hstack([payload[:, 1], nothing, own[:, 1]]) / fit.noise[1],
    ]
    right = np.concatenate([torque[:, j] / fit.noise[j] for j in range(2)])
    solution = central(np.linalg.lstsq(np.vstack(stacked), right, rcond=None)[0][:10])
    # The weak prior and the weights by correlation are all that differs.
    assert (np.abs(fit.body - solution) < 0.5 * fit.deviations).all()
    np.testing.assert_allclose(fit.noise, DEVIATIONS, rtol=0.05)


@pytest.mark.parametrize('correlation', [0.0, 0.97])
def test_intervals_cover_the_truth(correlation):
    """The intervals contain the truth in about 95 % of the cases.

    Samples every 0.05 s: errors of 0.97 last 1.6 s, longer than a block.
    """
    random = np.random.default_rng(5)
    inside = []
    for _ in range(20):
        fit = fit_payload(sums_of(equations(random, correlation=correlation)), NOTHING)
        inside.append(np.abs(fit.body - BODY) <= student(fit.blocks - 1) * fit.deviations)
    # 200 parameters, of which those of one fit are not independent.
    assert 0.9 <= np.mean(inside) <= 0.995


@pytest.mark.parametrize('correlation', [0.0, 0.8, 0.97])
def test_the_factor_of_the_variance_is_that_of_the_process(correlation):
    """Regressors follow each other by 0.9, errors by r: their products by 0.9 r.

    The variance of a sum of these is (1 + 0.9 r) / (1 - 0.9 r) times that of independent ones.
    """
    random = np.random.default_rng(6)
    found = [
        fit_payload(sums_of(equations(random, 20 * MOST_BLOCKS, correlation=correlation)), NOTHING)
        for _ in range(4)
    ]
    alike = 0.9 * correlation
    expected = (1.0 + alike) / (1.0 - alike)
    assert np.mean([fit.inflation for fit in found]) == pytest.approx(expected, rel=0.15)


def test_the_noise_of_few_equations_is_not_underestimated():
    """Of 30 equations of a joint, 3 determine its friction and 5 its half of the payload.

    Of fewer than there are unknowns, all that they say counts as noise.
    """
    random = np.random.default_rng(10)
    noise = [fit_payload(sums_of(equations(random, count=30)), NOTHING).noise for _ in range(40)]
    assert np.mean(np.square(noise) / DEVIATIONS**2) == pytest.approx(1.0, abs=0.12)
    few = equations(random, count=12)
    expected = np.sqrt(np.mean(few[..., -1] ** 2, axis=0))
    np.testing.assert_allclose(fit_payload(sums_of(few), NOTHING).noise, expected)


def test_the_sums_are_those_of_the_equations_that_are_used():
    """However they come; neighbouring blocks are joined, so that memory is bounded."""
    random = np.random.default_rng(7)
    columns = equations(random, count=20 * 3 * MOST_BLOCKS)
    used = random.random(columns.shape[:2]) > 0.3
    columns[~used] = 1e6
    sums = sums_of(columns, used, parts=31)
    assert len(sums.products) <= MOST_BLOCKS
    for joint in range(2):
        kept = columns[used[:, joint], joint]
        np.testing.assert_allclose(sums.products.sum(axis=0)[joint], kept.T @ kept, rtol=1e-9)


@pytest.mark.parametrize('seed', range(5))
def test_an_inertia_that_cannot_exist_becomes_the_nearest_one_that_can(seed):
    """No possible one around it is nearer: of second moments, in the Frobenius norm."""
    random = np.random.default_rng(seed)
    impossible = np.append(BODY[:4], BODY[4:] + 0.002 * random.normal(size=6))
    impossible[4] += 0.01

    def moments(body):
        inertia = tensor(body[4:])
        return 0.5 * np.trace(inertia) * np.eye(3) - inertia

    def thickness(body):
        return np.linalg.eigvalsh(moments(body))[0] / BODY[0]

    def distance(body):
        return np.linalg.norm(moments(body) - moments(impossible))

    assert thickness(impossible) < 0.0
    found = possible(impossible)
    assert thickness(found) >= 0.999 * THINNEST**2
    Payload('payload', 'hand', BODY[0], BODY[1:4], tensor(found[4:]).tolist())
    for scale in np.geomspace(1e-8, 1e-2, 300):
        other = found + scale * np.append(np.zeros(4), random.normal(size=6))
        if thickness(other) >= THINNEST**2:
            assert distance(other) >= distance(found) * (1.0 - 1e-6)
    np.testing.assert_allclose(possible(found), found, atol=1e-15)
