"""Gravity in measured efforts: a fit by a multiple of g(q), and a driver that adds it to commands.

What the efforts of a driver are is found by the same fit, see `driver_effort`.
"""

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

    def reset(self) -> None:
        """Drop all states."""
        self.share, self.seen = math.nan, 0.0
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

    @property
    def is_gravity(self) -> bool:
        """Whether the excess has the size and the shape of the gravity torque."""
        return SHARE[0] <= self.share <= SHARE[1] and self.has_its_shape

    @property
    def has_its_shape(self) -> bool:
        """Whether the excess is a multiple of the gravity torque."""
        mixed, weight, square = self._products
        return bool(mixed * mixed > EXPLAINED * weight * square)


class DoubleCompensation(GravityFit):
    """Whether a driver adds gravity: the measured effort then exceeds the command by g(q)."""

    def __init__(self) -> None:
        """Without a state yet."""
        self.reset()

    def reset(self) -> None:
        """Drop all states: what is commanded has changed."""
        super().reset()
        # When the last state came [s].
        self._time = math.nan

    def compare(self, measured: Array, command: Array, gravity: Array, now: float) -> None:
        """Take a state.

        Args:
            measured: (k,) last effort of each joint [N m or N].
            command: (k,) the last command [N m or N].
            gravity: (k,) gravity torque at this state [N m or N].
            now: [s], on the clock of the node.
        """
        elapsed = 0.0 if math.isnan(self._time) else now - self._time
        self._time = now
        self.observe(measured - command, gravity, elapsed)
