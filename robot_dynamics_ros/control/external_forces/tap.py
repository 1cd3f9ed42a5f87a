"""What may learn from the estimates of external torques while they come."""

from __future__ import annotations

from typing import Protocol

from robot_dynamics_ros.core.checks import Array


class Tap(Protocol):
    """Such as `ResidualPeaks` and `ResidualAverage`."""

    def step(self, r: Array, v: Array, time: float) -> None:
        """Take an estimate (k,), velocities (k,) and their time [s]."""

    def reset(self) -> None:
        """Begin anew, after a discontinuity."""
