"""The level that maxima exceed rarely, against distributions whose level is known."""

import math

import numpy as np
import pytest

from robot_dynamics_ros.control.external_forces.detection.extreme_values import rare_level


@pytest.mark.parametrize(('count', 'least'), [(10, 0.85), (60, 0.91), (800, 0.94)])
@pytest.mark.parametrize('probability', [1e-3, 1e-6])
def test_it_is_above_the_true_level_with_the_stated_probability(count, least, probability):
    random = np.random.default_rng(1)
    mode, scale = 5.0, 0.7
    maxima = random.gumbel(mode, scale, (1500, count))
    true = mode - scale * math.log(-math.log1p(-probability))
    above = (rare_level(maxima, probability) > true).mean()
    assert least < above < 0.96


def test_more_blocks_give_a_lower_level():
    random = np.random.default_rng(2)
    levels = [rare_level(random.gumbel(0.0, 1.0, (500, n)), 1e-4).mean() for n in (15, 60, 1000)]
    assert levels[0] > levels[1] > levels[2] > -math.log(1e-4)


def test_it_scales_and_shifts_with_the_maxima():
    maxima = np.random.default_rng(3).gumbel(1.0, 1.0, (4, 50))
    level = rare_level(maxima, 1e-4)
    np.testing.assert_allclose(rare_level(3.0 * maxima + 2.0, 1e-4), 3.0 * level + 2.0)


def test_noise_with_light_tails_exceeds_it_more_rarely_than_stated():
    random = np.random.default_rng(4)
    maxima = abs(random.normal(size=(300, 60, 200))).max(axis=2)
    level = rare_level(maxima, 1e-4)
    exceeding = np.array([math.erfc(each / math.sqrt(2.0)) * 200 for each in level])
    assert (exceeding < 1e-4).mean() > 0.95
