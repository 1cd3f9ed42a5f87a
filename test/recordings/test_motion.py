"""Filtered motion: what it is of a known one, at any rate, in any parts, with any defect."""

from dataclasses import replace

import numpy as np
import pytest
from memory_source import in_memory
from recorded_states import JOINTS, Sines, sine_states

from robot_dynamics_ros.core.errors import RecordingError

# Of the amplitude: what the filter leaves out, 0.2 %, and errors of derivatives.
EXACT = 4e-3


def joined(parts):
    """All parts of a motion: times, positions, velocities, accelerations, efforts."""
    fields = ('times', 'positions', 'velocities', 'accelerations', 'efforts')
    return tuple(np.concatenate([getattr(part, name) for part in parts]) for name in fields)


def whole(states, **options):
    return joined(list(in_memory(states).motions(**options)))


def assert_follows(found):
    """That a motion is that of the sines, with its efforts where these are measured."""
    times, *values = found
    sines = Sines()
    efforts = 3.0 * sines.at(times) + sines.at(times, 1) + 1.0
    for value, expected in zip(
        values, (*map(sines.at, [times] * 3, range(3)), efforts), strict=True
    ):
        bound = EXACT * np.abs(expected).max(axis=0)
        assert ((np.abs(value - expected) <= bound) | np.isnan(value)).all()
    assert np.isfinite(found[:-1][1:]).all()


@pytest.mark.parametrize('rate', [30.0, 125.0, 1000.0])
@pytest.mark.parametrize('measured', [True, False])
def test_it_is_that_of_the_robot_at_any_rate(rate, measured):
    states = sine_states(rate, 12.0)
    parts = list(in_memory(states if measured else replace(states, velocities=None)).motions())
    assert parts[0].joints == JOINTS
    assert parts[0].rate == pytest.approx(rate, rel=1e-6)
    assert len(parts) == 1
    found = joined(parts)
    assert_follows(found)
    assert np.isfinite(found[4]).all()


def jittered(count):
    """Numbers of samples, from 0.2 to 1.8 apart, between them regular ones."""
    numbers = np.cumsum(np.random.default_rng(3).uniform(0.2, 1.8, count))
    numbers[300:600] = numbers[300] + np.arange(300)
    numbers[600:] += numbers[599] - numbers[600] + 1.0
    return numbers - numbers[0]


def bursts(count):
    """Some samples have the stamp of the one before, within a millionth."""
    numbers = np.arange(count, dtype=float)
    numbers[10::7] -= 1.0 - 1e-6
    return numbers


@pytest.mark.parametrize('clock', [jittered, bursts])
def test_it_is_that_of_the_robot_with_any_stamps(clock):
    states, numbers = sine_states(200.0, 12.0), clock(2400)
    times = numbers / 200.0
    # A late stamp is wrong: that of a sample in a burst.
    true = times if clock is jittered else np.arange(2400) / 200.0
    values = Sines().at(true), Sines().at(true, 1)
    efforts = 3.0 * values[0] + values[1] + 1.0
    stamps = states.stamps[0] + np.rint(times * 1e9).astype(np.int64)
    changed = dict(zip(('positions', 'velocities', 'efforts'), (*values, efforts), strict=True))
    recording = in_memory(replace(states, stamps=stamps, **changed))
    found = joined(list(recording.motions(cutoff=10.0)))
    assert_follows(found)
    assert len(found[0]) > 2000


def test_only_half_the_filter_is_lost_at_the_ends():
    times, *_ = whole(sine_states(100.0, 10.0), cutoff=10.0)
    lost = 1.82 / 10.0 + 8 / 100.0
    assert times[0] == pytest.approx(lost, abs=0.02)
    assert times[-1] == pytest.approx(9.99 - lost, abs=0.02)
    np.testing.assert_allclose(np.diff(times), 0.01, rtol=1e-9)


def test_the_usual_cutoff_is_that_of_the_longest_segment():
    states = sine_states(100.0, 40.0)
    noise = np.random.default_rng(0).normal(size=states.velocities.shape)
    # A pause after each part; only the longest is no noise.
    parts = np.searchsorted((500, 1000, 3500), np.arange(len(states)), side='right')
    noisy = np.where((parts != 2)[:, None], 10.0 * noise, states.velocities)
    cut = replace(states, stamps=states.stamps + parts * 10_000_000_000, velocities=noisy)
    all_noise, motion = (in_memory(cut.part(parts == part)).usual_cutoff() for part in (1, 2))
    assert in_memory(cut).usual_cutoff() == motion != all_noise


def test_nothing_is_interpolated_over_a_gap_and_dropouts_are_bridged():
    kept = np.setdiff1d(np.arange(2000), np.r_[700:760, 100:600:50])
    recording = in_memory(sine_states(100.0, 20.0).part(kept))
    parts = list(recording.motions(cutoff=10.0))
    assert len(parts) == 2
    for part in parts:
        assert part.times[-1] < 7.0 - 0.1 or part.times[0] > 7.6 + 0.1
    assert_follows(joined(parts))
    assert recording.quality.dropouts == 10


def test_joints_without_velocities_or_efforts_are_told_apart():
    """Without efforts, the rest is the same."""
    states = sine_states(100.0, 10.0)
    velocities, efforts = states.velocities.copy(), states.efforts.copy()
    velocities[:, 1] = np.nan
    efforts[:, 2] = np.nan
    some = replace(states, velocities=velocities, efforts=efforts)
    found = whole(some, cutoff=10.0)
    assert np.isnan(found[4]).any(axis=0).tolist() == [False, False, True]
    assert_follows(found)
    without = whole(some, cutoff=10.0, efforts=False)
    assert np.isnan(without[4]).all()
    np.testing.assert_allclose(without[1:4], found[1:4], atol=1e-12)


def test_what_is_lost_is_counted():
    states = sine_states(100.0, 20.0)
    kept = np.setdiff1d(np.arange(2000), np.r_[20:60, 700:710, 1400:1410, 1900:1950])
    recording = in_memory(states.part(kept))
    found = joined(list(recording.motions(cutoff=5.0)))
    assert_follows(found)
    assert recording.quality.unused == 20 + 50


def refused(match, states, **options):
    with pytest.raises(RecordingError, match=match):
        list(in_memory(states).motions(**options))


def test_what_cannot_be_a_motion_is_refused_with_the_reason():
    """A longer recording would not help."""
    states = sine_states(100.0, 20.0)
    refused('30 samples', states.part(slice(30)), cutoff=5.0)
    refused('backward', replace(states, stamps=states.stamps[::-1]))
    efforts = states.efforts.copy()
    for lost in range(3):
        efforts[lost::7, 1] = np.nan
    refused('858 samples', replace(states, efforts=efforts), cutoff=5.0)
    refused('has 0 samples', replace(states, positions=np.nan * states.positions))
    slow = sine_states(1.0, 100.0)
    refused('1 Hz', slow)
    refused('one sample', slow.part(slice(1)))
    refused('cutoff 40 Hz', states, cutoff=40.0)
