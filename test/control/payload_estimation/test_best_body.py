"""The body that fits best: exact where the sums determine all, possible where they do not."""

import numpy as np
import pytest

from robot_dynamics_ros.control.payload_estimation.best_body import THINNEST, best_body, curvature
from robot_dynamics_ros.control.payload_estimation.body_parameters import (
    COLUMNS,
    ROWS,
    inertia_of,
    linear_parameters,
    second_moment,
    slopes,
    tensor,
)
from robot_dynamics_ros.core.model.inertial_parameters import parameters_of
from robot_dynamics_ros.core.model.payload import Payload

BODY = np.array([1.3, 0.04, 0.05, -0.02, 0.004, 0.0005, 0.005, -0.0003, 0.0002, 0.003])


def information_of(rows, torque):
    """(11, 11) products of the rows (N, 10) and what they explain (N,)."""
    columns = np.column_stack([rows, torque])
    return columns.T @ columns


def cost(information, theta):
    residual = np.append(-linear_parameters(theta), 1.0)
    return residual @ information @ residual


def test_the_linear_parameters_are_those_of_the_payload_of_the_model():
    payload = Payload('payload', 'hand', BODY[0], BODY[1:4], tensor(BODY[4:]).tolist())
    np.testing.assert_allclose(linear_parameters(BODY), parameters_of(payload.moments), rtol=1e-12)


def test_slopes_are_those_of_central_differences():
    step = 1e-6
    for column, unit in enumerate(np.eye(10)):
        ahead = linear_parameters(BODY + step * unit)
        behind = linear_parameters(BODY - step * unit)
        difference = (ahead - behind) / (2.0 * step)
        np.testing.assert_allclose(slopes(BODY)[:, column], difference, atol=1e-9)


def test_second_moment_and_inertia_are_inverse_to_each_other():
    np.testing.assert_allclose(inertia_of(second_moment(BODY[4:])), BODY[4:], rtol=1e-13)
    np.testing.assert_array_equal(tensor(BODY[4:])[ROWS, COLUMNS], BODY[4:])


def test_exact_equations_give_the_body():
    random = np.random.default_rng(1)
    rows = 1e5 * random.normal(size=(40, 10))
    found = best_body(information_of(rows, rows @ linear_parameters(BODY)), np.eye(10)[0])
    np.testing.assert_allclose(found, BODY, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize('seed', range(5))
def test_a_body_that_cannot_exist_becomes_the_best_one_that_can(seed):
    """No possible body nearby, or anywhere on the way to the true one, fits better."""
    random = np.random.default_rng(seed)
    impossible = BODY.copy()
    impossible[4:] = inertia_of(np.diag([0.004, 0.002, -0.003]))
    rows = 1e5 * random.normal(size=(40, 10))
    information = information_of(rows, rows @ linear_parameters(impossible))
    found = best_body(information, np.eye(10)[0])
    least = 1.3 * THINNEST**2
    assert np.linalg.eigvalsh(second_moment(found[4:])).min() >= 0.99 * least
    Payload('payload', 'hand', found[0], found[1:4], tensor(found[4:]).tolist())
    best = cost(information, found)
    for _ in range(200):
        root = np.linalg.cholesky(second_moment(found[4:]) - 0.98 * least * np.eye(3))
        root += np.tril(random.normal(0.0, 10.0 ** random.uniform(-6, -2), (3, 3)))
        other = found + random.normal(0.0, 10.0 ** random.uniform(-8, -3), 10)
        other[4:] = inertia_of(root @ root.T + least * np.eye(3))
        assert cost(information, other) >= best * (1.0 - 1e-6)


def test_without_an_equation_the_prior_is_left():
    found = best_body(np.zeros((11, 11)), np.array([1.0, *[0.0] * 9]))
    np.testing.assert_allclose(found[1:], 0.0, atol=3e-6)
    one_kilogram = np.eye(10)[0]
    deviations = 1.0 / np.sqrt(np.diag(curvature(np.zeros((11, 11)), one_kilogram))[1:])
    np.testing.assert_allclose(deviations, [0.3] * 3 + [0.04] * 6)
