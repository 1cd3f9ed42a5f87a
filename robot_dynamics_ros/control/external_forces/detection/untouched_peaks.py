"""What thresholds are learned from in the node, as long as nothing touches the arm."""

from __future__ import annotations

from collections.abc import Callable

from robot_dynamics_ros.core.checks import Array

from .residual_peaks import ResidualPeaks


class UntouchedPeaks(ResidualPeaks):
    """Keeps peaks, and the first contact that the thresholds in use have shown meanwhile.

    Attributes:
        touched: that contact, in words; empty for none.
    """

    def __init__(self, size: int, cutoff: float, touch: Callable[[Array], str]) -> None:
        """Without residuals.

        Args:
            size: number of joints, n.
            cutoff: between the bands [Hz].
            touch: what touches the robot, in words, from its residual (n,); empty for nothing.
        """
        super().__init__(size, cutoff)
        self._touch, self.touched = touch, ''

    def step(self, r: Array, v: Array, time: float) -> None:
        """Take a residual; arguments as of `ResidualPeaks.step`."""
        self.touched = self.touched or self._touch(r)
        super().step(r, v, time)
