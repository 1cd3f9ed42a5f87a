"""Whether somebody else adds the gravity torque that we command already."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array

# Time over which states count [s].
MEMORY = 0.5
# What share of gravity the excess must be, and how much of the excess that must explain.
SHARE = (0.7, 1.3)
EXPLAINED = 0.95


class DoubleCompensation:
    """Compares measured effort with what was commanded.

    Where a driver adds gravity itself, its effort exceeds the command by g(q). The excess is
    fitted by a multiple of gravity, least squares with a fading memory; a payload that nobody told
    us of, or friction, has another shape or size.

    Attributes:
        share: of gravity that somebody adds, by the fit [-]; NaN before there is enough to say.
    """

    def __init__(self) -> None:
        """Nothing seen yet."""
        self.forget()

    def forget(self) -> None:
        """Begin anew: what is commanded has changed."""
        self.share = math.nan
        self._products = np.zeros(3)
        self._seen = 0.0

    def observe(self, excess: Array, gravity: Array, elapsed: float) -> None:
        """Take a state.

        Args:
            excess: (k,) measured effort less what was commanded [N m or N].
            gravity: (k,) torque at this state [N m or N].
            elapsed: since the state before [s].
        """
        kept = math.exp(-elapsed / MEMORY)
        self._products *= kept
        self._products += excess @ gravity, gravity @ gravity, excess @ excess
        self._seen = min(self._seen + elapsed, 2.0 * MEMORY)
        mixed, weight, _ = self._products
        enough = self._seen >= MEMORY and weight > 0.0
        self.share = float(mixed / weight) if enough else math.nan

    @property
    def suspected(self) -> bool:
        """Whether the excess is gravity, by size and shape."""
        mixed, weight, square = self._products
        fits = mixed * mixed > EXPLAINED * weight * square
        return bool(SHARE[0] <= self.share <= SHARE[1] and fits)
