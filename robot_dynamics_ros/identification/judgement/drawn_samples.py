"""Held-out samples for plots, within a bounded memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

from .judged_torques import Torques

Flags = npt.NDArray[np.bool_]

# The most samples that are kept of a recording.
MOST = 16384
NAMES = ('velocities', 'measured', 'nominal', 'identified')


@dataclass
class DrawnSamples:
    """Keeps every sample; later every second, fourth, ...: the torques have no peaks between.

    Torques are filtered, and sampled at twice the cutoff: half of them is a coarser picture.

    Attributes:
        times: (K,) of each piece [s].
        layers: (4, K, n) of each piece: velocity, measured, nominal, identified.
        begins: (K,) of each piece: whether a gap lies before the sample.
    """

    times: list[Array] = field(default_factory=list)
    layers: list[Array] = field(default_factory=list)
    begins: list[Flags] = field(default_factory=list)
    _stride: int = 1

    def add(self, torques: Torques) -> None:
        """Take torques that follow those before."""
        begins = np.zeros(len(torques), bool)
        begins[:1] = torques.begins
        layers: Array = np.stack([getattr(torques, name) for name in NAMES]).astype(np.float32)
        self._keep(torques.times, layers, begins, self._stride)
        self._thin(MOST)

    def _keep(self, times: Array, layers: Array, begins: Flags, stride: int) -> None:
        rows = slice(None, None, stride)
        # A gap before a sample that is dropped lies before the next one that is kept.
        gaps = np.add.accumulate(begins)[rows]
        self.times.append(times[rows])
        self.layers.append(layers[:, rows])
        self.begins.append(np.diff(gaps, prepend=0) > 0)

    def _thin(self, most: int) -> None:
        while sum(map(len, self.times)) > most:
            self._stride *= 2
            pieces = list(zip(self.times, self.layers, self.begins, strict=True))
            self.times, self.layers, self.begins = [], [], []
            for piece in pieces:
                self._keep(*piece, stride=2)

    @classmethod
    def joined(cls, parts: Sequence[DrawnSamples], most: int = MOST) -> DrawnSamples:
        """The samples of several parts, in their order."""
        whole = cls()
        for part in parts:
            whole.times += part.times
            whole.layers += part.layers
            whole.begins += part.begins
        whole._thin(most)
        return whole

    def arrays(self, size: int) -> tuple[Array, Array, Flags]:
        """Times (K,), layers (4, K, n) and begins (K,)."""
        nothing = np.empty((len(NAMES), 0, size))
        return (
            np.concatenate([np.empty(0), *self.times]),
            np.concatenate([nothing, *self.layers], axis=1).astype(float),
            np.concatenate([np.empty(0, bool), *self.begins]),
        )
