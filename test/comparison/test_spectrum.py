"""Spectra: the power of known signals, from windows of any rate, with and without efforts."""

from types import SimpleNamespace

import numpy as np
import pytest

from robot_dynamics_ros.comparison.figures import spectrum_of

STEP = 0.01


def observations(measured, *blocks):
    """Windows of measured efforts, each with its interval [s]; the model has no torque."""
    nothing = np.zeros_like(measured)
    return SimpleNamespace(
        windows=[SimpleNamespace(interval=interval) for interval, _ in blocks],
        spans=[span for _, span in blocks],
        measured=measured,
        gravity=nothing,
        motion=nothing,
        friction=nothing,
    )


def power(spectrum):
    """Of each joint [(N m)^2]."""
    return spectrum.measured.sum(axis=0) * spectrum.frequencies[1]


def sines(count, amplitudes):
    return np.outer(np.sin(2.0 * np.pi * 7.0 * STEP * np.arange(count)), amplitudes)


def test_the_highest_frequency_has_no_mirror_image():
    """A signal that alternates has its power at half the rate, which is in the spectrum once."""
    alternating = np.where(np.arange(1024) % 2, -1.0, 1.0)[:, None]
    spectrum = spectrum_of(observations(alternating, (STEP, slice(0, 1024))))
    assert spectrum.frequencies[-1] == pytest.approx(0.5 / STEP)
    # Half of the Hann window's lobe lies beyond the highest frequency.
    lobe = 1.0 + 2.0 * 0.25
    last = spectrum.measured[-1, 0] * spectrum.frequencies[1]
    assert last == pytest.approx(1.0 / lobe, rel=0.02)


def test_windows_of_several_rates_are_not_mixed():
    """The first window is short and has another rate than the long one."""
    measured = np.concatenate([np.ones((100, 2)), sines(1000, [1.0, 2.0])])
    spectrum = spectrum_of(
        observations(measured, (2.0 * STEP, slice(0, 100)), (STEP, slice(100, 1100)))
    )
    np.testing.assert_allclose(power(spectrum), [0.5, 2.0], rtol=0.05)
    assert spectrum.frequencies[-1] == pytest.approx(0.5 / STEP)


def test_windows_without_efforts_of_a_joint_do_not_count_for_it():
    measured = sines(2000, [1.0, 2.0, 1.0])
    measured[1000:, 0] = np.nan
    measured[:, 2] = np.nan
    blocks = (STEP, slice(0, 1000)), (STEP, slice(1000, 2000))
    spectrum = spectrum_of(observations(measured, *blocks))
    np.testing.assert_allclose(power(spectrum), [0.5, 2.0, np.nan], rtol=0.05)
