"""The low pass: what it passes, that it delays nothing, what its derivatives are, its cutoff."""

import numpy as np
import pytest

from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.recordings.low_pass import (
    check_rate,
    checked_cutoff,
    chosen_cutoff,
    kernels,
)

CASES = [(20.0, 1000.0), (5.0, 1000.0), (7.5, 30.0), (11.0, 100.0), (31.25, 125.0)]
RATE = 500.0


def response(kernel, frequency, rate):
    """Complex gain of a convolution at a frequency [Hz]."""
    half = len(kernel) // 2
    return np.sum(kernel * np.exp(-2j * np.pi * frequency * np.arange(-half, half + 1) / rate))


@pytest.mark.parametrize(('cutoff', 'rate'), CASES)
def test_it_passes_to_half_the_cutoff_and_damps_from_one_and_a_half(cutoff, rate):
    every = kernels(cutoff, rate)
    damped = [response(every[0], f, rate) for f in np.linspace(1.5 * cutoff, rate / 2.0, 50)]
    # The window is designed for 60 dB, 0.1 %; Kaiser's formula for its length is an estimate.
    np.testing.assert_allclose(damped, 0.0, atol=2.5e-3)
    assert abs(response(every[0], cutoff, rate)) == pytest.approx(0.5, abs=0.02)
    for frequency in np.linspace(0.05, 0.5, 10) * cutoff:
        # Real, imaginary and real: the phase is exact at any frequency.
        powers = (2j * np.pi * frequency) ** np.arange(3)
        passed = [response(kernel, frequency, rate) for kernel in every] / powers
        assert passed == pytest.approx(1.0, abs=2.5e-3)


@pytest.mark.parametrize(('cutoff', 'rate'), CASES)
def test_no_frequency_is_delayed_and_polynomials_are_exact(cutoff, rate):
    every = kernels(cutoff, rate)
    for kernel, sign in zip(every, (1.0, -1.0, 1.0), strict=True):
        np.testing.assert_allclose(kernel, sign * kernel[::-1], atol=1e-9 * np.abs(kernel).max())
    half = every.shape[1] // 2
    # Columns: cubic, square, line, constant; at time 0.
    value, first, second = every @ np.vander(np.arange(half, -half - 1, -1) / rate, 4)
    np.testing.assert_allclose(value[2:], [0.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(first[1:], [0.0, 1.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(second, [0.0, 2.0, 0.0, 0.0], atol=1e-6)


def velocities(noise, seconds=20.0):
    """Power that falls with the sixth power of the frequency from 2 Hz on, and white noise."""
    generator = np.random.default_rng(6)
    count = round(seconds * RATE)
    frequencies = np.fft.rfftfreq(count, 1.0 / RATE)
    spectrum = np.fft.rfft(generator.normal(size=(count, 2)), axis=0)
    motion = np.fft.irfft(spectrum / (1.0 + (frequencies[:, None] / 2.0) ** 3), count, axis=0)
    return motion + noise * generator.normal(size=(count, 2))


def test_the_cutoff_is_where_the_motion_comes_down_to_the_noise_within_limits():
    # (f / 2)^-6 = 3 noise^2: motion and noise together are four times the noise.
    for crossing in (7.0, 10.0, 14.0):
        noise = (crossing / 2.0) ** -3 / np.sqrt(3.0)
        assert chosen_cutoff(velocities(noise), RATE) == pytest.approx(crossing, rel=0.25)
    assert chosen_cutoff(velocities(10.0), RATE) == 5.0
    assert chosen_cutoff(velocities(0.0), RATE) == 20.0
    assert chosen_cutoff(velocities(0.0)[::10], RATE / 10.0) == pytest.approx(0.25 * RATE / 10.0)
    assert chosen_cutoff(np.zeros((1000, 2)), RATE) == 5.0
    assert chosen_cutoff(np.zeros((3, 2)), RATE) == 5.0


@pytest.mark.parametrize('cutoff', [0.0, -1.0, 0.09, 126.0, np.nan, np.inf])
def test_cutoffs_and_rates_that_are_not_possible_are_refused(cutoff):
    assert checked_cutoff(0.1, RATE) == 0.1
    with pytest.raises(RecordingError, match=r'0\.1 Hz.*125 Hz'):
        checked_cutoff(cutoff, RATE)
    check_rate('bag', 10.0)
    for rate in (9.9, 0.125, np.nan):
        with pytest.raises(RecordingError, match='bag'):
            check_rate('bag', rate)
