"""The samples for plots hide no peak and no gap, and their number is bounded."""

import numpy as np
import pytest

from robot_dynamics_ros.comparison.plot_samples import MOST, PlotSamples, samples_of
from robot_dynamics_ros.recordings.motion import Motion

JOINTS = ('a', 'b', 'c')
RATE = 1000.0


def kept(efforts, pieces=7, gaps=(0,)):
    """The samples of a recording that comes in pieces, with a model whose torque is zero."""
    samples, first = PlotSamples(), 0
    for number, piece in enumerate(np.array_split(efforts, pieces)):
        times, states = (first + np.arange(len(piece))) / RATE, np.zeros_like(piece)
        motion = Motion(JOINTS, times, states, states, states, piece, 50.0, RATE, number in gaps)
        samples.add(motion, np.zeros((4, *piece.shape)), after_gap=number in gaps)
        first += len(piece)
    return samples


@pytest.fixture
def noise():
    return np.random.default_rng(1).standard_normal((300_000, 3))


@pytest.mark.parametrize('row', [1, 77_777, 299_999])
def test_the_largest_sample_of_all_and_of_each_stretch_of_time_stays(noise, row):
    noise[row, 1], noise[row - 1, 2], noise[:, 0] = 50.0, -60.0, np.nan
    samples = samples_of(JOINTS, [kept(noise)])
    assert len(samples.times) <= MOST
    assert samples.measured[:, 1].max() == 50.0
    assert samples.times[samples.measured[:, 1].argmax()] == pytest.approx(row / RATE)
    assert samples.measured[:, 2].min() == -60.0
    assert np.isnan(samples.measured[:, 0]).all()
    for start in range(0, len(noise), 30_000):
        inside = (samples.times >= start / RATE) & (samples.times < (start + 30_000) / RATE)
        largest = noise[start : start + 30_000, 1:].max(axis=0)
        np.testing.assert_allclose(samples.measured[inside, 1:].max(axis=0), largest, rtol=1e-6)


def test_the_regular_samples_are_evenly_distributed_and_gaps_are_kept(noise):
    samples = samples_of(JOINTS, [kept(noise, pieces=3, gaps=(0, 2))])
    regular = samples.times[samples.regular]
    assert len(regular) > MOST / 16
    np.testing.assert_allclose(np.diff(regular), np.diff(regular)[0])
    first, second = np.flatnonzero(samples.begins)
    assert first == 0
    assert samples.times[second - 1] < 200.0 <= samples.times[second]


def test_many_recordings_share_the_room_and_keep_their_peaks(noise):
    noise[200, 0] = 70.0
    parts = [kept(noise[:20_000])] * 80
    samples = samples_of(JOINTS, parts)
    assert len(samples.times) <= MOST
    assert np.count_nonzero(samples.measured[:, 0] == 70.0) == len(parts)
    parts[0].thin(1)
    (rows,) = parts[0].pieces
    assert len(rows.times) <= 4 * len(JOINTS) + 1
    assert rows.layers[3, :, 0].max() == 70.0
