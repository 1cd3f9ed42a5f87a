"""Filtered motion: what it is of a known one, at any rate, in any parts, with any defect."""

from dataclasses import replace

import numpy as np
import pytest
from memory_source import in_memory
from recorded_states import JOINTS, Sines, sine_states

from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.recordings import recording as recording_module

# Of the amplitude: what the filter leaves out, 0.2 %, and errors of derivatives.
EXACT = 4e-3


def whole(recording, **options):
    """All parts of the motion of a recording: times, positions, velocities, ..."""
    parts = list(recording.motions(**options))
    fields = ('times', 'positions', 'velocities', 'accelerations', 'efforts')
    return tuple(np.concatenate([getattr(part, name) for part in parts]) for name in fields)


def assert_follows(found, positions=True):
    """That a motion is that of the sines, with its efforts."""
    times, q, v, a, tau = found
    sines = Sines()
    for value, derivative in ((q, 0), (v, 1), (a, 2)):
        expected = sines.at(times, derivative)
        bound = EXACT * np.abs(expected).max(axis=0)
        assert (np.abs(value - expected) <= bound).all()
    expected = 3.0 * sines.at(times) + sines.at(times, 1) + 1.0
    np.testing.assert_allclose(tau, expected, atol=EXACT * np.abs(expected).max())


@pytest.mark.parametrize('rate', [30.0, 125.0, 1000.0])
@pytest.mark.parametrize('measured', [True, False])
def test_it_is_that_of_the_robot_at_any_rate(rate, measured):
    states = sine_states(rate, 12.0)
    recording = in_memory(states if measured else replace(states, velocities=None))
    (part, *rest) = recording.motions()
    assert part.joints == JOINTS
    assert part.rate == pytest.approx(rate, rel=1e-6)
    assert part.begins
    assert not any(later.begins for later in rest)
    assert_follows(whole(recording))


def test_only_half_the_filter_is_lost_at_the_ends():
    times, *_ = whole(in_memory(sine_states(100.0, 10.0)), cutoff=10.0)
    lost = 1.82 / 10.0 + 8 / 100.0
    assert times[0] == pytest.approx(lost, abs=0.02)
    assert times[-1] == pytest.approx(9.99 - lost, abs=0.02)
    np.testing.assert_allclose(np.diff(times), 0.01, rtol=1e-9)


def test_parts_do_not_change_it(monkeypatch):
    states = sine_states(200.0, 20.0)
    reference = whole(in_memory(states), cutoff=8.0)
    for size in (37, 1000):
        monkeypatch.setattr(recording_module, 'PART', size)
        for value, expected in zip(whole(in_memory(states), cutoff=8.0), reference, strict=True):
            np.testing.assert_allclose(value, expected, atol=1e-9 * np.abs(expected).max())


def test_jitter_of_the_stamps_is_taken_into_account():
    generator = np.random.default_rng(7)
    times = (np.arange(3000) + generator.uniform(-0.2, 0.2, 3000)) / 200.0
    stamps = np.rint(times * 1e9).astype(np.int64) + 10**18
    positions, velocities = Sines().at(times), Sines().at(times, 1)
    states = replace(
        sine_states(200.0, 15.0),
        stamps=stamps,
        positions=positions,
        velocities=velocities,
        efforts=3.0 * positions + velocities + 1.0,
    )
    found = whole(in_memory(states), cutoff=8.0)
    assert_follows((found[0] + times[0], *found[1:]))


def test_noise_is_damped():
    generator = np.random.default_rng(8)
    states = sine_states(1000.0, 20.0)
    noise = 1e-2
    noisy = replace(
        states, velocities=states.velocities + noise * generator.normal(size=(len(states), 3))
    )
    times, _, _, found, _ = whole(in_memory(noisy), cutoff=5.0)
    error = np.std(found - Sines().at(times, 2), axis=0)
    # White noise of the derivative up to the cutoff: integral of (2 pi f)^2 times its density.
    density = noise**2 / 500.0
    expected = np.sqrt(density * (2.0 * np.pi) ** 2 * 5.0**3 / 3.0)
    assert (error < 1.5 * expected + EXACT * np.array([3.0, 2.0, 72.0])).all()
    # Raw differences would have sqrt(2) noise / interval.
    assert (error < 0.02 * np.sqrt(2.0) * noise * 1000.0 + 0.3).all()


def test_nothing_is_interpolated_over_a_gap():
    states = sine_states(100.0, 20.0)
    gap = np.r_[700:760]
    recording = in_memory(states.part(np.setdiff1d(np.arange(2000), gap)))
    parts = list(recording.motions(cutoff=10.0))
    assert [part.begins for part in parts] == [True, True]
    for part in parts:
        assert part.times[-1] < 7.0 - 0.1 or part.times[0] > 7.6 + 0.1
    assert_follows(whole(recording, cutoff=10.0))


def test_dropouts_are_bridged_and_counted():
    states = sine_states(100.0, 20.0)
    kept = np.setdiff1d(np.arange(2000), np.arange(100, 1900, 50))
    recording = in_memory(states.part(kept))
    assert_follows(whole(recording, cutoff=10.0))
    assert recording.quality.dropouts == 36


def test_joints_without_velocities_or_efforts_are_told_apart():
    states = sine_states(100.0, 10.0)
    velocities, efforts = states.velocities.copy(), states.efforts.copy()
    velocities[:, 1] = np.nan
    efforts[:, 2] = np.nan
    found = whole(in_memory(replace(states, velocities=velocities, efforts=efforts)), cutoff=10.0)
    assert np.isnan(found[4][:, 2]).all()
    assert_follows((*found[:4], np.where(np.isnan(found[4]), efforts_at(found[0]), found[4])))


def efforts_at(times):
    return 3.0 * Sines().at(times) + Sines().at(times, 1) + 1.0


def test_without_efforts_the_rest_is_the_same():
    states = sine_states(100.0, 10.0)
    for each in (states, replace(states, velocities=None)):
        with_them = whole(in_memory(each), cutoff=10.0)
        without = whole(in_memory(each), cutoff=10.0, efforts=False)
        assert np.isnan(without[4]).all()
        for found, expected in zip(without[:4], with_them[:4], strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())


def test_short_segments_are_counted_and_said():
    states = sine_states(100.0, 20.0)
    kept = np.setdiff1d(np.arange(2000), np.r_[20:60, 1900:1950])
    recording = in_memory(states.part(kept))
    assert_follows(whole(recording, cutoff=5.0))
    assert recording.quality.unused == 20 + 50
    short = in_memory(states.part(slice(30)))
    with pytest.raises(RecordingError, match='longest segment without'):
        list(short.motions(cutoff=5.0))


def test_times_that_run_backward_are_said():
    states = sine_states(100.0, 5.0)
    backward = replace(states, stamps=states.stamps[::-1])
    with pytest.raises(RecordingError, match='backward'):
        list(in_memory(backward).motions())


def test_what_cuts_a_recording_into_short_segments_is_said():
    """A longer recording would not help."""
    states = sine_states(100.0, 20.0)
    efforts = states.efforts.copy()
    efforts[::7, 1] = np.nan
    missing = 'measured in 286 samples\\.'
    with pytest.raises(RecordingError, match=missing):
        list(in_memory(replace(states, efforts=efforts)).motions(cutoff=5.0))
    shuffled = np.random.default_rng(0).permutation(states.stamps)
    with pytest.raises(RecordingError, match=r'\d+ stamps earlier'):
        list(in_memory(replace(states, stamps=shuffled)).motions(cutoff=5.0))


def test_what_cannot_be_a_motion_is_refused():
    slow = sine_states(1.0, 100.0)
    with pytest.raises(RecordingError, match='rate of 1 Hz'):
        list(in_memory(slow).motions())
    with pytest.raises(RecordingError, match='sample is not'):
        list(in_memory(slow.part(slice(1))).motions())
    with pytest.raises(RecordingError, match=r'cutoff 40 Hz: .*'):
        list(in_memory(sine_states(100.0, 5.0)).motions(cutoff=40.0))
    for cutoff in (1e-7, 1e-300):
        with pytest.raises(RecordingError, match=rf'cutoff {cutoff:g} Hz: .* at least'):
            list(in_memory(sine_states(100.0, 5.0)).motions(cutoff=cutoff))
