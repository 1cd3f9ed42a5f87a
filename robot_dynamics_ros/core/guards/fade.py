"""Commands stay continuous where what is commanded changes."""

from __future__ import annotations

import math

import numpy as np

from ..checks import Array


class Fade:
    """Bumpless transfer: the offset between the last command and the new target decays.

    command(t) = target(t) + (1 - s(t)) (last command - target at the change), with the smooth step
    s = 3 x^2 - 2 x^3 over the duration. It starts where the last command was and ends, at rest, on
    the target, which may move meanwhile.

    Attributes:
        duration: [s]; may change at any time: what is left of a fade goes on at the new pace.
    """

    def __init__(self, size: int, duration: float) -> None:
        """No offset yet."""
        self.duration = duration
        self._offset = np.zeros(size)
        # Share of the duration that is over.
        self._progress = 1.0
        self._begun = False

    @property
    def running(self) -> bool:
        """Whether an offset is left."""
        return self._progress < 1.0

    def begin(self, last: Array, target: Array) -> None:
        """Start from the last command (k,) towards a target (k,) [N m or N]."""
        np.subtract(last, target, out=self._offset)
        self._progress = 0.0 if self.duration else 1.0
        self._begun = True

    def apply(self, command: Array, elapsed: float) -> None:
        """Turn the target into the command, in place.

        Args:
            command: (k,) the target [N m or N].
            elapsed: since the last call [s]; not counted in the first one after `begin`.
        """
        if not self._begun:
            self._progress += elapsed / self.duration if self.duration else math.inf
        self._begun = False
        if self.running:
            x = self._progress
            command += (1.0 - x * x * (3.0 - 2.0 * x)) * self._offset
