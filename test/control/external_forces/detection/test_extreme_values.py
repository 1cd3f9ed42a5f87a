"""The level that maxima exceed rarely, against distributions whose level is known."""

import math

import numpy as np
import pytest

from robot_dynamics_ros.control.external_forces.detection.extreme_values import rare_level


@pytest.mark.parametrize('count', [10, 60, 900])
@pytest.mark.parametrize('probability', [1e-3, 1e-6])
def test_of_an_exponential_tail_it_is_above_the_true_level_in_95_of_100_cases(count, probability):
    random = np.random.default_rng(1)
    levels = rare_level(5.0 + 0.7 * random.exponential(size=(4000, count)), probability)
    true = 5.0 - 0.7 * math.log(probability)
    # From the start of the tail on, only the mean excess is uncertain by intention.
    assert 0.93 < (levels > true).mean() < 0.97


def test_maxima_of_many_values_exceed_it_more_rarely_than_stated():
    random = np.random.default_rng(2)
    maxima = abs(random.normal(size=(300, 60, 200))).max(axis=2)
    level = rare_level(maxima, 1e-4)
    exceeding = np.array([200 * math.erfc(each / math.sqrt(2.0)) for each in level])
    assert (exceeding < 1e-4).mean() > 0.95


def test_of_bounded_maxima_it_comes_near_the_bound():
    random = np.random.default_rng(3)
    levels = [rare_level(random.uniform(1.0, 3.0, (200, n)), 1e-6) for n in (30, 400, 3600)]
    means = [level.mean() for level in levels]
    assert means[0] > means[1] > means[2] > 3.0
    assert means[2] < 1.3 * 3.0


def test_it_scales_and_shifts_with_the_maxima():
    maxima = np.random.default_rng(4).exponential(size=(4, 50))
    level = rare_level(maxima, 1e-4)
    np.testing.assert_allclose(rare_level(3.0 * maxima + 2.0, 1e-4), 3.0 * level + 2.0)
