"""A motion with the torques of a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

from .motion import Motion

SECOND = 1_000_000_000  # [ns]
# Samples whose numbers are objects of Python at a time.
ROWS = 4096


@dataclass(frozen=True)
class TorqueOrigin:
    """What all torques of a file have in common.

    Attributes:
        joints: names, in the order of the columns.
        start: of the recording [ns].
        topic: of the recorded joint states.
        urdf: text of the model.
    """

    joints: tuple[str, ...]
    start: int
    topic: str
    urdf: str

    def stamps(self, times: Array) -> npt.NDArray[np.int64]:
        """Stamps (N,) of times since the start of the recording [ns]."""
        return self.start + np.rint(times * SECOND).astype(np.int64)


@dataclass(frozen=True)
class TorqueSamples:
    """Consecutive samples of a motion, with the torques that a model needs for it.

    Attributes:
        motion: N filtered samples.
        parts: (N, n) of the torque by name, such as `gravity` [N m, N].
    """

    motion: Motion
    parts: Mapping[str, Array]

    @property
    def torques(self) -> Array:
        """(N, n) the sum of the parts [N m, N]."""
        first, *others = self.parts.values()
        total: Array = sum(others, start=first)
        return total

    def pieces(self, size: int) -> Iterator[TorqueSamples]:
        """The same samples, at most `size` at a time."""
        fields = ('times', 'positions', 'velocities', 'accelerations', 'efforts')
        for first in range(0, len(self.motion), size):
            rows = slice(first, first + size)
            arrays = {name: getattr(self.motion, name)[rows] for name in fields}
            parts = {name: values[rows] for name, values in self.parts.items()}
            yield TorqueSamples(replace(self.motion, **arrays), parts)
