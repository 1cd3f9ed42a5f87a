"""The low pass and its derivatives along one segment of a recording."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..joint_samples import JointSamples
from .uniform_grid import UniformGrid
from .zero_phase import convolved


class SegmentFilter:
    """Filters the parts of one segment as they come.

    Attributes:
        samples: that came.
        produced: filtered samples that were given.
    """

    def __init__(self, first: JointSamples, kernels: Array, interval: float) -> None:
        """Begin a segment.

        Args:
            first: the first part; what it measures, all measure.
            kernels: of `zero_phase.kernels`.
            interval: between two samples of the result [s].
        """
        self._kernels = kernels
        self._half = kernels.shape[1] // 2
        self._grid = UniformGrid(float(first.times[0]), interval)
        self._moving = np.isfinite(first.velocities[0])
        self._loaded = np.isfinite(first.efforts[0])
        self._rows = np.empty((0, 3 * len(first.joints)))
        self.samples = self.produced = 0

    def push(self, samples: JointSamples) -> tuple[Array, Array, Array, Array, Array] | None:
        """Times, positions, velocities, accelerations, efforts that the next samples lead to.

        Returns:
            None where the samples are too few for the filter.
        """
        self.samples += len(samples)
        columns = [
            samples.positions,
            np.where(self._moving, samples.velocities, 0.0),
            np.where(self._loaded, samples.efforts, 0.0),
        ]
        new = self._grid.push(samples.times, np.hstack(columns))
        rows = np.concatenate([self._rows, new])
        count = len(rows) - 2 * self._half
        if count <= 0:
            self._rows = rows
            return None
        self._rows = rows[count:]
        number = self.produced + self._half + np.arange(count)
        self.produced += count
        return self._grid.start + number * self._grid.interval, *self._filtered(rows)

    def _filtered(self, rows: Array) -> tuple[Array, Array, Array, Array]:
        """Positions, velocities, accelerations and efforts, each (N - 2 h, n)."""
        value, first, second = self._kernels
        smooth = convolved(rows, value)
        raw_positions, raw_velocities, _ = np.hsplit(rows, 3)
        positions, velocities, efforts = np.hsplit(smooth, 3)
        accelerations = convolved(raw_velocities, first)
        still = ~self._moving
        if still.any():
            velocities[:, still] = convolved(raw_positions[:, still], first)
            accelerations[:, still] = convolved(raw_positions[:, still], second)
        efforts[:, ~self._loaded] = np.nan
        return positions, velocities, accelerations, efforts
