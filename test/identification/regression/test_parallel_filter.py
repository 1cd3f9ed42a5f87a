"""The filter of both sides: linear, without delay, and what it leaves of noise."""

import numpy as np
import pytest

from robot_dynamics_ros.identification.regression.parallel_filter import ParallelFilter

RATE, CUTOFF = 500.0, 10.0


@pytest.fixture(scope='module')
def parallel():
    return ParallelFilter.of_motion(RATE, 4.0 * CUTOFF, CUTOFF, slopes=True)


def test_a_slow_sine_passes_with_its_derivative(parallel):
    """Half the cutoff: 0.2 % of ripple; its derivative the same."""
    times = np.arange(2000) / RATE
    phase = 2.0 * np.pi * 0.5 * CUTOFF * times
    kept = parallel.centers(parallel.results(len(times)))
    value = parallel.value(np.sin(phase)[:, None])[:, 0]
    slope = parallel.slope(np.sin(phase)[:, None])[:, 0]
    np.testing.assert_allclose(value, np.sin(phase)[kept], atol=2e-3)
    speed = 2.0 * np.pi * 0.5 * CUTOFF
    np.testing.assert_allclose(slope, speed * np.cos(phase)[kept], atol=2e-3 * speed)


def test_a_fast_sine_is_damped(parallel):
    times = np.arange(2000) / RATE
    fast = np.sin(2.0 * np.pi * 1.6 * CUTOFF * times)
    assert np.abs(parallel.value(fast[:, None])).max() < 3e-3


def test_the_equations_do_not_depend_on_the_parts(parallel):
    """As many samples as give K results, then what is left with those that follow."""
    samples = np.random.default_rng(0).normal(size=(3000, 3))
    whole = parallel.value(samples)
    first = parallel.results(1234)
    before, after = (
        parallel.value(samples[:1234]),
        parallel.value(samples[first * parallel.step :]),
    )
    np.testing.assert_allclose(np.concatenate([before, after]), whole, atol=1e-14)


def test_shares_are_weights(parallel):
    flags = np.ones((1000, 1))
    np.testing.assert_allclose(parallel.share(flags), 1.0)


@pytest.mark.parametrize(('rate', 'passed', 'wanted'), [(500, 40, 10), (30, 7.5, None)])
def test_the_variance_of_a_mean_is_that_of_the_independent_equations(rate, passed, wanted):
    """White noise through both filters: var(mean) = var(y) / (independence N)."""
    parallel = ParallelFilter.of_motion(rate, passed, wanted)
    random = np.random.default_rng(1)
    motions = ParallelFilter.of_motion(rate, passed, passed, slopes=True)
    # The filter of the motions, at each sample.
    first = ParallelFilter(motions._value[0, : 2 * motions.half + 1], np.zeros(1), 1, 1.0)
    noise = parallel.value(first.value(random.normal(size=(3000, 250))))
    count = len(noise)
    expected = noise.var() / (parallel.independence * count)
    assert noise.mean(axis=0).var() == pytest.approx(expected, rel=0.3)
    assert 0.5 < parallel.independence <= 1.0


def test_nothing_leaves_samples_as_they_are():
    samples = np.random.default_rng(0).normal(size=(77, 2))
    np.testing.assert_array_equal(ParallelFilter.nothing().value(samples), samples)
