"""The low pass and its derivatives along one segment of a recording."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..joint_samples import JointSamples
from .uniform_grid import UniformGrid
from .zero_phase import Convolution


class SegmentFilter:
    """Filters the parts of one segment as they come.

    Attributes:
        samples: that came.
        produced: filtered samples that were given.
    """

    def __init__(
        self, first: JointSamples, convolution: Convolution, half: int, interval: float
    ) -> None:
        """Begin a segment.

        Args:
            first: the first part; what it measures, all measure.
            convolution: with value, derivative and second derivative of the low pass.
            half: samples on each side of the middle of these kernels.
            interval: between two samples of the result [s].
        """
        self._convolution = convolution
        self._half = half
        self._grid = UniformGrid(float(first.times[0]), interval)
        self._moving = np.isfinite(first.velocities[0])
        self._loaded = np.isfinite(first.efforts[0])
        self._size = len(first.joints)
        self._rows = np.empty((0, 3 * self._size))
        self.samples = self.produced = 0

    def push(self, samples: JointSamples) -> tuple[Array, Array, Array, Array, Array] | None:
        """Times, positions, velocities, accelerations, efforts that the next samples lead to.

        Returns:
            None where the samples are too few for the filter.
        """
        self.samples += len(samples)
        new = self._grid.push(samples.times, self._columns(samples))
        rows = np.concatenate([self._rows, new])
        count = len(rows) - 2 * self._half
        if count <= 0:
            self._rows = rows
            return None
        self._rows = rows[count:].copy()
        number = self.produced + self._half + np.arange(count)
        self.produced += count
        return self._grid.start + number * self._grid.interval, *self._filtered(rows)

    def _columns(self, samples: JointSamples) -> Array:
        """Positions, velocities and efforts (N, 3 n), 0 where not measured."""
        columns = np.hstack([samples.positions, samples.velocities, samples.efforts])
        measured = np.concatenate([self._moving, self._loaded])
        if not measured.all():
            columns[:, self._size :][:, ~measured] = 0.0
        return columns

    def _filtered(self, rows: Array) -> tuple[Array, Array, Array, Array]:
        """Positions, velocities, accelerations and efforts, each (N - 2 h, n)."""
        size = self._size
        everything, positions, velocities = slice(None), slice(0, size), slice(size, 2 * size)
        if self._moving.all():
            smooth, slope, _ = self._convolution(rows, [everything, velocities, slice(0)])
            moved, accelerations = smooth[:, velocities], slope
        else:
            # Some velocities are not measured: these are derivatives of the positions.
            both = slice(0, 2 * size)
            smooth, slope, curvature = self._convolution(rows, [everything, both, positions])
            moved = np.where(self._moving, smooth[:, velocities], slope[:, positions])
            accelerations = np.where(self._moving, slope[:, velocities], curvature)
        efforts = smooth[:, 2 * size :]
        if not self._loaded.all():
            efforts = np.where(self._loaded, efforts, np.nan)
        return smooth[:, positions], moved, accelerations, efforts
