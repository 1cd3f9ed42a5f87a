"""Samples for plots: evenly distributed ones and every peak, within a bounded memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

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
    finite = np.isfinite(values)
    lows = _first_equal(np.where(finite, values, np.inf), starts, np.minimum)
    highs = _first_equal(np.where(finite, values, -np.inf), starts, np.maximum)
    return np.union1d(lows, highs)


def _first_equal(values: Array, starts: Indices, extreme: np.ufunc) -> Indices:
    """First row of each stretch that has the extreme value of the stretch."""
    lengths = np.diff(starts, append=len(values))
    equal = np.flatnonzero(values == np.repeat(extreme.reduceat(values, starts), lengths))
    stretch = np.searchsorted(starts, equal, side='right')
    return equal[np.unique(stretch, return_index=True)[1]]


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

    def chosen(self, stride: int) -> Rows:
        """Every `stride`-th sample of the recording, and peaks, at most as many."""
        chosen = self.regular(stride) | self._peaks(stride)
        # A gap before a sample that is dropped lies before the next one.
        gaps = np.add.accumulate(self.begins)[chosen]
        begins = np.diff(gaps, prepend=0) > 0
        return Rows(self.numbers[chosen], self.times[chosen], self.layers[:, chosen], begins)

    def regular(self, stride: int) -> Array:
        """(K,) whether a sample is one of every `stride`-th."""
        regular: Array = self.numbers % stride == 0
        return regular

    def _peaks(self, stride: int) -> Array:
        """(K,) whether an effort or a residual is the smallest or the largest of its stretch.

        There are no more peaks than samples at this stride.
        """
        measured = self.layers[3]
        signals = np.concatenate([measured, measured - self.layers[4:].sum(axis=0)], axis=1)
        stretch = self.numbers // (2 * signals.shape[1] * stride)
        starts = np.flatnonzero(np.diff(stretch, prepend=-1))
        peaks = np.zeros(len(self), dtype=bool)
        for signal in signals.T:
            peaks[extreme_rows(signal, starts)] = True
        return peaks


@dataclass
class PlotSamples:
    """Keeps every sample; later every second, fourth, ... and the peaks between them.

    Attributes:
        pieces: of the recording, in their order.
    """

    pieces: list[Rows] = field(default_factory=list)
    _stride: int = 1
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
        self.pieces.append(piece if self._stride == 1 else piece.chosen(self._stride))
        self._thin(MOST)

    def reduced(self, most: int) -> PlotSamples:
        """At most that many of the samples, as evenly distributed, and their peaks."""
        reduced = replace(self)
        reduced._thin(most)
        return reduced

    def _thin(self, most: int) -> None:
        while sum(map(len, self.pieces)) > most:
            self._stride *= 2
            self.pieces = [_joined(self.pieces).chosen(self._stride)]

    def thinned(self, most: int) -> tuple[Rows, Array]:
        """At most that many samples, and whether each is one of the evenly distributed (K,).

        The first sample and the peaks of the whole recording stay in any case.
        """
        stride, rows = self._stride, _joined(self.pieces)
        while len(rows) > most and stride < self._seen:
            stride *= -(-len(rows) // most)
            rows = rows.chosen(stride)
        return rows, rows.regular(stride)


def _joined(pieces: Sequence[Rows]) -> Rows:
    return Rows(
        np.concatenate([piece.numbers for piece in pieces]),
        np.concatenate([piece.times for piece in pieces]),
        np.concatenate([piece.layers for piece in pieces], axis=1),
        np.concatenate([piece.begins for piece in pieces]),
    )


def samples_of(joints: tuple[str, ...], parts: Sequence[PlotSamples]) -> Samples:
    """The samples of several recordings, in their order."""
    filled = [(number, part) for number, part in enumerate(parts) if part.pieces]
    most = MOST // max(1, len(filled))
    thinned = [(number, *part.thinned(most)) for number, part in filled]
    size = len(joints)
    recording = [np.full(len(rows), number) for number, rows, _ in thinned]
    layers = [np.empty((LAYERS, 0, size)), *(rows.layers for _, rows, _ in thinned)]
    return Samples(
        joints,
        np.concatenate([np.empty(0, dtype=int), *recording]),
        np.concatenate([np.empty(0, dtype=bool), *(rows.begins for _, rows, _ in thinned)]),
        np.concatenate([np.empty(0), *(rows.times for _, rows, _ in thinned)]),
        *np.concatenate(layers, axis=1),
        regular=np.concatenate([np.empty(0, dtype=bool), *(regular for _, _, regular in thinned)]),
    )
