"""Recorded states, taken from a recording up to one time after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

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
        while (part := self._rest or next(self._parts, None)) is not None:
            later = part.times > time
            count = int(np.argmax(later)) if later.any() else len(part)
            self._rest = part.part(slice(count, None)) if count < len(part) else None
            if count:
                yield part.part(slice(0, count))
            if self._rest is not None:
                return
