"""Motions that start and end at rest, within a band."""

from itertools import pairwise

import numpy as np
import pytest

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.identification.excitation.motion import (
    ExcitationSettings,
    FourierSeries,
    resting_space,
)

PERIOD, NUMBERS = 8.0, (1, 2, 4, 6)
TIMES = np.linspace(0.0, PERIOD, 4001)


def random_series(numbers, duration, joints=3):
    random, space = np.random.default_rng(3), resting_space(numbers)
    assert space.shape == (2 * len(numbers), 2 * len(numbers) - 2)  # two conditions
    coefficients = space @ random.normal(size=(space.shape[1], joints))
    return FourierSeries(duration, numbers, random.normal(size=joints), coefficients)


def test_a_motion_rests_at_both_ends_within_its_band_and_has_its_derivatives():
    series = random_series(NUMBERS, PERIOD)
    motion = series.at(TIMES)
    ends = [one[[0, -1]] for one in motion[:3]]
    np.testing.assert_allclose(ends[0] - series.start, 0.0, atol=1e-12)
    np.testing.assert_allclose(ends[1:], 0.0, atol=1e-12 * np.abs(motion[2]).max())
    for value, slope in pairwise(motion):
        differences = (value[2:] - value[:-2]) / (2.0 * TIMES[1])
        # The error is h^2 / 6 of the third derivative.
        assert np.abs(differences - slope[1:-1]).max() < 1e-4 * np.abs(slope).max()
    spectrum = np.abs(np.fft.rfft(motion[0][:-1], axis=0))
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
    assert found == tuple(numbers)
    series = random_series(found, duration, 1)
    v = series.at(series.times(16)[:-1])[1][:, 0]
    shifts = range(len(v) // 20, len(v) - len(v) // 20)
    again = max(np.corrcoef(v, np.roll(v, shift))[0, 1] for shift in shifts)
    assert again < (0.8 if len(found) >= 10 else 0.98)


@pytest.mark.parametrize(
    ('name', 'wrong'),
    [('duration', 1.0), ('duration', np.nan), ('share', 1.2), ('floor', np.inf), ('seed', -1)],
)
def test_wrong_settings_are_refused_by_name(name, wrong):
    with pytest.raises(ParameterError, match=name):
        ExcitationSettings(**{name: wrong})
