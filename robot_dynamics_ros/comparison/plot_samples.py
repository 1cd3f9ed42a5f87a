"""Samples for plots: evenly distributed ones, within a bounded memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings.motion import Motion

from .compared import Samples

# The most samples that are kept.
MOST = 16384


@dataclass(init=False, eq=False)
class PlotSamples:
    """Keeps every sample of a recording; later every second, fourth, ...

    Attributes:
        times: (K,) [s].
        segments: (K,) how many gaps lie before a sample.
        layers: (8, K, n) positions, velocities, accelerations, measured efforts, and the four
            terms of the model; in single precision, as they are drawn.
    """

    def __init__(self, joints: int) -> None:
        """Have no sample yet, of so many joints."""
        self.times, self.segments = np.empty(0), np.empty(0, int)
        self.layers = np.empty((8, 0, joints), np.float32)
        self._stride, self._seen, self._segment = 1, 0, 0

    def add(self, motion: Motion, terms: Array) -> None:
        """Take samples of a motion and the (4, N, n) terms of the model."""
        rows = slice(-self._seen % self._stride, None, self._stride)
        self._seen += len(motion)
        self._segment += motion.begins
        measured = motion.positions, motion.velocities, motion.accelerations, motion.efforts
        new = np.stack([one[rows] for one in (*measured, *terms)]).astype(np.float32)
        self.times = np.append(self.times, motion.times[rows])
        self.segments = np.append(self.segments, np.full(new.shape[1], self._segment))
        self.layers = np.concatenate([self.layers, new], axis=1)
        self.thin(MOST)

    def thin(self, most: int) -> None:
        """Keep at most that many of the samples, one at least, as evenly distributed."""
        while len(self.times) > max(most, 1):
            self._stride *= 2
            self.times, self.segments = self.times[::2], self.segments[::2]
            self.layers = self.layers[:, ::2]


def samples_of(joints: tuple[str, ...], parts: Sequence[PlotSamples]) -> Samples:
    """The samples of several recordings, in their order."""
    filled = [number for number, part in enumerate(parts) if len(part.times)]
    none = PlotSamples(len(joints))
    for number in filled:
        parts[number].thin(MOST // len(filled))
    each = [none, *(parts[number] for number in filled)]
    # A gap before a sample that was dropped lies before the next one.
    begins = [np.diff(part.segments, prepend=0) > 0 for part in each]
    return Samples(
        joints,
        np.repeat([0, *filled], [len(part.times) for part in each]),
        np.concatenate(begins),
        np.concatenate([part.times for part in each]),
        *np.concatenate([part.layers for part in each], axis=1),
    )
