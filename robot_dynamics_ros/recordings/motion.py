"""Filtered motion with accelerations, from a recording."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError

from .filtering.cutoff import check_rate, checked_cutoff, chosen_cutoff
from .filtering.segment_filter import SegmentFilter
from .filtering.uniform_grid import UniformGrid
from .filtering.zero_phase import Convolution, half_length, kernels
from .joint_samples import JointSamples
from .recording import Recording
from .sample_segments import segment_parts

# Samples from which the cutoff is chosen, at most.
LOOKED_AT = 1 << 18


# Samples that are filtered together: they fit into the cache of a processor.
PART = 1 << 14
# Whether a part begins a segment, and its samples.
Part = tuple[bool, JointSamples]


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


def motions(
    recording: Recording,
    *,
    cutoff: float | None = None,
    efforts: bool = True,
    starts: Sequence[float] = (),
) -> Iterator[Motion]:
    """The motion of a recording, in parts that fit into memory.

    Half the length of the filter, 1.8 / cutoff seconds, is lost at both ends of a segment; shorter
    segments are counted in `recording.quality.unused`, edges of cuts in `edges`. A part of a
    recording begins and ends as a segment does; it may have no motion.

    Args:
        recording: is read to the end.
        cutoff: of the low pass [Hz]; None: from the spectrum of the velocities.
        efforts: whether they are wanted; without them it is a third faster.
        starts: times at which segments of the whole recording begin, ascending [s]: a part that
            begins in the middle of one gives the samples that the whole recording gives.

    Raises:
        RecordingError: the files are damaged, samples come too slowly, no segment is long enough,
            or the cutoff is not possible.
    """
    rate = 1.0 / recording.interval
    check_rate(recording.name, rate)
    parts = segment_parts(recording, PART)
    first: list[Part] = []
    if cutoff is None:
        first = _until(parts, LOOKED_AT)
        cutoff = _cutoff_of(first, recording.interval)
    else:
        cutoff = checked_cutoff(cutoff, rate)
    half = half_length(cutoff, rate)
    convolution = Convolution(kernels(cutoff, rate))
    segment: SegmentFilter | None = None
    longest, found = 0, False
    for begins, part in chain(first, parts):
        if begins or segment is None:
            longest = max(longest, _ended(segment, recording, half))
            segment = SegmentFilter(
                part,
                convolution,
                half,
                recording.interval,
                efforts=efforts,
                start=_start(float(part.times[0]), starts),
            )
        continues, number = segment.produced > 0, segment.number
        arrays = segment.push(part)
        if arrays is not None:
            found = True
            yield Motion(part.joints, *arrays, cutoff, rate, not continues, number)
    longest = max(longest, _ended(segment, recording, half))
    # Without a cut there are two edges.
    recording.quality.edges = max(0, recording.quality.edges - 2 * half)
    if not found and recording.is_whole:
        quality = recording.quality
        cuts = quality.cuts if quality.samples > 2 * half else ''
        advice = quality.doubt or cuts or 'record longer, or raise the cutoff'
        raise RecordingError(
            f'{recording.name}: the longest segment without a gap has {longest} samples, the '
            f'filter at {cutoff:.3g} Hz needs {2 * half + 1}: {advice}'
        )


def usual_cutoff(recording: Recording) -> float:
    """The cutoff that `motions` chooses for a recording [Hz], from its first samples.

    Raises:
        RecordingError: the files are damaged, or samples come too slowly.
    """
    check_rate(recording.name, 1.0 / recording.interval)
    return _cutoff_of(_until(segment_parts(recording, PART), LOOKED_AT), recording.interval)


def _start(time: float, starts: Sequence[float]) -> float:
    """When the segment of a sample began [s]."""
    place = bisect_right(starts, time)
    return starts[place - 1] if place else time


def _ended(segment: SegmentFilter | None, recording: Recording, half: int) -> int:
    """Count the samples of a segment that the filter loses; how many samples it has."""
    if segment is None:
        return 0
    if segment.produced:
        recording.quality.edges += 2 * half
    else:
        recording.quality.unused += segment.samples
    return segment.samples


def _until(parts: Iterator[Part], most: int) -> list[Part]:
    """The first parts, with about so many samples."""
    taken: list[Part] = []
    count = 0
    for begins, part in parts:
        taken.append((begins, part))
        count += len(part)
        if count >= most:
            break
    return taken


def _cutoff_of(parts: list[Part], interval: float) -> float:
    """The cutoff for the longest segment of some parts [Hz]."""
    grouped: list[list[JointSamples]] = []
    for begins, part in parts:
        if begins:
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
