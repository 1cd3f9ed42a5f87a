"""Filtered motion of a recording, with accelerations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError

from .joint_samples import JointSamples
from .low_pass import (
    check_rate,
    checked_cutoff,
    chosen_cutoff,
    convolved,
    half_length,
    kernels,
)
from .quality import Quality
from .uniform_grid import UniformGrid

# Samples from which the cutoff is chosen, at most.
LOOKED_AT = 1 << 18
# Means that `averaged` gives for a period of the cutoff, which they damp by a tenth.
MEANS_OF_PERIOD = 4.0


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
        return replace(self.mapped(lambda values: values[:, columns]), joints=joints)

    def part(self, rows: slice | Array) -> Motion:
        """Some of the samples; the rate is kept."""
        return replace(self.mapped(lambda values: values[rows]), times=self.times[rows])

    def averaged(self, cutoff: float) -> Motion:
        """Means of as many neighbours as pass what is below a cutoff [Hz]; none of too few."""
        size = max(1, int(self.rate / (MEANS_OF_PERIOD * cutoff)))
        count = len(self) // size
        means = self.mapped(lambda values: values[: count * size].reshape(count, size, -1).mean(1))
        times = self.times[: count * size].reshape(count, size).mean(axis=1)
        return replace(means, times=times, rate=self.rate / size, cutoff=min(cutoff, self.cutoff))

    def mapped(self, change: Callable[[Array], Array]) -> Motion:
        """The motion with other values (N, n), made of each array."""
        names = ('positions', 'velocities', 'accelerations', 'efforts')
        return replace(self, **{name: change(getattr(self, name)) for name in names})


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
    rate = 1.0 / quality.interval
    first: list[JointSamples] = []
    if cutoff is None:
        cutoff, first = usual_cutoff(parts, quality.interval, name)
    else:
        check_rate(name, rate)
        cutoff = checked_cutoff(cutoff, rate)
    half = half_length(cutoff, rate)
    weights = kernels(cutoff, rate)
    segment: SegmentFilter | None = None
    longest, found = 0, False
    for part in chain(first, parts):
        if part.begins or segment is None:
            longest = max(longest, _ended(segment, quality, half))
            segment = SegmentFilter(part, weights, quality.interval, efforts=efforts)
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
            f'filter at {cutoff:.3g} Hz needs more than {2 * half}: {advice}'
        )


def usual_cutoff(
    parts: Iterator[JointSamples], interval: float, name: str
) -> tuple[float, list[JointSamples]]:
    """The cutoff [Hz] for the longest segment of the first parts; and these, which are taken.

    Args:
        parts: of segments, in their order.
        interval: usual one of the samples [s].
        name: of the recording, for messages.

    Raises:
        RecordingError: the files are damaged, or samples come too slowly.
    """
    check_rate(name, 1.0 / interval)
    taken: list[JointSamples] = []
    segments: list[list[JointSamples]] = [[]]
    while sum(map(len, taken)) < LOOKED_AT and (part := next(parts, None)) is not None:
        taken.append(part)
        segments += [[]] * part.begins
        segments[-1] = [*segments[-1], part]
    longest = max(segments, key=lambda segment: sum(map(len, segment)))
    if not longest:
        return chosen_cutoff(np.empty((0, 0)), 1.0 / interval), taken
    samples = JointSamples.joined(longest)
    measured = np.isfinite(samples.velocities[0])
    columns = np.hstack([samples.positions, _measured(samples.velocities, measured)])
    rows = UniformGrid(float(samples.times[0]), interval).push(samples.times, columns)
    positions, velocities = np.hsplit(rows, 2)
    derived = np.diff(positions, axis=0) / interval
    return chosen_cutoff(np.where(measured, velocities[1:], derived), 1.0 / interval), taken


class SegmentFilter:
    """Filters the parts of one segment as they come.

    Attributes:
        samples: that came.
        produced: filtered samples that were given.
    """

    def __init__(
        self,
        first: JointSamples,
        weights: Array,
        interval: float,
        *,
        efforts: bool = True,
    ) -> None:
        """Begin a segment; all of it measures what its first part does.

        Args:
            first: the first part.
            weights: (3, 2 h + 1) value, derivative and second derivative of the low pass.
            interval: between two samples of the result [s].
            efforts: whether they are wanted; else they are NaN.
        """
        self._weights, self._half = weights, weights.shape[1] // 2
        self._grid = UniformGrid(float(first.times[0]), interval)
        self._moving = np.isfinite(first.velocities[0])
        self._loaded = np.isfinite(first.efforts[0]) & efforts
        # Positions, velocities and efforts (N, 2 n or 3 n) that are still needed.
        self._rows: Array | None = None
        self.samples = self.produced = 0

    def push(self, samples: JointSamples) -> tuple[Array, Array, Array, Array, Array] | None:
        """Times, positions, velocities, accelerations, efforts that the next samples lead to.

        Returns:
            None where the samples are too few for the filter.
        """
        self.samples += len(samples)
        fields = [samples.positions, _measured(samples.velocities, self._moving)]
        if self._loaded.any():
            fields.append(_measured(samples.efforts, self._loaded))
        new = self._grid.push(samples.times, np.hstack(fields))
        rows = new if self._rows is None else np.concatenate([self._rows, new])
        count = len(rows) - 2 * self._half
        if count <= 0:
            self._rows = rows
            return None
        self._rows = rows[count:].copy()
        number = self.produced + self._half + np.arange(count)
        self.produced += count
        return self._grid.start + number * self._grid.interval, *self._filtered(rows)

    def _filtered(self, rows: Array) -> tuple[Array, Array, Array, Array]:
        """Positions, velocities, accelerations and efforts, each (N - 2 h, n)."""
        size = len(self._moving)
        everything, positions, velocities = slice(None), slice(0, size), slice(size, 2 * size)
        if self._moving.all():
            smooth, slope, _ = convolved(self._weights, rows, [everything, velocities, slice(0)])
            moved, accelerations = smooth[:, velocities], slope
        else:
            # Some velocities are not measured: these are derivatives of the positions.
            both = slice(0, 2 * size)
            smooth, slope, curvature = convolved(
                self._weights, rows, [everything, both, positions]
            )
            moved = np.where(self._moving, smooth[:, velocities], slope[:, positions])
            accelerations = np.where(self._moving, slope[:, velocities], curvature)
        efforts = np.full(moved.shape, np.nan)
        if self._loaded.any():
            efforts[:, self._loaded] = smooth[:, 2 * size :][:, self._loaded]
        return smooth[:, positions], moved, accelerations, efforts


def _measured(values: Array, which: Array) -> Array:
    """Values (N, n) with 0 in the columns that are not measured."""
    return values if which.all() else np.where(which, values, 0.0)


def _ended(segment: SegmentFilter | None, quality: Quality, half: int) -> int:
    """Count the samples of a segment that the filter loses; how many samples it has."""
    if segment is None:
        return 0
    if segment.produced:
        quality.edges += 2 * half
    else:
        quality.unused += segment.samples
    return segment.samples
