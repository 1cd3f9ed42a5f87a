"""The low pass and its derivatives along one segment of a recording."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..joint_samples import JointSamples
from .uniform_grid import SIDE, UniformGrid
from .zero_phase import Convolution


class SegmentFilter:
    """Filters the parts of one segment as they come.

    Attributes:
        samples: that came.
        produced: filtered samples that were given.
    """

    def __init__(
        self,
        first: JointSamples,
        convolution: Convolution,
        half: int,
        interval: float,
        *,
        efforts: bool = True,
        start: float | None = None,
    ) -> None:
        """Begin a segment, or continue in the middle of one as if all of it was filtered.

        Args:
            first: the first part; what it measures, all measure.
            convolution: with value, derivative and second derivative of the low pass.
            half: samples on each side of the middle of these kernels.
            interval: between two samples of the result [s].
            efforts: whether they are wanted; else they are NaN.
            start: time of the first sample of the segment [s]; None: that of the first part.
        """
        self._convolution = convolution
        self._half = half
        time = float(first.times[0])
        start = time if start is None else start
        # In the middle of a segment, a cubic needs samples before.
        self._first = math.ceil((time - start) / interval) + SIDE if time > start else 0
        self._grid = UniformGrid(start, interval, self._first)
        self._moving = np.isfinite(first.velocities[0])
        self._loaded = np.isfinite(first.efforts[0]) & efforts
        self._size = len(first.joints)
        # What has been read and is still needed, and room for what comes.
        self._rows = np.empty((0, 3 * self._size))
        self._filled = 0
        self.samples = self.produced = 0

    @property
    def number(self) -> int:
        """Of the next filtered sample, from the first one that the segment has."""
        return self._first + self.produced

    def push(self, samples: JointSamples) -> tuple[Array, Array, Array, Array, Array] | None:
        """Times, positions, velocities, accelerations, efforts that the next samples lead to.

        Returns:
            None where the samples are too few for the filter.
        """
        self.samples += len(samples)
        self._append(samples)
        count = self._filled - 2 * self._half
        if count <= 0:
            return None
        filtered = self._filtered(self._rows[: self._filled])
        self._rows[: 2 * self._half] = self._rows[count : self._filled].copy()
        self._filled = 2 * self._half
        number = self.number + self._half + np.arange(count)
        self.produced += count
        return self._grid.start + number * self._grid.interval, *filtered

    def _append(self, samples: JointSamples) -> None:
        """Append positions, velocities and efforts to the rows, 0 where not measured."""
        size, room = self._size, self._room(len(samples))
        room[:, :size] = samples.positions
        room[:, size : 2 * size] = samples.velocities
        room[:, 2 * size :] = samples.efforts if self._loaded.any() else 0.0
        measured = np.concatenate([self._moving, self._loaded])
        if not measured.all():
            room[:, size:][:, ~measured] = 0.0
        rows = self._grid.push(samples.times, room)
        if rows is not room:
            self._room(len(rows))[:] = rows
        self._filled += len(rows)

    def _room(self, count: int) -> Array:
        """Rows (count, 3 n) behind those that are filled."""
        needed = self._filled + count
        if needed > len(self._rows):
            # Not less than before: it is used again and again.
            rows = np.empty((needed, 3 * self._size))
            rows[: self._filled] = self._rows[: self._filled]
            self._rows = rows
        return self._rows[self._filled : needed]

    def _filtered(self, rows: Array) -> tuple[Array, Array, Array, Array]:
        """Positions, velocities, accelerations and efforts, each (N - 2 h, n)."""
        size = self._size
        loaded = self._loaded.any()
        if not loaded:
            rows = rows[:, : 2 * size]
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
        if loaded:
            efforts = smooth[:, 2 * size :]
            efforts[:, ~self._loaded] = np.nan
        else:
            efforts = np.full(moved.shape, np.nan)
        return smooth[:, positions], moved, accelerations, efforts
