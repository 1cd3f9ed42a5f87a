"""Samples of joints, and how far apart they may be to follow each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array


@dataclass(frozen=True)
class JointSamples:
    """Samples in the order of the recording; the arrays are not to be written to."""

    joints: tuple[str, ...]  #: names, in the order of the columns
    times: Array  #: (N,) since the start of the recording [s]
    positions: Array  #: (N, n) [rad, m], NaN where a message has none that is finite
    velocities: Array  #: (N, n) [rad/s, m/s], NaN where not measured
    efforts: Array  #: (N, n) [N m, N], NaN where not measured

    def __len__(self) -> int:
        return len(self.times)

    def part(self, which: slice | np.ndarray) -> JointSamples:
        """Some of the samples: a slice, or an array of indices or of booleans."""
        arrays = (self.times, self.positions, self.velocities, self.efforts)
        return JointSamples(self.joints, *(each[which] for each in arrays))


def gap_limit(interval: float) -> float:
    """The longest time between two samples that follow each other, by the usual one [s].

    One lost sample, with jitter, is no gap; nor are 20 ms, in which an arm changes little. NaN
    where the usual one is unknown.
    """
    # In this order: NaN is not greater.
    return max(0.02, 2.5 * interval)
