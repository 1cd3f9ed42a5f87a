"""Motions that start and end at rest, within a band."""

import numpy as np
import pytest

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.identification.excitation.motion import (
    Band,
    ExcitationSettings,
    FourierSeries,
)

PERIOD, HARMONICS, JOINTS = 8.0, 6, 3
TIMES = np.linspace(0.0, PERIOD, 4001)


@pytest.fixture
def series():
    random, band = np.random.default_rng(3), Band(1.0 / PERIOD, HARMONICS)
    space = band.resting_space()
    assert space.shape == (2 * HARMONICS, 2 * HARMONICS - 2)  # two conditions
    coefficients = space @ random.normal(size=(space.shape[1], JOINTS))
    return FourierSeries(band, random.normal(size=JOINTS), coefficients)


def test_rests_at_start_and_end(series):
    q, v, a = series.at(np.array([0.0, PERIOD, 3.0 * PERIOD]))
    np.testing.assert_allclose(q, np.tile(series.start, (3, 1)), atol=1e-12)
    np.testing.assert_allclose(v, 0.0, atol=1e-12)
    np.testing.assert_allclose(a, 0.0, atol=1e-12 * np.abs(series.at(TIMES)[2]).max())


def test_velocities_and_accelerations_are_the_derivatives_and_keep_their_bounds(series):
    q, v, a = series.at(TIMES)
    for order, (value, slope) in enumerate(((q, v), (v, a)), start=1):
        differences = (value[2:] - value[:-2]) / (2.0 * TIMES[1])
        # The error is h^2 / 6 of the third derivative.
        assert np.abs(differences - slope[1:-1]).max() < 1e-4 * np.abs(slope).max()
        shares = np.abs(slope).max(axis=0) / series.largest(order)
        assert ((shares > 0.2) & (shares <= 1.0 + 1e-9)).all()
    jerk = np.abs(np.gradient(a, TIMES, axis=0)).max(axis=0)
    assert (jerk <= series.largest(3) * (1.0 + 1e-9)).all()


def test_nothing_is_above_the_band(series):
    spectrum = np.abs(np.fft.rfft(series.at(TIMES[:-1])[0], axis=0))
    assert spectrum[HARMONICS + 1 :].max() < 1e-10 * spectrum.max()


@pytest.mark.parametrize(
    ('duration', 'frequency', 'band'),
    [
        (20.0, 1.0, (10, 2)),
        (20.0, 0.5, (10, 1)),
        (7.0, 0.5, (3, 1)),
        (25.0, 1.0, (8, 3)),
        (30.0, 0.1, (3, 1)),
    ],
)
def test_the_band_fits_the_duration(duration, frequency, band):
    found = ExcitationSettings(duration=duration, frequency=frequency).band
    assert (found.harmonics, found.periods) == band
    assert found.periods / found.frequency == pytest.approx(duration)
    assert found.harmonics * found.frequency <= frequency * (1.0 + 1e-12)


@pytest.mark.parametrize(
    ('name', 'wrong'),
    [
        ('duration', 1.0),
        ('duration', np.nan),
        ('share', 1.2),
        ('acceleration', 0.0),
        ('floor', np.inf),
        ('distance', -0.1),
        ('seed', -1),
    ],
)
def test_wrong_settings_are_refused_by_name(name, wrong):
    with pytest.raises(ParameterError, match=name):
        _ = ExcitationSettings(**{name: wrong}).band
