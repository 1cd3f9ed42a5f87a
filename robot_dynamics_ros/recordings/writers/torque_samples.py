"""A motion with the torques of a model, in parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

from ..motion import Motion
from ..recording import WHOLE, Part

SECOND = 1_000_000_000  # [ns]


@dataclass(frozen=True)
class TorqueOrigin:
    """What all torques of a file have in common.

    Attributes:
        joints: names, in the order of the columns.
        start: of the recording [ns].
        topic: of the recorded joint states.
        urdf: text of the model.
        part: of the torques that is in the file, of how many parts; all of them have the same
            number of states, about. What a file has once is in that of the first part.
    """

    joints: tuple[str, ...]
    start: int
    topic: str
    urdf: str
    part: Part = WHOLE

    @property
    def begins(self) -> bool:
        """Whether the file has the first part, or all."""
        return self.part[0] == 0

    @property
    def ends(self) -> bool:
        """Whether the file has the last part, or all."""
        return self.part[0] == self.part[1] - 1

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

    def __len__(self) -> int:
        return len(self.motion)

    @property
    def torques(self) -> Array:
        """(N, n) the sum of the parts [N m, N]."""
        first, *others = self.parts.values()
        total: Array = sum(others, start=first)
        return total

    def pieces(self, size: int) -> Iterator[TorqueSamples]:
        """The same samples, at most `size` at a time."""
        for rows, motion in motion_pieces(self.motion, size):
            parts = {name: values[rows] for name, values in self.parts.items()}
            yield TorqueSamples(motion, parts)


def motion_pieces(motion: Motion, size: int) -> Iterator[tuple[slice, Motion]]:
    """Rows of a motion, at most `size` at a time, and the motion of these."""
    fields = ('times', 'positions', 'velocities', 'accelerations', 'efforts')
    for first in range(0, len(motion), size):
        rows = slice(first, first + size)
        arrays = {name: getattr(motion, name)[rows] for name in fields}
        yield rows, replace(motion, **arrays, begins=motion.begins and not first)
