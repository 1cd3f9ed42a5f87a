"""Power spectral densities: their integral is the power, and SciPy gives the same."""

import numpy as np
import pytest

from robot_dynamics_ros.recordings.filtering.power_density import density, welch

RATE = 250.0


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
