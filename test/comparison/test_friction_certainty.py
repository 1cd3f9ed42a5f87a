"""Friction is told where it is more than chance, however short a joint moves."""

import numpy as np
import pytest

from robot_dynamics_ros.comparison.figures import is_certain

CUTOFF, STEP = 5.0, 0.01
TRIALS = 1500


def noise(generator, count):
    """White up to the cutoff."""
    spectrum = np.fft.rfft(generator.normal(size=count))
    spectrum[np.fft.rfftfreq(count, STEP) > CUTOFF] = 0.0
    return np.fft.irfft(spectrum, count)


@pytest.mark.parametrize('share', [1.0, 0.2])
def test_noise_is_seldom_taken_for_friction(share):
    """F above 5 has a probability of 1 % with many samples, of 3 % with 13."""
    generator = np.random.default_rng(1)
    count = 650
    moved = slice(0, round(share * count))
    independent = 2.0 * CUTOFF * STEP * count * share
    found = 0
    for _ in range(TRIALS):
        velocity = np.sin(0.2 * np.pi * STEP * np.arange(count) + generator.uniform(0.0, 6.0))
        columns = np.stack([velocity, np.sign(velocity), np.ones(count)], axis=1)[moved]
        values = noise(generator, count)[moved]
        left = values - columns @ np.linalg.lstsq(columns, values, rcond=None)[0]
        found += is_certain(np.var(values), np.mean(left**2), independent)
    assert found < 0.05 * TRIALS


def test_friction_is_certain():
    assert is_certain(1.0, 0.1, 100.0)
    assert not is_certain(1.0, 0.1, 3.0)
