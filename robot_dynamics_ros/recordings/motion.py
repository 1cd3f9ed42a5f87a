"""Filtered motion with accelerations, from a recording."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError

from .joint_samples import JointSamples
from .low_pass import Convolution, check_rate, checked_cutoff, chosen_cutoff, half_length, kernels
from .quality import Quality
from .uniform_grid import UniformGrid

# Samples from which the cutoff is chosen, at most.
LOOKED_AT = 1 << 18


@dataclass(frozen=True)
class Motion:
    """Samples at equal intervals that follow each other, all filtered by one zero-phase low pass.

    Attributes:
        joints: names, in the order of the columns.
        times: (N,) since the start of the recording [s].
        positions: (N, n) [rad, m].
        velocities: (N, n) [rad/s, m/s]; derivatives of the positions where not measured.
        accelerations: (N, n) derivatives of the velocities [rad/s^2, m/s^2].
        efforts: (N, n) [N m, N], NaN where not measured.
        cutoff: at which the low pass halves the amplitude [Hz].
        rate: of the samples [Hz].
        begins: whether it begins a segment; else it continues the motion before.
        number: of its first sample, from the first one of the segment.
    """

    joints: tuple[str, ...]
    times: Array
    positions: Array
    velocities: Array
    accelerations: Array
    efforts: Array
    cutoff: float
    rate: float
    begins: bool = True
    number: int = 0

    def __len__(self) -> int:
        return len(self.times)

    def of(self, joints: tuple[str, ...]) -> Motion:
        """That of some of the joints, in this order."""
        if self.joints == joints:
            return self
        columns = [self.joints.index(name) for name in joints]
        names = ('positions', 'velocities', 'accelerations', 'efforts')
        chosen = {name: getattr(self, name)[:, columns] for name in names}
        return replace(self, joints=joints, **chosen)


def filtered(
    parts: Iterator[JointSamples],
    quality: Quality,
    name: str,
    *,
    cutoff: float | None = None,
    efforts: bool = True,
) -> Iterator[Motion]:
    """The motion of parts of segments, as `Recording.motions` gives it, with its errors.

    Args:
        parts: in their order.
        quality: with the usual interval; counts the samples that the filter loses.
        name: of the recording, for messages.
        cutoff: of the low pass [Hz]; None: from the spectrum of the velocities.
        efforts: whether they are wanted.
    """
    interval = quality.usual_interval
    rate = 1.0 / interval
    check_rate(name, rate)
    first: list[JointSamples] = []
    if cutoff is None:
        first = _until(parts, LOOKED_AT)
        cutoff = _cutoff_of(first, interval)
    else:
        cutoff = checked_cutoff(cutoff, rate)
    half = half_length(cutoff, rate)
    convolution = Convolution(kernels(cutoff, rate))
    segment: SegmentFilter | None = None
    longest, found = 0, False
    for part in chain(first, parts):
        if part.begins or segment is None:
            longest = max(longest, _ended(segment, quality, half))
            segment = SegmentFilter(part, convolution, half, interval, efforts=efforts)
        number = segment.produced
        arrays = segment.push(part)
        if arrays is not None:
            found = True
            yield Motion(part.joints, *arrays, cutoff, rate, number == 0, number)
    longest = max(longest, _ended(segment, quality, half))
    # Without a cut there are two edges.
    quality.edges = max(0, quality.edges - 2 * half)
    if not found:
        cuts = quality.cuts if quality.samples > 2 * half else ''
        advice = quality.doubt or cuts or 'record longer, or raise the cutoff'
        raise RecordingError(
            f'{name}: the longest segment without a gap has {longest} samples, the '
            f'filter at {cutoff:.3g} Hz needs {2 * half + 1}: {advice}'
        )


def cutoff_of(parts: Iterator[JointSamples], interval: float, name: str) -> float:
    """The cutoff [Hz] that `filtered` chooses for segments with a usual interval [s].

    Raises:
        RecordingError: the files are damaged, or samples come too slowly.
    """
    check_rate(name, 1.0 / interval)
    return _cutoff_of(_until(parts, LOOKED_AT), interval)


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
    ) -> None:
        """Begin a segment; all of it measures what its first part does.

        Args:
            first: the first part.
            convolution: with value, derivative and second derivative of the low pass.
            half: samples on each side of the middle of these kernels.
            interval: between two samples of the result [s].
            efforts: whether they are wanted; else they are NaN.
        """
        self._convolution = convolution
        self._half = half
        self._grid = UniformGrid(float(first.times[0]), interval)
        self._moving = np.isfinite(first.velocities[0])
        self._loaded = np.isfinite(first.efforts[0]) & efforts
        self._size = len(first.joints)
        # What has been read and is still needed, and room for what comes.
        self._rows = np.empty((0, 3 * self._size))
        self._filled = 0
        self.samples = self.produced = 0

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
        number = self.produced + self._half + np.arange(count)
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


def _ended(segment: SegmentFilter | None, quality: Quality, half: int) -> int:
    """Count the samples of a segment that the filter loses; how many samples it has."""
    if segment is None:
        return 0
    if segment.produced:
        quality.edges += 2 * half
    else:
        quality.unused += segment.samples
    return segment.samples


def _until(parts: Iterator[JointSamples], most: int) -> list[JointSamples]:
    """The first parts, with about so many samples."""
    taken: list[JointSamples] = []
    count = 0
    for part in parts:
        taken.append(part)
        count += len(part)
        if count >= most:
            break
    return taken


def _cutoff_of(parts: list[JointSamples], interval: float) -> float:
    """The cutoff for the longest segment of some parts [Hz]."""
    grouped: list[list[JointSamples]] = []
    for part in parts:
        if part.begins:
            grouped.append([])
        grouped[-1].append(part)
    longest = max(grouped, key=lambda group: sum(map(len, group)), default=[])
    if not longest:
        return chosen_cutoff(np.empty((0, 0)), 1.0 / interval)
    samples = JointSamples.joined(longest)
    measured = np.isfinite(samples.velocities[0])
    columns = np.hstack([samples.positions, np.where(measured, samples.velocities, 0.0)])
    rows = UniformGrid(float(samples.times[0]), interval).push(samples.times, columns)
    positions, velocities = np.hsplit(rows, 2)
    derived = np.diff(positions, axis=0) / interval
    return chosen_cutoff(np.where(measured, velocities[1:], derived), 1.0 / interval)
