"""The samples for plots hide no peak and no gap, and their number is bounded."""

import numpy as np
import pytest

from robot_dynamics_ros.comparison.plot_samples import MOST, PlotSamples, samples_of
from robot_dynamics_ros.recordings.motion import Motion

JOINTS = ('a', 'b', 'c')
RATE = 1000.0


def motion_of(efforts, first=0, begins=True):
    times = (first + np.arange(len(efforts))) / RATE
    states = np.zeros_like(efforts)
    return Motion(JOINTS, times, states, states, states, efforts, 50.0, RATE, begins)


def kept(efforts, pieces=7):
    """The samples of a recording that comes in pieces, with a model whose torque is zero."""
    samples, first = PlotSamples(), 0
    for piece in np.array_split(efforts, pieces):
        terms = np.zeros((4, *piece.shape))
        samples.add(motion_of(piece, first, first == 0), terms, after_gap=first == 0)
        first += len(piece)
    return samples


@pytest.fixture
def noise():
    return np.random.default_rng(1).standard_normal((300_000, 3))


def test_a_short_recording_stays_as_it_is(noise):
    samples = samples_of(JOINTS, [kept(noise[:5000])])
    np.testing.assert_allclose(samples.measured, noise[:5000], rtol=1e-6)
    assert samples.regular.all()


@pytest.mark.parametrize('row', [1, 77_777, 150_001, 299_999])
def test_one_sample_that_is_larger_than_all_others_stays(noise, row):
    noise[row, 1] = 50.0
    noise[row - 1, 2] = -60.0
    samples = samples_of(JOINTS, [kept(noise)])
    assert len(samples.times) <= MOST
    assert samples.measured[:, 1].max() == 50.0
    assert samples.times[samples.measured[:, 1].argmax()] == pytest.approx(row / RATE)
    assert samples.measured[:, 2].min() == -60.0


def test_in_each_stretch_of_time_the_largest_sample_stays(noise):
    samples = samples_of(JOINTS, [kept(noise)])
    for start in range(0, len(noise), 30_000):
        inside = (samples.times >= start / RATE) & (samples.times < (start + 30_000) / RATE)
        largest = noise[start : start + 30_000].max(axis=0)
        np.testing.assert_allclose(samples.measured[inside].max(axis=0), largest, rtol=1e-6)


def test_the_regular_samples_are_evenly_distributed_and_enough(noise):
    samples = samples_of(JOINTS, [kept(noise)])
    steps = np.diff(samples.times[samples.regular])
    np.testing.assert_allclose(steps, steps[0])
    assert MOST / 8 < samples.regular.sum() < MOST


def test_a_gap_stays_where_it_is(noise):
    samples = PlotSamples()
    for first, begins in ((0, True), (100_000, False), (200_000, True)):
        piece = noise[first : first + 100_000]
        samples.add(motion_of(piece, first, begins), np.zeros((4, *piece.shape)), after_gap=begins)
    result = samples_of(JOINTS, [samples])
    rows = np.flatnonzero(result.begins)
    assert list(rows[:1]) == [0]
    assert len(rows) == 2
    assert result.times[rows[1] - 1] < 200.0 <= result.times[rows[1]]


def test_a_joint_without_efforts_keeps_the_others(noise):
    noise[:, 0] = np.nan
    noise[123_456, 1] = 9.0
    samples = samples_of(JOINTS, [kept(noise)])
    assert np.isnan(samples.measured[:, 0]).all()
    assert samples.measured[:, 1].max() == 9.0


def test_many_recordings_share_the_room(noise):
    noise[200, 0] = 70.0
    parts = [kept(noise[:20_000])] * 300
    samples = samples_of(JOINTS, parts)
    assert len(samples.times) <= MOST
    assert np.count_nonzero(samples.measured[:, 0] == 70.0) == len(parts)


def test_the_peaks_of_a_recording_stay_however_little_room_there_is(noise):
    noise[200, 0] = 70.0
    rows, _ = kept(noise[:20_000]).thinned(1)
    assert len(rows) <= 4 * len(JOINTS) + 1
    assert rows.layers[3, :, 0].max() == 70.0
