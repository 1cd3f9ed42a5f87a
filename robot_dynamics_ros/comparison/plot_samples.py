"""Samples for plots: evenly distributed ones and every peak, within a bounded memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings.motion import Motion

from .compared import Samples

Indices = NDArray[np.intp]


def extreme_rows(values: Array, starts: Indices) -> Indices:
    """The rows of the smallest and of the largest value of each stretch, the first ones of equals.

    Args:
        values: (K,); NaN counts as neither, unless a stretch has nothing else.
        starts: (S,) first row of each stretch, increasing from 0.

    Returns:
        At most 2 S rows, increasing.
    """
    low, high = (np.where(np.isfinite(values), values, fill) for fill in (np.inf, -np.inf))
    rows = [
        start + int(row)
        for start, end in pairwise([*starts.tolist(), len(values)])
        for row in (low[start:end].argmin(), high[start:end].argmax())
    ]
    return np.unique(np.array(rows, dtype=np.intp))


# The most samples that are kept.
MOST = 16384
# Positions, velocities, accelerations, measured efforts, and the four terms of the model.
LAYERS = 8


@dataclass(frozen=True)
class Rows:
    """Samples of one recording.

    Attributes:
        numbers: (K,) which sample of the recording it is.
        times: (K,) [s].
        layers: (8, K, n) in single precision, as they are drawn.
        begins: (K,) whether a gap lies before the sample.
    """

    numbers: Array
    times: Array
    layers: Array
    begins: Array

    def __len__(self) -> int:
        return len(self.numbers)

    @classmethod
    def joined(cls, parts: Sequence[Rows]) -> Rows:
        """Those of some parts, in their order."""
        return cls(
            np.concatenate([part.numbers for part in parts]),
            np.concatenate([part.times for part in parts]),
            np.concatenate([part.layers for part in parts], axis=1),
            np.concatenate([part.begins for part in parts]),
        )

    def chosen(self, stride: int) -> Rows:
        """Every `stride`-th sample of the recording, and peaks, at most as many.

        A peak is an effort or a residual that is the smallest or the largest of its stretch.
        """
        measured = self.layers[3]
        signals = np.concatenate([measured, measured - self.layers[4:].sum(axis=0)], axis=1)
        stretch = self.numbers // (2 * signals.shape[1] * stride)
        starts = np.flatnonzero(np.diff(stretch, prepend=-1))
        chosen = self.numbers % stride == 0
        for signal in signals.T:
            chosen[extreme_rows(signal, starts)] = True
        # A gap before a sample that is dropped lies before the next one.
        gaps = np.add.accumulate(self.begins)[chosen]
        begins = np.diff(gaps, prepend=0) > 0
        return Rows(self.numbers[chosen], self.times[chosen], self.layers[:, chosen], begins)


@dataclass
class PlotSamples:
    """Keeps every sample; later every second, fourth, ... and the peaks between them.

    Attributes:
        pieces: of the recording, in their order.
        stride: of the evenly distributed samples.
    """

    pieces: list[Rows] = field(default_factory=list)
    stride: int = 1
    _seen: int = 0

    def add(self, motion: Motion, terms: Array, *, after_gap: bool) -> None:
        """Take samples of a motion and the (4, N, n) terms of the model."""
        count = len(motion.times)
        if not count:
            return
        numbers = np.arange(self._seen, self._seen + count)
        self._seen += count
        measured = (motion.positions, motion.velocities, motion.accelerations, motion.efforts)
        layers = np.stack([*measured, *terms]).astype(np.float32)
        begins = np.zeros(count, dtype=bool)
        begins[0] = after_gap
        piece = Rows(numbers, motion.times, layers, begins)
        self.pieces.append(piece if self.stride == 1 else piece.chosen(self.stride))
        self.thin(MOST)

    def thin(self, most: int) -> None:
        """Keep at most that many of the samples, as evenly distributed, and their peaks.

        The first sample and the peaks of the whole recording stay in any case.
        """
        while sum(map(len, self.pieces)) > most and self.stride < self._seen:
            self.stride *= 2
            self.pieces = [Rows.joined(self.pieces).chosen(self.stride)]


def samples_of(joints: tuple[str, ...], parts: Sequence[PlotSamples]) -> Samples:
    """The samples of several recordings, in their order."""
    filled = {number: part for number, part in enumerate(parts) if part.pieces}
    reduced = [replace(part) for part in filled.values()]
    for part in reduced:
        part.thin(MOST // len(filled))
    nothing = np.empty(0)
    none = Rows(nothing, nothing, np.empty((LAYERS, 0, len(joints))), np.empty(0, bool))
    each = [Rows.joined(part.pieces) for part in reduced]
    rows = Rows.joined([none, *each])
    recording = np.repeat([*filled], [len(one) for one in each]).astype(int)
    regular = [one.numbers % part.stride == 0 for one, part in zip(each, reduced, strict=True)]
    return Samples(
        joints,
        recording,
        rows.begins,
        rows.times,
        *rows.layers,
        regular=np.concatenate([np.empty(0, bool), *regular]),
    )
