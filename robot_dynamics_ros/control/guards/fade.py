"""A continuous transition of the command where its target changes."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array

# Fritsch and Carlson, "Monotone piecewise cubic interpolation" (1980).
STEEPEST = 3.0
# A shorter duration counts as zero [s].
SHORTEST = 1e-6


class Fade:
    """Bumpless transfer: the offset between the last command and the new target decays.

    command(t) = target(t) + (1 - s) (last command - target at the change), with the smooth step
    s = 3 x^2 - 2 x^3 and x from 0 to 1 over the duration. It starts at the last command and ends,
    at rest, on the target, which may move meanwhile.

    A change during a fade keeps the slope at which the offset decays. So a target that changes
    again and again is followed; fades that each began at rest would never reach it. The slope is
    reduced where it would carry the offset beyond zero.

    Attributes:
        duration: [s]; may change at any time: the rest of a fade runs at the new pace.
    """

    def __init__(self, size: int, duration: float) -> None:
        """Without an offset yet.

        Args:
            size: number of commanded joints, k.
            duration: of the first fade, if `begin` gives none [s].
        """
        self.duration = duration
        self._offset, self._slope = np.zeros((2, size))
        # Share of the duration that has passed.
        self._progress = 1.0
        self._begun = False

    def continue_from(self, other: Fade) -> None:
        """Copy the progress of another fade of the same size."""
        self.duration = other.duration
        self._offset[:], self._slope[:] = other._offset, other._slope
        self._progress, self._begun = other._progress, other._begun

    @property
    def running(self) -> bool:
        """Whether an offset is left."""
        return self._progress < 1.0

    def begin(self, last: Array, target: Array, duration: float | None = None) -> None:
        """Start from the last command towards a target.

        Args:
            last: (k,) the last command [N m or N].
            target: (k,) the new target [N m or N].
            duration: of this fade and those after it [s]; None for that of the last one.
        """
        before = self.duration
        self.duration = before if duration is None else duration
        if self.running and before > SHORTEST:
            x = self._progress
            self._slope *= (1.0 - x) * (1.0 - 3.0 * x)
            self._slope -= 6.0 * (x - x * x) * self._offset
            # Slopes are with respect to x, which now runs over another duration.
            self._slope *= self.duration / before
        else:
            self._slope.fill(0.0)
        np.subtract(last, target, out=self._offset)
        # A cubic that ends at rest overshoots zero if its first slope is steeper than this.
        steepest = -STEEPEST * self._offset
        np.clip(self._slope, np.minimum(steepest, 0.0), np.maximum(steepest, 0.0), out=self._slope)
        self._progress = 0.0 if self.duration > SHORTEST else 1.0
        self._begun = True

    def apply(self, command: Array, elapsed: float) -> None:
        """Add the rest of the offset to a target, in place.

        Args:
            command: (k,) the target, which becomes the command [N m or N].
            elapsed: time since the last call [s]; not counted in the first one after `begin`.
        """
        if not self._begun:
            self._progress += elapsed / self.duration if self.duration else math.inf
        self._begun = False
        if self.running:
            # The cubic that begins with the offset and its slope, and ends at zero, at rest.
            x = self._progress
            command += (1.0 - x * x * (3.0 - 2.0 * x)) * self._offset
            command += x * (1.0 - x) ** 2 * self._slope
