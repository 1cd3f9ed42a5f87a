"""Samples for plots: evenly distributed, within a bounded memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..comparison import Samples

if TYPE_CHECKING:
    from robot_dynamics_ros.recordings.motion import Motion

# The most samples that are kept.
MOST = 16384
# Positions, velocities, accelerations, measured efforts, and the four terms of the model.
LAYERS = 8


@dataclass
class PlotSamples:
    """Keeps every sample, later every second, fourth, ...

    Attributes:
        times: (K,) of each piece [s].
        layers: (8, K, n) of each piece.
        begins: (K,) of each piece: whether a gap lies before the sample.
    """

    times: list[Array] = field(default_factory=list)
    layers: list[Array] = field(default_factory=list)
    begins: list[Array] = field(default_factory=list)
    _stride: int = 1
    _seen: int = 0
    _kept: int = 0

    def add(self, motion: Motion, terms: Array, *, after_gap: bool) -> None:
        """Take samples of a motion and the (4, N, n) terms of the model."""
        first = -self._seen % self._stride
        self._seen += len(motion.times)
        rows = slice(first, None, self._stride)
        times = motion.times[rows]
        if not len(times):
            return
        measured = (motion.positions, motion.velocities, motion.accelerations, motion.efforts)
        begins = np.zeros(len(times), dtype=bool)
        begins[0] = after_gap
        # In single precision, as they are drawn.
        self.layers.append(np.stack([*measured, *terms])[:, rows].astype(np.float32))
        self.times.append(times)
        self.begins.append(begins)
        self._kept += len(times)
        while self._kept > MOST:
            self._halve()

    def _halve(self) -> None:
        times, layers, begins = self._joined()
        # A gap before a sample that is dropped lies before the next one.
        begins[2::2] |= begins[1:-1:2]
        self.times, self.layers, self.begins = [times[::2]], [layers[:, ::2]], [begins[::2]]
        self._stride *= 2
        self._kept = len(self.times[0])

    def _joined(self) -> tuple[Array, Array, Array]:
        return (
            np.concatenate(self.times),
            np.concatenate(self.layers, axis=1),
            np.concatenate(self.begins),
        )

    def thinned(self, most: int) -> tuple[Array, Array, Array]:
        """Times (K,), layers (8, K, n) and beginnings (K,) of at most that many samples."""
        times, layers, begins = self._joined()
        stride = -(-len(times) // most)
        gaps = np.add.accumulate(begins)[::stride]
        begins = np.diff(gaps, prepend=0) > 0
        return times[::stride], layers[:, ::stride], begins


def samples_of(joints: tuple[str, ...], parts: Sequence[PlotSamples]) -> Samples:
    """The samples of several recordings, in their order."""
    filled = [(number, part) for number, part in enumerate(parts) if part.times]
    most = MOST // max(1, len(filled))
    thinned = [(number, *part.thinned(most)) for number, part in filled]
    size = len(joints)
    recording = [np.full(len(times), number) for number, times, _, _ in thinned]
    layers = np.concatenate([np.empty((LAYERS, 0, size)), *(one[2] for one in thinned)], axis=1)
    return Samples(
        joints,
        np.concatenate([np.empty(0, dtype=int), *recording]),
        np.concatenate([np.empty(0, dtype=bool), *(one[3] for one in thinned)]),
        np.concatenate([np.empty(0), *(one[1] for one in thinned)]),
        *layers,
    )
