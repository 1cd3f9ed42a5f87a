"""The levels that maxima exceed rarely, against distributions whose level is known."""

import math

import numpy as np
import pytest

# Of the exponential maxima: where they begin, and how they decay, of twelve quantities.
from robot_dynamics_ros.contacts.extreme_values import rare_levels

SCALES = np.linspace(0.3, 9.0, 12)[:, None]
BEGIN = 5.0


def exponential(random, count):
    """Maxima (12, count) of which each exceeds x of its scale with exp(5 - x), at most 1."""
    return SCALES * (BEGIN + random.exponential(size=(12, count)))


def exceeding(levels):
    """Mean probability that a block exceeds the levels (12,)."""
    return np.exp(BEGIN - levels / SCALES[:, 0]).mean()


@pytest.mark.parametrize('count', [60, 600])
@pytest.mark.parametrize('probability', [1e-3, 1e-5])
def test_from_a_minute_on_the_mean_rate_is_about_the_stated_one(count, probability):
    random = np.random.default_rng(1)
    rates = [exceeding(rare_levels(exponential(random, count), probability)) for _ in range(300)]
    assert 0.1 * probability < np.mean(rates) < 1.5 * probability


@pytest.mark.parametrize('count', [10, 20])
def test_few_blocks_give_a_rate_that_is_right_to_an_order_of_magnitude(count):
    random = np.random.default_rng(2)
    rates = [exceeding(rare_levels(exponential(random, count), 1e-4)) for _ in range(300)]
    assert 1e-5 < np.median(rates) < 1e-3


def test_maxima_of_many_values_exceed_it_more_rarely_than_stated():
    random = np.random.default_rng(3)
    maxima = abs(random.normal(size=(100, 6, 60, 200))).max(axis=3)
    levels = np.concatenate([rare_levels(each, 1e-4) for each in maxima])
    rates = np.array([200 * math.erfc(level / math.sqrt(2.0)) for level in levels])
    assert rates.mean() < 1e-4


def test_rare_events_of_one_size_do_not_make_the_level_many_times_as_high():
    # Reversals of friction: the same residual each time, and hardly any between them.
    random = np.random.default_rng(4)
    events = random.random((12, 27)) < 0.3
    events[:, :3] = True
    maxima = np.where(events, random.uniform(8.0, 9.0, events.shape), 0.1)
    assert (rare_levels(maxima, 1e-5) < 3.0 * 9.0).all()


def test_of_bounded_maxima_it_comes_near_the_bound():
    random = np.random.default_rng(5)
    levels = [rare_levels(random.uniform(1.0, 3.0, (12, n)), 1e-6).mean() for n in (30, 400, 3600)]
    assert levels[0] > levels[1] > levels[2] > 3.0
    assert levels[2] < 1.2 * 3.0


def test_each_quantity_has_its_own_scale():
    random = np.random.default_rng(6)
    maxima = random.uniform(1.0, 3.0, (4, 50))
    levels = rare_levels(maxima, 1e-4)
    factors = np.array([1.0, 10.0, 1e-3, 7.0])
    np.testing.assert_allclose(rare_levels(factors[:, None] * maxima, 1e-4), factors * levels)
    assert (levels >= maxima.max(axis=1)).all()
