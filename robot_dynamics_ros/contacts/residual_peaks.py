"""What thresholds are learned from: the largest residuals of short times."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.control.external.contact_detector import ResidualBands
from robot_dynamics_ros.core.checks import Array

# Of which the largest residual is kept [s]: the motion hardly changes meanwhile.
CELL = 0.05
# Cells that are kept in one array: to join many small arrays would hold up all other threads.
BLOCK = 4096
# Times are rounded, and so may be the last sample of a cell.
ROUNDED = 0.999 * CELL


class ResidualPeaks:
    """Keeps the largest residual of each cell of time, and the motion at it.

    An hour of seven joints takes 24 MB, at any rate of the states. The same class learns from
    recordings and in the node.

    Attributes:
        bands: of the residuals.
        samples: that were taken.
        seconds: of which peaks are kept.
    """

    def __init__(self, size: int) -> None:
        """Without residuals.

        Args:
            size: number of joints, n.
        """
        self.bands = ResidualBands(size)
        self.samples, self.seconds = 0, 0.0
        # Rows of begin, peaks and motions.
        self._cells, self._blocks = 0, [np.empty((BLOCK, 1 + 6 * size))]
        self._size, self._peak = np.zeros((2, 2, size))
        self._motion = np.zeros((2, 2, size))
        self._begin = math.nan

    def reset(self) -> None:
        """Begin a new cell, after a discontinuity; what was kept stays."""
        self.bands.reset()
        self._begin = math.nan

    def step(self, r: Array, v: Array, time: float) -> None:
        """Take a residual.

        Args:
            r: (n,) residual [N m or N].
            v: (n,) velocities [rad/s or m/s].
            time: of both [s].
        """
        self.bands.step(r, v, time)
        lasted = time - self._begin
        if not lasted < ROUNDED:
            if lasted >= ROUNDED:
                self._keep(lasted)
            self._begin = time
            self._peak.fill(-1.0)
        np.abs(self.bands.values, out=self._size)
        larger = self._size > self._peak
        np.copyto(self._peak, self._size, where=larger)
        np.copyto(self._motion, self.bands.motion, where=larger[:, None])
        self.samples += 1

    def add(self, times: Array, r: Array, v: Array) -> None:
        """Take consecutive residuals.

        Args:
            times: (N,) [s].
            r: (N, n) [N m or N].
            v: (N, n) [rad/s or m/s].
        """
        for time, residual, velocity in zip(times.tolist(), r, v, strict=True):
            self.step(residual, velocity, time)

    def _keep(self, lasted: float) -> None:
        self.seconds += lasted
        row = self._cells % BLOCK
        if self._cells and row == 0:
            self._blocks.append(np.empty_like(self._blocks[0]))
        self._cells += 1
        kept, size = self._blocks[-1][row], self._peak.size
        kept[0] = self._begin
        kept[1 : 1 + size], kept[1 + size :] = self._peak.ravel(), self._motion.ravel()

    def arrays(self) -> tuple[Array, Array, Array]:
        """Begin (C,) [s], largest residual (C, 2, n) and the motion at it (C, 2, 2, n)."""
        cells, size = np.concatenate(self._blocks)[: self._cells], self.bands.size
        peaks, motions = cells[:, 1 : 1 + 2 * size], cells[:, 1 + 2 * size :]
        return cells[:, 0], peaks.reshape(-1, 2, size), motions.reshape(-1, 2, 2, size)
