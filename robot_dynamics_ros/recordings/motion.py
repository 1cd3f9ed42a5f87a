"""Filtered motion of a recording, with accelerations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError

from .low_pass import check_rate, checked_cutoff, chosen_cutoff, convolved, kernels
from .quality import Quality
from .segments import Segments
from .uniform_grid import UniformGrid

# Samples from which the cutoff is chosen, and that are filtered together, at most.
LOOKED_AT, PART = 1 << 18, 1 << 15
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
    segments: Segments, quality: Quality, name: str, *, cutoff: float | None, efforts: bool
) -> Iterator[Motion]:
    """The motion of segments, as `Recording.motions` gives it, with its errors.

    The quality has the usual interval, and counts the samples that the filter loses.
    """
    rate = 1.0 / quality.interval
    if cutoff is None:
        cutoff = usual_cutoff(segments, quality.interval, name)
    check_rate(name, rate)
    weights = kernels(checked_cutoff(cutoff, rate), rate)
    lost, longest, used = weights.shape[1] - 1, 0, 0
    quality.unused = quality.edges = 0
    for first, last in segments.bounds:
        rows = SegmentRows(segments, first, last, quality.interval, efforts=efforts)
        longest = max(longest, last - first)
        if rows.size <= lost:
            quality.unused += last - first
            continue
        # Without a cut there are two edges.
        quality.edges, used = used * lost, used + 1
        for number in range(0, rows.size - lost, PART):
            end = min(number + PART, rows.size - lost)
            arrays = rows.filtered(number, end + lost, weights)
            times = rows.start + (np.arange(number, end) + lost // 2) * quality.interval
            joints = segments.samples.joints
            yield Motion(joints, times, *arrays, cutoff, rate, number == 0, number)
    if not used:
        cuts = quality.cuts if quality.samples > lost else ''
        advice = quality.doubt or cuts or 'record longer, or raise the cutoff'
        raise RecordingError(
            f'{name}: the longest segment without a gap has {longest} samples, the '
            f'filter at {cutoff:.3g} Hz needs more than {lost}: {advice}'
        )


def usual_cutoff(segments: Segments, interval: float, name: str) -> float:
    """The cutoff [Hz] for the longest segment, by the usual interval of the samples [s].

    Raises:
        RecordingError: samples come too slowly.
    """
    check_rate(name, 1.0 / interval)
    if not segments.bounds:
        return chosen_cutoff(np.empty((0, 0)), 1.0 / interval)
    first, last = max(segments.bounds, key=lambda bounds: bounds[1] - bounds[0])
    rows = SegmentRows(segments, first, min(last, first + LOOKED_AT), interval, efforts=False)
    positions, velocities = np.hsplit(rows.rows(0, rows.size), 2)
    derived = np.diff(positions, axis=0) / interval
    return chosen_cutoff(np.where(rows.moving, velocities[1:], derived), 1.0 / interval)


class SegmentRows:
    """Positions, velocities and efforts of one segment at equal intervals.

    Attributes:
        start: time of the first one [s].
        size: how many there are.
        moving: (n,) which joints have a measured velocity.
        loaded: (n,) which have an effort that is measured and wanted.
    """

    def __init__(
        self, segments: Segments, first: int, last: int, interval: float, *, efforts: bool
    ) -> None:
        """Take the first row of a segment, and that behind the last one."""
        self._segments, self._first = segments, first
        begin = segments.part(first, first + 1)
        self.start = float(begin.times[0])
        self.moving = np.isfinite(begin.velocities[0])
        self.loaded = np.isfinite(begin.efforts[0]) & efforts
        self._grid = UniformGrid(segments.samples.times[segments.rows[first:last]], interval)
        self.size = self._grid.size

    def rows(self, first: int, last: int) -> Array:
        """Some of them (N, 2 n), or (N, 3 n) where efforts are measured; 0 if not measured."""
        return self._grid.rows(first, last, self._values)

    def _values(self, first: int, last: int) -> Array:
        samples = self._segments.part(self._first + first, self._first + last)
        fields = [samples.positions, np.where(self.moving, samples.velocities, 0.0)]
        if self.loaded.any():
            fields.append(np.where(self.loaded, samples.efforts, 0.0))
        return np.hstack(fields)

    def filtered(self, first: int, last: int, weights: Array) -> tuple[Array, Array, Array, Array]:
        """Positions, velocities, accelerations and efforts (N, n) of rows, by the `kernels`."""
        rows, size = self.rows(first, last), len(self.moving)
        smooth = convolved(weights[0], rows)
        positions, velocities = smooth[:, :size], smooth[:, size : 2 * size]
        accelerations = convolved(weights[1], rows[:, size : 2 * size])
        if not self.moving.all():
            # Some velocities are not measured: these are derivatives of the positions.
            slopes, curvatures = (convolved(each, rows[:, :size]) for each in weights[1:])
            velocities = np.where(self.moving, velocities, slopes)
            accelerations = np.where(self.moving, accelerations, curvatures)
        efforts = np.full(positions.shape, np.nan)
        if self.loaded.any():
            efforts[:, self.loaded] = smooth[:, 2 * size :][:, self.loaded]
        return positions, velocities, accelerations, efforts
