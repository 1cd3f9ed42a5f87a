"""What is kept of residuals: the largest one of each cell of time, and the motion at it."""

import numpy as np
import pytest

from robot_dynamics_ros.contacts import residual_peaks
from robot_dynamics_ros.contacts.residual_peaks import CELL, ResidualPeaks
from robot_dynamics_ros.control.external.contact_detector import ResidualBands

SIZE, PERIOD, CELLS = 2, 0.01, 23


def residuals():
    """Times (N,), residuals and velocities (N, 2): one sample more than the cells have."""
    count = round(CELLS * CELL / PERIOD) + 1
    random = np.random.default_rng(0)
    return PERIOD * np.arange(count), *random.normal(size=(2, count, SIZE))


@pytest.mark.parametrize('block', [1, 5, CELLS, 4096])
def test_the_largest_of_each_cell_is_kept_however_many_there_are(monkeypatch, block):
    monkeypatch.setattr(residual_peaks, 'BLOCK', block)
    times, r, v = residuals()
    peaks = ResidualPeaks(SIZE)
    peaks.add(times, r, v)
    begins, sizes, motions = peaks.arrays()
    bands, values, motion = ResidualBands(SIZE), [], []
    for sample in zip(r, v, times.tolist(), strict=True):
        bands.step(*sample)
        values.append(np.abs(bands.values))
        motion.append(bands.motion.copy())
    cells = np.array(values[:-1]).reshape(CELLS, -1, 2, SIZE)
    np.testing.assert_allclose(begins, CELL * np.arange(CELLS), atol=1e-12)
    np.testing.assert_array_equal(sizes, cells.max(axis=1))
    motion = np.array(motion[:-1]).reshape(CELLS, -1, 2, 2, SIZE)
    at = cells.argmax(axis=1)[:, None, :, None]
    np.testing.assert_array_equal(motions, np.take_along_axis(motion, at, axis=1)[:, 0])
    assert peaks.seconds == pytest.approx(CELLS * CELL)


def test_without_a_cell_there_is_nothing():
    assert [len(part) for part in ResidualPeaks(SIZE).arrays()] == [0, 0, 0]
