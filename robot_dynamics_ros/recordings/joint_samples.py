"""Samples of joints, and how far apart they may be to follow each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array

# Of the usual interval, and [s]: a gap is longer than both.
GAP_INTERVALS, GAP_SECONDS = 2.5, 0.02


@dataclass(frozen=True)
class JointSamples:
    """Samples in the order of the recording; the arrays are not to be written to.

    Attributes:
        joints: names, in the order of the columns.
        times: (N,) since the start of the recording [s].
        positions: (N, n) [rad, m], NaN where a message has none that is finite.
        velocities: (N, n) [rad/s, m/s], NaN where not measured.
        efforts: (N, n) [N m, N], NaN where not measured.
    """

    joints: tuple[str, ...]
    times: Array
    positions: Array
    velocities: Array
    efforts: Array

    def __len__(self) -> int:
        return len(self.times)

    def part(self, which: slice | np.ndarray) -> JointSamples:
        """Some of the samples: a slice, or an array of indices or of booleans."""
        arrays = (self.times, self.positions, self.velocities, self.efforts)
        return JointSamples(self.joints, *(each[which] for each in arrays))


def gap_limit(interval: float) -> float:
    """The longest time between two samples that are taken as consecutive [s].

    Args:
        interval: usual time between two samples [s]; NaN where it is unknown.
    """
    # In this order: NaN is not greater.
    return max(GAP_SECONDS, GAP_INTERVALS * interval)
