"""The cutoff follows the noise of the velocities, within the limits of an arm and of the rate."""

import numpy as np
import pytest

from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.recordings.low_pass import (
    LONGEST_HALF,
    check_rate,
    checked_cutoff,
    chosen_cutoff,
    density,
    half_length,
    lowest_cutoff,
    welch,
)

RATE = 500.0


def velocities(noise, seconds=20.0):
    """Power that falls with the sixth power of the frequency from 2 Hz on, and white noise."""
    generator = np.random.default_rng(6)
    count = round(seconds * RATE)
    frequencies = np.fft.rfftfreq(count, 1.0 / RATE)
    spectrum = np.fft.rfft(generator.normal(size=(count, 2)), axis=0)
    motion = np.fft.irfft(spectrum / (1.0 + (frequencies[:, None] / 2.0) ** 3), count, axis=0)
    return motion + noise * generator.normal(size=(count, 2))


def test_it_is_where_the_motion_comes_down_to_the_noise():
    # (f / 2)^-6 = 3 noise^2: motion and noise together are four times the noise.
    for crossing in (7.0, 10.0, 14.0):
        noise = (crossing / 2.0) ** -3 / np.sqrt(3.0)
        assert chosen_cutoff(velocities(noise), RATE) == pytest.approx(crossing, rel=0.25)


def test_it_stays_within_limits():
    assert chosen_cutoff(velocities(10.0), RATE) == 5.0
    assert chosen_cutoff(velocities(0.0), RATE) == 20.0
    assert chosen_cutoff(velocities(0.0)[::10], RATE / 10.0) == pytest.approx(0.25 * RATE / 10.0)
    assert chosen_cutoff(np.zeros((1000, 2)), RATE) == 5.0
    assert chosen_cutoff(np.zeros((3, 2)), RATE) == 5.0


@pytest.mark.parametrize('cutoff', [0.0, -1.0, 1e-300, 1e-7, 126.0, np.nan, np.inf])
def test_what_the_rate_does_not_allow_is_refused(cutoff):
    allowed = r'0\.0138 Hz, .*'
    with pytest.raises(RecordingError, match=allowed):
        checked_cutoff(cutoff, RATE)


def test_the_lowest_cutoff_gives_the_longest_filter():
    lowest = lowest_cutoff(RATE)
    assert checked_cutoff(lowest, RATE) == lowest
    assert abs(half_length(lowest, RATE) - LONGEST_HALF) <= 1
    with pytest.raises(RecordingError, match='at least'):
        checked_cutoff(0.99 * lowest, RATE)


def test_times_in_milliseconds_are_suspected():
    with pytest.raises(RecordingError, match=r'0\.125.*times'):
        check_rate('bag', 0.125)
    with pytest.raises(RecordingError) as refused:
        check_rate('bag', 5.0)
    assert 'ms' not in str(refused.value)


def test_slow_samples_are_refused():
    check_rate('bag', 10.0)
    with pytest.raises(RecordingError, match='bag: a rate of 1'):
        check_rate('bag', 1.0)
    with pytest.raises(RecordingError, match='sample is not'):
        check_rate('bag', np.nan)


@pytest.mark.parametrize('count', [500, 501])
def test_the_integral_is_the_power_of_the_tapered_signal(count):
    signal = np.random.default_rng(0).normal(size=(count, 3))
    taper = np.sin(np.pi * np.arange(count) / count)[:, None] ** 2
    power = (((signal - signal.mean(axis=0)) * taper) ** 2).sum(axis=0) / (taper**2).sum()
    assert density(signal, RATE).sum(axis=0) * RATE / count == pytest.approx(power)


@pytest.mark.parametrize(('count', 'length'), [(1000, 256), (1000, 255), (300, 300)])
def test_it_is_that_of_scipy(count, length):
    signal = pytest.importorskip('scipy.signal')
    columns = np.random.default_rng(1).normal(size=(count, 2)).cumsum(axis=0)
    expected = signal.welch(columns, RATE, nperseg=length, axis=0)
    for found, other in zip(welch(columns, RATE, length), expected, strict=True):
        np.testing.assert_allclose(found, other, rtol=1e-9, atol=1e-12)
