"""Motions that start and end at rest, within a band."""

import numpy as np
import pytest

pytest.importorskip('scipy')

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.identification.excitation.fourier_series import (
    FourierSeries,
    resting_space,
)
from robot_dynamics_ros.identification.excitation.settings import ExcitationSettings

PERIOD, HARMONICS, JOINTS = 8.0, 6, 3
TIMES = np.linspace(0.0, PERIOD, 4001)


@pytest.fixture
def series():
    random = np.random.default_rng(3)
    space = resting_space(HARMONICS)
    coefficients = space @ random.normal(size=(space.shape[1], JOINTS))
    return FourierSeries(1.0 / PERIOD, random.normal(size=JOINTS), coefficients)


def test_rests_at_start_and_end(series):
    q, v, a = series.at(np.array([0.0, PERIOD, 3.0 * PERIOD]))
    scale = np.abs(series.at(TIMES)[2]).max()
    np.testing.assert_allclose(q, np.tile(series.start, (3, 1)), atol=1e-12)
    np.testing.assert_allclose(v, 0.0, atol=1e-12)
    np.testing.assert_allclose(a, 0.0, atol=1e-12 * scale)


def test_every_motion_at_rest_is_in_the_space():
    """Of 2 N coefficients, two conditions leave 2 N - 2."""
    space = resting_space(HARMONICS)
    assert space.shape == (2 * HARMONICS, 2 * HARMONICS - 2)
    assert np.linalg.matrix_rank(space) == 2 * HARMONICS - 2


def test_velocities_and_accelerations_are_the_derivatives(series):
    q, v, a = series.at(TIMES)
    h = TIMES[1]
    for value, slope in ((q, v), (v, a)):
        differences = (value[2:] - value[:-2]) / (2.0 * h)
        # The error is h^2 / 6 of the third derivative.
        assert np.abs(differences - slope[1:-1]).max() < 1e-4 * np.abs(slope).max()


def test_nothing_is_above_the_band(series):
    q, _, _ = series.at(TIMES[:-1])
    spectrum = np.abs(np.fft.rfft(q, axis=0))
    assert spectrum[HARMONICS + 1 :].max() < 1e-10 * spectrum.max()


@pytest.mark.parametrize('derivative', [1, 2, 3])
def test_the_bound_holds(series, derivative):
    """Of velocity, acceleration and jerk."""
    values = [*series.at(TIMES)[1:]]
    values.append(np.gradient(values[1], TIMES, axis=0))
    largest = np.abs(values[derivative - 1]).max(axis=0)
    assert (largest <= series.largest(derivative) * (1.0 + 1e-9)).all()


@pytest.mark.parametrize(
    ('asked', 'band'),
    [
        ({'duration': 20.0, 'frequency': 1.0}, (10, 2)),
        ({'duration': 20.0, 'frequency': 0.5}, (10, 1)),
        ({'duration': 7.0, 'frequency': 0.5}, (3, 1)),
        ({'duration': 25.0, 'frequency': 1.0}, (8, 3)),
        ({'duration': 30.0, 'frequency': 0.1}, (3, 1)),
    ],
)
def test_the_band_fits_the_duration(asked, band):
    settings = ExcitationSettings(**asked)
    found = settings.band
    assert (found.harmonics, found.periods) == band
    assert found.periods / found.frequency == pytest.approx(settings.duration)
    assert found.harmonics * found.frequency <= settings.frequency * (1.0 + 1e-12)


@pytest.mark.parametrize(
    ('wrong', 'said'),
    [
        ({'duration': 1.0, 'frequency': 1.0}, 'duration is 1 s.* 2 s to'),
        ({'duration': float('nan')}, 'duration'),
        ({'share': 1.2}, 'share'),
        ({'acceleration': 0.0}, 'acceleration'),
        ({'floor': float('inf')}, 'floor'),
        ({'distance': -0.1}, 'distance'),
    ],
)
def test_wrong_settings_are_refused(wrong, said):
    with pytest.raises(ParameterError, match=said):
        _ = ExcitationSettings(**wrong).band
