"""Filtered white noise is noise, and what depends on its past is not."""

import numpy as np
import pytest

pytest.importorskip('scipy')

from robot_dynamics_ros.identification.whiteness import whiteness
from robot_dynamics_ros.recordings.low_pass import kernels

CUTOFF, RATE, COUNT = 10.0, 200.0, 20_000


def filtered(raw):
    """Through the low pass of recordings, column by column."""
    value = kernels(CUTOFF, RATE)[0]
    return np.stack([np.convolve(one, value, mode='valid') for one in raw.T], axis=1)


def found(*pieces, cutoff=CUTOFF):
    return whiteness(pieces, cutoff, RATE, pieces[0].shape[1])


def test_filtered_white_noise_is_noise():
    left = found(filtered(np.random.default_rng(1).normal(size=(COUNT, 40))))
    # Of 40 columns with 20 lags each, at 3.5 standard deviations, 0.4 are expected to be beyond.
    assert np.count_nonzero(left.is_noise) >= 38
    assert np.nanmax(left.repeated) < 0.02


def test_friction_that_a_model_lacks_is_not_noise():
    random = np.random.default_rng(2)
    times = np.arange(COUNT) / RATE
    structure = 0.7 * np.sign(np.sin(2.0 * np.pi * 0.3 * times))
    left = found(filtered(random.normal(size=(COUNT, 1)) + structure[:, None]))
    assert not left.is_noise[0]
    assert left.repeated[0] > 0.25


def test_the_share_that_repeats_is_the_squared_autocorrelation():
    """Of white noise plus a constant sine, the autocorrelation is the sine's share of variance."""
    random = np.random.default_rng(4)
    times = np.arange(COUNT) / RATE
    sine = np.sqrt(2.0) * np.sin(2.0 * np.pi * 0.05 * times)
    noise = filtered(random.normal(size=(COUNT, 1)))
    noise /= noise.std()
    left = found(noise + sine[: len(noise), None])
    assert left.repeated[0] == pytest.approx(0.25, abs=0.03)


def test_few_samples_say_nothing():
    left = found(filtered(np.random.default_rng(1).normal(size=(500, 2))))
    assert left.is_noise == [None, None]
    assert found(np.full((1000, 1), np.nan)).is_noise == [None]


def test_pieces_add_up_but_for_what_lies_across_a_gap():
    residual = filtered(np.random.default_rng(3).normal(size=(COUNT, 2)))
    whole, parts = found(residual), found(residual[:9000], residual[9000:])
    np.testing.assert_allclose(parts.repeated, whole.repeated, atol=1e-3)
    assert parts.is_noise == whole.is_noise
