"""The samples for plots are evenly distributed, hide no gap, and their number is bounded."""

import numpy as np

from robot_dynamics_ros.comparison.plot_samples import MOST, PlotSamples, samples_of
from robot_dynamics_ros.recordings.motion import Motion

JOINTS = ('a', 'b', 'c')
RATE = 1000.0


def kept(efforts, pieces=7, gaps=(0,)):
    """The samples of a recording that comes in pieces, with a model whose torque is zero."""
    samples, first = PlotSamples(len(JOINTS)), 0
    for number, piece in enumerate(np.array_split(efforts, pieces)):
        times, states = (first + np.arange(len(piece))) / RATE, np.zeros_like(piece)
        motion = Motion(JOINTS, times, states, states, states, piece, 50.0, RATE, number in gaps)
        samples.add(motion, np.zeros((4, *piece.shape)))
        first += len(piece)
    return samples


def test_the_samples_are_evenly_distributed_and_gaps_are_kept():
    efforts = np.arange(900_009.0).reshape(-1, 3)
    samples = samples_of(JOINTS, [kept(efforts, pieces=3, gaps=(0, 2))])
    assert MOST / 2 < len(samples.times) <= MOST
    np.testing.assert_allclose(np.diff(samples.times), np.diff(samples.times)[0])
    np.testing.assert_allclose(
        samples.measured, efforts[np.rint(RATE * samples.times).astype(int)]
    )
    first, second = np.flatnonzero(samples.begins)
    assert first == 0
    assert samples.times[second - 1] < 200.002 <= samples.times[second]


def test_many_recordings_share_the_room():
    parts = [kept(np.ones((20_000, 3)))] * 80
    samples = samples_of(JOINTS, parts)
    assert len(samples.times) <= MOST
    assert len(np.unique(samples.recording)) == len(np.flatnonzero(samples.begins)) == len(parts)
    parts[0].thin(1)
    assert len(parts[0].times) == 1
