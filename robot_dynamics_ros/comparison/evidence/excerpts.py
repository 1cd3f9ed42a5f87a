"""Windows of consecutive samples from all over the recordings, within a bounded memory.

Hypotheses about a recording are tried on these windows: a delay, for example, needs consecutive
samples, and all of them are tried many times.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from robot_dynamics_ros.core.checks import Array

if TYPE_CHECKING:
    from robot_dynamics_ros.recordings.motion import Motion

# Samples of a window, and the most windows that are kept.
LENGTH, MOST = 512, 32
# Samples are taken at this multiple of the cutoff: what lies above is filtered out.
OVERSAMPLING = 10.0


@dataclass(frozen=True)
class Window:
    """Consecutive samples at equal intervals.

    Attributes:
        interval: [s].
        cutoff: of the low-pass filter [Hz].
        positions: (N, n) [rad or m].
        velocities: (N, n) [rad/s or m/s].
        accelerations: (N, n) [rad/s^2 or m/s^2].
        efforts: (N, n) [N m or N].
    """

    interval: float
    cutoff: float
    positions: Array
    velocities: Array
    accelerations: Array
    efforts: Array


@dataclass
class Excerpts:
    """Keeps every window, later every second, fourth, ... so that at most `MOST` are kept.

    Attributes:
        windows: with their numbers; evenly distributed over what has come.
    """

    windows: list[tuple[int, Window]] = field(default_factory=list)
    _stride: int = 1
    _seen: int = 0

    def add(self, motion: Motion) -> None:
        """Take windows of a motion whose samples are consecutive."""
        for window in windows_of(motion):
            self.keep(window)

    def keep(self, window: Window) -> None:
        """Take one window, if it is its turn."""
        if self._seen % self._stride == 0:
            self.windows.append((self._seen, window))
        self._seen += 1
        self._thin(MOST)

    def thinned(self, most: int) -> Excerpts:
        """At most that many of the windows, as evenly distributed."""
        thinned = replace(self)
        thinned._thin(most)
        return thinned

    def _thin(self, most: int) -> None:
        while len(self.windows) > most:
            self._stride *= 2
            self.windows = [one for one in self.windows if one[0] % self._stride == 0]

    def __iter__(self) -> Iterator[Window]:
        return (window for _, window in self.windows)


def merged(parts: Iterable[Excerpts]) -> Excerpts:
    """Windows of several recordings, as evenly distributed among them as the limit allows."""
    whole = Excerpts()
    for part in parts:
        for window in part:
            whole.keep(window)
    return whole


def windows_of(motion: Motion) -> Iterator[Window]:
    """Windows of about equal length that fill a motion, at a rate that suits its cutoff."""
    stride = max(1, int(motion.rate / (OVERSAMPLING * motion.cutoff)))
    rows = np.arange(0, len(motion.times), stride)
    if len(rows) < 2:
        return
    for part in np.array_split(rows, math.ceil(len(rows) / LENGTH)):
        times = motion.times[part]
        if len(part) > 1:
            yield Window(
                interval=float(times[-1] - times[0]) / (len(part) - 1),
                cutoff=motion.cutoff,
                positions=motion.positions[part],
                velocities=motion.velocities[part],
                accelerations=motion.accelerations[part],
                efforts=motion.efforts[part],
            )
