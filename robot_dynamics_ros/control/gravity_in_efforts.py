"""Gravity in measured efforts, or in what exceeds the commands: a fit by a multiple of g(q)."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array

# Time constant of the fading memory [s].
MEMORY = 0.5
# An excess is gravity if its fitted share of the gravity torque lies between these, and the fit
# explains at least this part of its sum of squares.
SHARE = (0.7, 1.3)
EXPLAINED = 0.95


class GravityFit:
    """Fits an excess of torque by a multiple of g(q), by least squares with a fading memory.

    An unknown payload or friction differs from g(q) in shape or size.

    Attributes:
        share: of the gravity torque, by the fit [-]; NaN before the states cover `MEMORY`.
        seen: time that the states cover [s].
    """

    def __init__(self) -> None:
        """Without a state yet."""
        self.reset()

    def reset(self) -> None:
        """Drop all states."""
        self.share, self.seen = math.nan, 0.0
        # When the last state came [s].
        self._time = math.nan
        # Excess times gravity, gravity squared, excess squared.
        self._products = np.zeros(3)

    def observe(self, excess: Array, gravity: Array, elapsed: float) -> None:
        """Take a state into the fit.

        Args:
            excess: (k,) what is measured beyond what is expected [N m or N].
            gravity: (k,) gravity torque at this state [N m or N].
            elapsed: time since the last state [s].
        """
        self._products *= math.exp(-elapsed / MEMORY)
        self._products += excess @ gravity, gravity @ gravity, excess @ excess
        self.seen += elapsed
        mixed, weight, _ = self._products
        self.share = float(mixed / weight) if self.seen >= MEMORY and weight > 0.0 else math.nan

    def elapsed(self, now: float) -> float:
        """The time since the last call [s], on the clock of the node; 0 for the first one."""
        before, self._time = self._time, now
        return 0.0 if math.isnan(before) else now - before

    @property
    def is_gravity(self) -> bool:
        """Whether the excess has the size and the shape of the gravity torque."""
        return SHARE[0] <= self.share <= SHARE[1] and self.has_its_shape

    @property
    def has_its_shape(self) -> bool:
        """Whether the excess is a multiple of the gravity torque."""
        mixed, weight, square = self._products
        return bool(mixed * mixed > EXPLAINED * weight * square)
