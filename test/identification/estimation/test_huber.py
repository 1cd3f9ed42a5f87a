"""Weights of equations that do not fit, and what they make of normal noise."""

import numpy as np
import pytest
from mechanics.robots import hand_written
from scipy import integrate, stats

from robot_dynamics_ros.identification.estimation.huber import (
    THRESHOLD,
    HuberWeights,
    normal_noise,
)
from robot_dynamics_ros.identification.parameters import ParameterLayout
from robot_dynamics_ros.identification.regression import EquationBlock

LAYOUT = ParameterLayout(hand_written('pendulum').model)


def block_of(residuals):
    count = len(residuals)
    return EquationBlock(
        LAYOUT,
        LAYOUT.joints,
        np.zeros((count, 1, LAYOUT.size)),
        np.reshape(residuals, (count, 1)).astype(float),
        np.arange(count, dtype=float),
        np.ones((count, 1), bool),
    )


def test_no_equation_has_more_influence_than_one_at_the_threshold():
    residuals = np.array([0.0, 1.0, -1.0, 2.0, -50.0, 1e6])
    weights = HuberWeights(np.zeros(LAYOUT.size), np.array([0.9]))(block_of(residuals))[:, 0]
    assert weights[:3].tolist() == [1.0, 1.0, 1.0]
    np.testing.assert_allclose(weights[3:] * np.abs(residuals[3:]), THRESHOLD * 0.9)


def test_without_noise_what_fits_counts_wholly():
    weights = HuberWeights(np.zeros(LAYOUT.size), np.zeros(1))(block_of(np.array([0.0, 1e-3])))
    assert weights[:, 0].tolist() == [1.0, 0.0]


@pytest.mark.parametrize('k', [0.7, THRESHOLD, 3.0])
def test_the_integrals_are_those_of_the_normal_density(k):
    def mean(function):
        parts = [(-np.inf, -k), (-k, k), (k, np.inf)]
        return sum(
            integrate.quad(lambda z: function(z) * stats.norm.pdf(z), *part)[0] for part in parts
        )

    def weight(z):
        return min(1.0, k / abs(z)) if z else 1.0

    found = normal_noise(k)
    influence = mean(lambda z: (weight(z) * z) ** 2)
    slope = mean(lambda z: float(abs(z) < k))
    assert found.variance == pytest.approx(mean(lambda z: weight(z) * z * z) / mean(weight))
    assert found.covariance == pytest.approx(influence * mean(weight) / slope**2)


def test_a_high_threshold_is_least_squares():
    found = normal_noise(8.0)
    assert (found.variance, found.covariance) == pytest.approx((1.0, 1.0))
