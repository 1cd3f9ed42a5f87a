"""A recording cut where its samples do not follow each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

from .joint_samples import JointSamples, finite_rows, gap_limit
from .quality import Quality

Flags = npt.NDArray[np.bool_]

# [rad, m]: no joint moves so far between two samples that follow each other.
JUMP = np.pi


def cut(chunks: Iterable[JointSamples], quality: Quality) -> Iterator[JointSamples]:
    """The segments of chunks, as `Recording.segments` gives them; jumps are counted."""
    cutter = _Cutter(gap_limit(quality.interval))
    for chunk in chunks:
        kept, begins, jumps = cutter.cut(chunk)
        quality.jumps += jumps
        samples = chunk if kept.all() else chunk.part(kept)
        if not len(samples):
            continue
        starts = np.unique(np.concatenate([[0], np.flatnonzero(begins)]))
        for start, stop in zip(starts, [*starts[1:], len(samples)], strict=True):
            yield samples.part(slice(start, stop), begins=bool(begins[start]))


class _Cutter:
    """Finds out which samples are kept, and which of these begin a segment."""

    def __init__(self, limit: float) -> None:
        """Samples follow each other within the limit [s]."""
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
        return np.abs(steps).max(axis=1) > JUMP

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
        measured = np.hstack([np.isfinite(velocities), np.isfinite(efforts)])[kept]
        before = measured[:1] if self._measured is None else self._measured
        self._measured = measured[-1:]
        return np.diff(np.concatenate([before, measured]), axis=0).any(axis=1)
