"""The filter of both sides: linear, without delay, and what it leaves of noise."""

import numpy as np
import pytest

from robot_dynamics_ros.identification.parallel_filter import Decimation, ParallelFilter
from robot_dynamics_ros.recordings.low_pass import kernels

RATE, CUTOFF = 500.0, 10.0


@pytest.fixture(scope='module')
def parallel():
    return ParallelFilter.of_motion(RATE, 4.0 * CUTOFF, CUTOFF)


def test_a_slow_sine_passes(parallel):
    """Half the cutoff: 0.2 % of ripple."""
    sine = np.sin(np.pi * CUTOFF * np.arange(2000) / RATE)[:, None]
    values, _, numbers = Decimation(parallel, 0).push(sine, sine[:, :0])
    np.testing.assert_allclose(values, sine[numbers], atol=2e-3)


@pytest.mark.parametrize('first', [0, 7])
def test_parts_of_a_segment_give_the_same(parallel, first):
    """Results lie at multiples of the step of the segment, wherever a motion begins."""
    samples = np.random.default_rng(0).normal(size=(3000, 3))
    whole = Decimation(parallel, first).push(samples, samples > 0.0)
    parts = Decimation(parallel, first)
    found = [parts.push(one, one > 0.0) for one in np.split(samples, [1, 400, 1234, 1235])]
    for expected, *pieces in zip(whole, *found, strict=True):
        np.testing.assert_allclose(np.concatenate(pieces), expected, atol=1e-12)
    assert not ((whole[2] - parallel.half) % parallel.step).any()


def test_a_fast_sine_is_damped(parallel):
    times = np.arange(2000) / RATE
    fast = np.sin(2.0 * np.pi * 1.6 * CUTOFF * times)
    assert np.abs(parallel.value(fast[:, None])).max() < 3e-3


def test_shares_are_weights(parallel):
    flags = np.ones((1000, 1))
    np.testing.assert_allclose(parallel.share(flags), 1.0)


@pytest.mark.parametrize(('rate', 'passed', 'wanted'), [(500, 40, 10), (30, 7.5, None)])
def test_the_variance_of_a_mean_is_that_of_the_independent_equations(rate, passed, wanted):
    """White noise through both filters: var(mean) = var(y) / (independence N)."""
    parallel = ParallelFilter.of_motion(rate, passed, wanted)
    random = np.random.default_rng(1)
    motions = kernels(passed, rate)[0]
    # The filter of the motions, at each sample.
    first = ParallelFilter(motions, 1, 1.0, 1.0 / rate)
    noise = parallel.value(first.value(random.normal(size=(3000, 250))))
    count = len(noise)
    expected = noise.var() / (parallel.independence * count)
    assert noise.mean(axis=0).var() == pytest.approx(expected, rel=0.3)
    assert 0.5 < parallel.independence <= 1.0
