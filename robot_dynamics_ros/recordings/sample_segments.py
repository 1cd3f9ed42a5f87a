"""A recording cut where its samples do not follow each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

from .joint_samples import JointSamples, finite_rows
from .quality import gap_limit
from .recording import CHUNK, Recording

Flags = npt.NDArray[np.bool_]

# [rad, m]: no joint moves so far between two samples that follow each other.
JUMP = np.pi


def segments(recording: Recording, size: int = CHUNK) -> Iterator[JointSamples]:
    """Samples that follow each other, with strictly increasing times; nothing is interpolated.

    Cut are gaps, jumps of the clock, positions that are not finite or jump by more than half a
    turn, as those of continuous joints may, and where a velocity or an effort begins or ends to be
    measured. Samples with a repeated stamp are left out, and late ones
    that are earlier by less than a gap. A segment longer than a chunk comes in parts.

    Args:
        recording: is read to the end.
        size: samples of a part, at most.

    Raises:
        RecordingError: the files are damaged.
    """
    for _, part in segment_parts(recording, size):
        yield part


def segment_parts(recording: Recording, size: int = CHUNK) -> Iterator[tuple[bool, JointSamples]]:
    """The same, each with whether it begins a segment; else it continues the one before.

    Args:
        recording: as of `segments`.
        size: as of `segments`.

    Raises:
        RecordingError: the files are damaged.
    """
    cutter = _Cutter(gap_limit(recording.interval))
    for chunk in recording.chunks(size):
        kept, begins, jumps = cutter.cut(chunk)
        recording.quality.jumps += jumps
        samples = chunk if kept.all() else chunk.part(kept)
        if not len(samples):
            continue
        starts = np.unique(np.concatenate([[0], np.flatnonzero(begins)]))
        for start, stop in zip(starts, [*starts[1:], len(samples)], strict=True):
            yield bool(begins[start]), samples.part(slice(start, stop))


class SegmentStarts:
    """Finds where the segments of a recording begin, as its chunks come.

    Attributes:
        times: of the first samples of the segments [s].
    """

    def __init__(self, interval: float) -> None:
        """Have seen no sample.

        Args:
            interval: usual one between two samples [s].
        """
        self.times: list[float] = []
        self._cutter = _Cutter(gap_limit(interval))

    def add(self, chunk: JointSamples) -> None:
        """Take samples that follow those before."""
        kept, begins, _ = self._cutter.cut(chunk)
        self.times += chunk.times[kept][begins].tolist()


class _Cutter:
    """Finds out which samples are kept, and which of these begin a segment."""

    def __init__(self, limit: float) -> None:
        """Have seen no sample.

        Args:
            limit: longest time between two samples that follow each other [s].
        """
        self._limit = limit
        self._last: float | None = None
        self._position: Array | None = None
        self._measured: Flags | None = None

    def cut(self, chunk: JointSamples) -> tuple[Flags, Flags, int]:
        """Which samples (N,) are kept, which of the kept ones (M,) begin a segment, and jumps."""
        kept, begins = self._in_time(chunk.times, finite_rows(chunk.positions))
        if not kept.any():
            return kept, begins, 0
        jumps = self._jumps(chunk.positions if kept.all() else chunk.positions[kept])
        jumps[begins] = False
        begins |= jumps
        begins |= self._changes(chunk.velocities, chunk.efforts, kept)
        return kept, begins, int(np.count_nonzero(jumps))

    def _jumps(self, positions: Array) -> Flags:
        """Which positions (M, n) of the kept samples are far from those before."""
        before = positions[:1] if self._position is None else self._position
        self._position = positions[-1:].copy()
        steps = np.diff(np.concatenate([before, positions]), axis=0)
        jumps: Flags = np.abs(steps).max(axis=1) > JUMP
        return jumps

    def _in_time(self, times: Array, finite: Flags) -> tuple[Flags, Flags]:
        """By time, and by positions that are not finite."""
        intervals = np.diff(times, prepend=times[0] - 1.0 if self._last is None else self._last)
        if not (finite.all() and (intervals > 0.0).all()):
            return self._one_by_one(times, finite)
        begins = intervals > self._limit
        begins[0] |= self._last is None
        self._last = float(times[-1])
        return finite, begins

    def _one_by_one(self, times: Array, finite: Flags) -> tuple[Flags, Flags]:
        """The same for samples that do not all follow each other."""
        kept = np.zeros(len(times), bool)
        begins: list[bool] = []
        for index, (time, usable) in enumerate(zip(times.tolist(), finite.tolist(), strict=True)):
            if not usable:
                self._last = None
                continue
            late = None if self._last is None else self._last - time
            if late is not None and 0.0 <= late <= self._limit:
                continue
            kept[index] = True
            begins.append(late is None or abs(late) > self._limit)
            self._last = time
        return kept, np.array(begins, bool)

    def _changes(self, velocities: Array, efforts: Array, kept: Flags) -> Flags:
        """Which of the kept samples (M,) differ from the one before in what is measured."""
        columns = 2 * velocities.shape[1]
        everything = finite_rows(velocities) & finite_rows(efforts)
        if everything.all():
            measured = np.ones((2, columns), bool)
        else:
            measured = np.isfinite(np.hstack([velocities, efforts]))[kept]
        before = measured[0] if self._measured is None else self._measured
        self._measured = measured[-1]
        if (measured == before).all():
            return np.zeros(np.count_nonzero(kept), bool)
        if everything.all():
            measured = np.ones((int(np.count_nonzero(kept)), columns), bool)
        changes: Flags = (measured != np.vstack([before, measured[:-1]])).any(axis=1)
        return changes
