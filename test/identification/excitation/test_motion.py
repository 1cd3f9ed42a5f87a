"""Motions that start and end at rest, within a band."""

from itertools import pairwise

import numpy as np
import pytest

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.identification.excitation.motion import (
    ExcitationSettings,
    FourierSeries,
    Harmonics,
)

PERIOD, JOINTS, NUMBERS = 8.0, 3, (1, 2, 4, 6)
TIMES = np.linspace(0.0, PERIOD, 4001)


@pytest.fixture
def series():
    random, harmonics = np.random.default_rng(3), Harmonics(PERIOD, NUMBERS)
    space = harmonics.resting_space()
    assert space.shape == (2 * len(NUMBERS), 2 * len(NUMBERS) - 2)  # two conditions
    coefficients = space @ random.normal(size=(space.shape[1], JOINTS))
    return FourierSeries(harmonics, random.normal(size=JOINTS), coefficients)


def test_rests_at_start_and_end(series):
    q, v, a, _ = series.at(np.array([0.0, PERIOD]))
    np.testing.assert_allclose(q, np.tile(series.start, (2, 1)), atol=1e-12)
    np.testing.assert_allclose(v, 0.0, atol=1e-12)
    np.testing.assert_allclose(a, 0.0, atol=1e-12 * np.abs(series.at(TIMES)[2]).max())


def test_each_is_the_derivative_of_the_one_before(series):
    motion = series.at(TIMES)
    for value, slope in pairwise(motion):
        differences = (value[2:] - value[:-2]) / (2.0 * TIMES[1])
        # The error is h^2 / 6 of the third derivative.
        assert np.abs(differences - slope[1:-1]).max() < 1e-4 * np.abs(slope).max()


def test_nothing_is_above_the_highest_frequency(series):
    spectrum = np.abs(np.fft.rfft(series.at(TIMES[:-1])[0], axis=0))
    assert spectrum[NUMBERS[-1] + 1 :].max() < 1e-10 * spectrum.max()


@pytest.mark.parametrize(
    ('duration', 'frequency', 'numbers'),
    [
        (20.0, 0.5, range(1, 11)),
        (7.0, 0.5, range(1, 4)),
        (30.0, 0.1, range(1, 4)),
        (20.0, 1.0, (1, 3, 5, 7, 9, 12, 14, 16, 18, 20)),
    ],
)
def test_the_duration_is_one_period_however_long_it_is(duration, frequency, numbers):
    """Held out against itself, a motion that repeats shows the noise alone."""
    found = ExcitationSettings(duration=duration, frequency=frequency).harmonics
    assert found.numbers == tuple(numbers)
    assert found.rates[-1] <= 2.0 * np.pi * frequency * (1.0 + 1e-12)
    assert np.gcd.reduce(found.numbers) == 1


def test_by_default_no_part_of_the_motion_comes_again():
    """One period, of which no shift by less than the whole is like the motion itself."""
    harmonics = ExcitationSettings().harmonics
    space = harmonics.resting_space()
    random = np.random.default_rng(0).normal(size=(space.shape[1], 1))
    v = FourierSeries(harmonics, np.zeros(1), space @ random).at(harmonics.times(16)[:-1])[1][:, 0]
    shifts = range(len(v) // 20, len(v) - len(v) // 20)
    assert max(np.corrcoef(v, np.roll(v, shift))[0, 1] for shift in shifts) < 0.8


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
        ExcitationSettings(**{name: wrong})
