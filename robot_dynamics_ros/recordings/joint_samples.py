"""Samples of joints, and how far apart they may be to follow each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

# Of the usual interval, and [s]: a gap is longer than both.
GAP_INTERVALS, GAP_SECONDS = 2.5, 0.02
# Of samples, those with a row for each.
ARRAYS = ('times', 'positions', 'velocities', 'efforts')


@dataclass(frozen=True)
class JointSamples:
    """Samples in the order of the recording; the arrays are not to be written to.

    Attributes:
        joints: names, in the order of the columns.
        times: (N,) since the start of the recording [s].
        positions: (N, n) [rad, m], NaN where a message has none that is finite.
        velocities: (N, n) [rad/s, m/s], NaN where not measured.
        efforts: (N, n) [N m, N], NaN where not measured.
        begins: of `Recording.segments`: whether a segment begins here; else the samples continue
            those before.
    """

    joints: tuple[str, ...]
    times: Array
    positions: Array
    velocities: Array
    efforts: Array
    begins: bool = False

    def __len__(self) -> int:
        return len(self.times)

    def part(self, which: slice | np.ndarray, *, begins: bool = False) -> JointSamples:
        """Some of the samples: a slice, or an array of indices or of booleans."""
        chosen = {name: getattr(self, name)[which] for name in ARRAYS}
        return JointSamples(self.joints, **chosen, begins=begins)


def stamps(start: int, times: Array) -> npt.NDArray[np.int64]:
    """Stamps (N,) [ns] of times since the start of a recording.

    Args:
        start: of the recording [ns].
        times: (N,) [s].
    """
    return start + np.rint(times * 1e9).astype(np.int64)


def gap_limit(interval: float) -> float:
    """The longest time between two samples that are taken as consecutive [s].

    Args:
        interval: usual time between two samples [s]; NaN where it is unknown.
    """
    # In this order: NaN is not greater.
    return max(GAP_SECONDS, GAP_INTERVALS * interval)
