"""Filtered white noise is noise, and what depends on its past is not."""

import numpy as np
import pytest

pytest.importorskip('scipy')

from robot_dynamics_ros.identification.judgement.whiteness import LagSums
from robot_dynamics_ros.recordings.filtering.zero_phase import kernels

CUTOFF, RATE, COUNT = 10.0, 200.0, 20_000


def filtered(raw):
    """Through the low pass of recordings, column by column."""
    value = kernels(CUTOFF, RATE)[0]
    return np.stack([np.convolve(one, value, mode='valid') for one in raw.T], axis=1)


def sums(residual):
    lags = LagSums.of(CUTOFF, RATE, residual.shape[1])
    lags.add(residual)
    return lags


def test_filtered_white_noise_is_noise():
    lags = sums(filtered(np.random.default_rng(1).normal(size=(COUNT, 40))))
    # Of 40 columns with 20 lags each, at 3.5 standard deviations, 0.4 are expected to be beyond.
    assert np.count_nonzero(lags.is_noise()) >= 38
    assert np.nanmax(lags.repeated()) < 0.02


def test_friction_that_a_model_lacks_is_not_noise():
    random = np.random.default_rng(2)
    times = np.arange(COUNT) / RATE
    structure = 0.7 * np.sign(np.sin(2.0 * np.pi * 0.3 * times))
    lags = sums(filtered(random.normal(size=(COUNT, 1)) + structure[:, None]))
    assert not lags.is_noise()[0]
    assert lags.repeated()[0] > 0.25


def test_the_share_that_repeats_is_the_squared_autocorrelation():
    """Of white noise plus a constant sine, the autocorrelation is the sine's share of variance."""
    random = np.random.default_rng(4)
    times = np.arange(COUNT) / RATE
    sine = np.sqrt(2.0) * np.sin(2.0 * np.pi * 0.05 * times)
    noise = filtered(random.normal(size=(COUNT, 1)))
    noise /= noise.std()
    lags = sums(noise + sine[: len(noise), None])
    assert lags.repeated()[0] == pytest.approx(0.25, abs=0.03)


def test_sums_over_parts_add_up_and_gaps_count_as_not_measured():
    residual = np.random.default_rng(3).normal(size=(1000, 2))
    holes = residual.copy()
    holes[400:410, 0] = np.nan
    whole, parts = sums(residual), [sums(residual[:500]), sums(residual[500:])]
    (together,) = LagSums.joined(parts)
    np.testing.assert_allclose(together.products[0], whole.products[0])
    assert (together.counts <= whole.counts).all()
    assert (sums(holes).counts[0] == [990, 1000]).all()


def test_few_samples_say_nothing():
    lags = sums(filtered(np.random.default_rng(1).normal(size=(500, 2))))
    assert lags.is_noise() == [None, None]
    assert sums(np.full((1000, 1), np.nan)).is_noise() == [None]


def test_recordings_with_another_low_pass_keep_their_own_lags():
    residual = np.random.default_rng(3).normal(size=(1000, 2))
    other = LagSums.of(CUTOFF / 3.0, RATE, 2)
    other.add(residual)
    found = LagSums.joined([sums(residual), other, sums(residual)])
    assert [one.counts[0, 0] for one in found] == [2000, 1000]
