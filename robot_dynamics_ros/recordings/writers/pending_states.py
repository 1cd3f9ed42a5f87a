"""Recorded states, taken from a recording up to one time after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

from ..joint_samples import JointSamples


class PendingStates:
    """States of a recording that have not been written yet; one chunk of them is in memory."""

    def __init__(self, chunks: Iterable[JointSamples], size: int) -> None:
        """Read nothing yet.

        Args:
            chunks: consecutive samples.
            size: of the parts to take, at most.
        """
        self._parts = (
            chunk.part(slice(first, first + size))
            for chunk in chunks
            for first in range(0, len(chunk), size)
        )
        self._rest: JointSamples | None = None

    def until(self, time: float) -> Iterator[JointSamples]:
        """The next states, up to the first one that is later [s]."""
        return self._up_to(lambda times: times > time)

    def before(self, first: float, last: float) -> Iterator[JointSamples]:
        """The next states, up to the first one with a time from `first` to `last` [s]."""
        return self._up_to(lambda times: (times >= first) & (times <= last))

    def _up_to(self, ends: Callable[[Array], npt.NDArray[np.bool_]]) -> Iterator[JointSamples]:
        while (part := self._rest or next(self._parts, None)) is not None:
            found = ends(part.times)
            count = int(np.argmax(found)) if found.any() else len(part)
            self._rest = part.part(slice(count, None)) if count < len(part) else None
            if count:
                yield part.part(slice(0, count))
            if self._rest is not None:
                return
