"""Detects a driver that adds gravity torque to commands that contain it already."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array, all_finite

# Time constant of the fading memory [s].
MEMORY = 0.5
# The excess counts as gravity if its fitted share of the gravity torque lies between these, and
# the fit explains at least this part of its sum of squares.
SHARE = (0.7, 1.3)
EXPLAINED = 0.95
# Below this share the driver adds no gravity.
SMALLEST = 0.1
# Where nothing applies the commands any more, the share falls to zero although the driver adds
# gravity. Its magnitude, 1 at first, is therefore remembered with this time constant [s]: before
# it has decayed to `SMALLEST`, after 2.3 s, that is noticed.
REMEMBERED = 1.0


class DoubleCompensation:
    """Compares the measured effort with the command.

    Where a driver adds gravity itself, the measured effort exceeds the command by g(q). The excess
    is fitted by a multiple of g(q), by least squares with a fading memory. An unknown payload or
    friction differs from g(q) in shape or size.

    Attributes:
        share: of the gravity torque that the driver adds, by the fit [-]; NaN before the states
            cover `MEMORY`.
    """

    def __init__(self, size: int) -> None:
        """Without a state yet.

        Args:
            size: number of commanded joints, k.
        """
        # The last measured effort of each joint.
        self._measured = np.zeros(size)
        self.begin()

    def begin(self) -> None:
        """Know nothing of the driver: commands begin."""
        # The decaying maximum of the magnitude of the share.
        self._largest = 1.0
        self.reset()

    def reset(self) -> None:
        """Drop all states: what is commanded has changed."""
        self.share = math.nan
        self._products = np.zeros(3)
        self._seen = 0.0
        self._measured.fill(math.nan)
        # When the last state came [s].
        self._time = math.nan

    def compare(self, measured: Array, command: Array, gravity: Array, now: float) -> None:
        """Take a state into the fit, once the effort of each joint has been measured.

        Args:
            measured: (k,) efforts of the state [N m or N]; NaN for joints that it does not hold.
            command: (k,) the last command [N m or N].
            gravity: (k,) gravity torque at this state [N m or N].
            now: [s], on a monotonic clock.
        """
        elapsed = 0.0 if math.isnan(self._time) else now - self._time
        self._time = now
        if not all_finite(measured):
            np.copyto(self._measured, measured, where=~np.isnan(measured))
            measured = self._measured
            if not all_finite(measured):
                return
        self.observe(measured - command, gravity, elapsed)

    def observe(self, excess: Array, gravity: Array, elapsed: float) -> None:
        """Take the efforts of one state into the fit.

        Args:
            excess: (k,) measured effort minus the command [N m or N].
            gravity: (k,) gravity torque at this state [N m or N].
            elapsed: time since the last state [s].
        """
        kept = math.exp(-elapsed / MEMORY)
        self._products *= kept
        self._products += excess @ gravity, gravity @ gravity, excess @ excess
        self._seen = min(self._seen + elapsed, 2.0 * MEMORY)
        mixed, weight, _ = self._products
        enough = self._seen >= MEMORY and weight > 0.0
        self.share = float(mixed / weight) if enough else math.nan
        if enough:
            self._largest *= math.exp(-elapsed / REMEMBERED)
            self._largest = max(self._largest, abs(self.share))

    @property
    def excluded(self) -> bool:
        """Whether the efforts show that the driver adds no gravity."""
        return self._largest <= SMALLEST

    @property
    def suspected(self) -> bool:
        """Whether the excess has the size and the shape of the gravity torque."""
        mixed, weight, square = self._products
        fits = mixed * mixed > EXPLAINED * weight * square
        return bool(SHARE[0] <= self.share <= SHARE[1] and fits)
