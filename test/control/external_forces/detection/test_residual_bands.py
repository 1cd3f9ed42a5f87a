"""The bands of the residual: exact low pass, exact sum, and motion that bounds what it should."""

import numpy as np
import pytest

from robot_dynamics_ros.control.external_forces.detection.residual_bands import (
    ACCELERATION_CUTOFF,
    COLLISION,
    PUSH,
    ResidualBands,
)

REST = np.zeros(1)


def irregular_times(random, end, interval):
    steps = random.uniform(0.2 * interval, 2.0 * interval, int(2.0 * end / interval))
    times = np.cumsum(steps)
    return times[times < end]


def fed(bands, times, r, v):
    """Values (N, 2, n) and motion (N, 2, 2, n) after each step."""
    kept = []
    for time, residual, velocity in zip(times, r, v, strict=True):
        bands.step(residual, velocity, time)
        kept.append((bands.values.copy(), bands.motion.copy()))
    return tuple(np.array(each) for each in zip(*kept, strict=True))


@pytest.mark.parametrize('interval', [1e-3, 4e-3, 3e-2])
def test_a_step_is_answered_exactly_at_any_times(interval):
    times = irregular_times(np.random.default_rng(1), 2.0, interval)
    bands = ResidualBands(1, cutoff=4.0)
    bands.step(REST, REST, 0.0)
    values, _ = fed(bands, times, np.full((len(times), 1), 3.0), np.zeros((len(times), 1)))
    exact = 3.0 * (1.0 - np.exp(-2.0 * np.pi * 4.0 * times))
    np.testing.assert_allclose(values[:, PUSH, 0], exact, rtol=1e-12)


def test_the_bands_add_up_to_the_residual_once_the_observer_has_settled():
    random = np.random.default_rng(2)
    times = irregular_times(random, 1.0, 2e-3)
    r, v = random.normal(size=(2, len(times), 3))
    bands = ResidualBands(3, cutoff=5.0)
    values, _ = fed(bands, times, r, v)
    settled = times - times[0] >= 0.2
    assert 0.1 < settled.mean() < 1.0
    np.testing.assert_allclose(values[settled].sum(axis=1), r[settled], rtol=1e-12)
    assert not values[~settled, COLLISION].any()


def test_the_beginning_of_an_observer_is_no_collision():
    bands, times = ResidualBands(1, cutoff=5.0), np.arange(0.0, 1.0, 1e-3)
    r = 10.0 * (1.0 - np.exp(-2.0 * np.pi * 20.0 * times))[:, None]
    for _ in range(2):
        values, _ = fed(bands, times, r, np.zeros_like(r))
        assert abs(values[:, COLLISION]).max() < 0.05
        bands.reset()


def test_the_slow_band_is_bounded_by_the_bound_of_its_error():
    random = np.random.default_rng(3)
    times = irregular_times(random, 5.0, 2e-3)
    phase = np.outer(times, [2.0, 5.0])
    v = np.sin(phase) + 0.05 * random.normal(size=phase.shape)
    constant, slope = np.array([0.3, 0.7]), np.array([1.0, 0.2])
    # The largest error that is allowed at each time, with any sign.
    error = random.choice([-1.0, 1.0], v.shape) * (constant + slope * abs(v))
    values, motion = fed(ResidualBands(2, cutoff=5.0), times, error, v)
    bound = constant + slope * motion[:, PUSH, 0]
    # From the first residual on, where nothing has been low-passed yet.
    assert (abs(values[:, PUSH]) <= bound + 1e-12).all()
    one_sided, _ = fed(ResidualBands(2, cutoff=5.0), times, abs(error), v)
    late = times - times[0] > 1.0
    np.testing.assert_allclose(one_sided[late, PUSH], bound[late], rtol=1e-12)


def test_noise_of_the_first_residual_is_low_passed_as_any_other():
    random, times = np.random.default_rng(6), np.arange(0.0, 2.0, 1e-3)
    noise = random.normal(size=(len(times), 200))
    values, _ = fed(ResidualBands(200, cutoff=5.0), times, noise, np.zeros_like(noise))
    slow = abs(values[:, PUSH])
    assert slow[:100].max() < slow[-1000:].max()


def test_the_motion_rises_at_once_for_a_collision_and_decays_slowly():
    bands, times = ResidualBands(1, cutoff=5.0), np.arange(0.0, 0.4, 1e-3)
    v = np.where((times > 0.1) & (times < 0.2), 2.0, 0.0)[:, None]
    _, motion = fed(bands, times, np.zeros_like(v), v)
    speed = motion[:, COLLISION, 0, 0]
    moving = v[:, 0] > 0.0
    np.testing.assert_array_equal(speed[moving], 2.0)
    after = np.flatnonzero(moving)[-1] + 1 + np.arange(100)
    decay = speed[after] / speed[after[0]]
    np.testing.assert_allclose(decay, np.exp(-2.0 * np.pi * 5.0 * 1e-3 * np.arange(100)))


def test_the_acceleration_is_that_of_a_ramp():
    bands, times = ResidualBands(2), np.arange(0.0, 1.0, 1e-3)
    slopes = np.array([3.0, -0.5])
    v = np.outer(times, slopes)
    _, motion = fed(bands, times, np.zeros_like(v), v)
    rising = 1.0 - np.exp(-2.0 * np.pi * ACCELERATION_CUTOFF * times)
    expected = np.outer(rising, abs(slopes))
    np.testing.assert_allclose(motion[:, COLLISION, 1], expected, atol=1e-12)


def test_what_is_not_newer_is_ignored():
    bands, same = ResidualBands(1), ResidualBands(1)
    r, v = np.random.default_rng(4).normal(size=(2, 500, 1))
    times = np.arange(500) * 1e-3
    expected, _ = fed(same, times, r, v)
    kept = []
    for time, residual, velocity in zip(times, r, v, strict=True):
        bands.step(residual, velocity, time)
        bands.step(np.array([1e3]), np.array([1e3]), time)
        bands.step(np.array([1e3]), np.array([1e3]), time - 0.01)
        kept.append(bands.values.copy())
    np.testing.assert_array_equal(kept, expected)
