"""The largest residuals of recordings, of which thresholds are learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.core.checks import Array

from .residual_peaks import ResidualPeaks
from .threshold_learning import cells_of_block, learned_thresholds

# A contact shows in several cells: of two that are nearer than this, it is one [s].
APART = 1.0
# Quantiles of the maxima of blocks, which no contact changes as long as it is rare.
LOW, MIDDLE = 0.1, 0.5
# Number of recordings as long as this one, of which one would exceed the level by chance.
RARE = 100.0
# Times that what is left is searched again.
ROUNDS = 3
# Of a recording: where more of it is beyond the level, the model is wrong rather than touched.
MOST = 0.4


@dataclass(frozen=True)
class KeptPeaks:
    """Cells of time, C of them; plain data that other processes give.

    Attributes:
        times: (C,) begin of each [s].
        sizes: (C, 2, k) largest residual of collision and push [N m or N].
        motions: (C, 2, 2, k) speed and absolute acceleration at it.
        seconds: that the cells last together.
    """

    times: Array
    sizes: Array
    motions: Array
    seconds: float

    @classmethod
    def of(cls, peaks: ResidualPeaks) -> KeptPeaks:
        """What was collected."""
        return cls(*peaks.arrays(), peaks.seconds)

    @classmethod
    def joined(cls, parts: Sequence[KeptPeaks]) -> KeptPeaks:
        """Those of several recordings, one at least."""
        arrays = (np.concatenate(each) for each in zip(*(p.arrays() for p in parts), strict=True))
        return cls(*arrays, sum(part.seconds for part in parts))

    def arrays(self) -> tuple[Array, Array, Array]:
        """As `ResidualPeaks.arrays`."""
        return self.times, self.sizes, self.motions

    def part(self, rows: Array | slice) -> KeptPeaks:
        """Some of the cells."""
        times = self.times[rows]
        share = len(times) / max(1, len(self.times))
        return KeptPeaks(times, self.sizes[rows], self.motions[rows], share * self.seconds)

    def exceeding(self, thresholds: ContactThresholds) -> list[int]:
        """Cells in which alarms begin, as a detector with these thresholds would find them."""
        beyond = (self.sizes > thresholds.limits(self.motions)).any(axis=(1, 2))
        rows = np.flatnonzero(beyond)
        # Of another recording, times begin anew.
        begins = abs(np.diff(self.times[rows], prepend=-np.inf)) > APART
        return [int(row) for row in rows[begins]]


def without_contacts(peaks: KeptPeaks, false_alarms_per_hour: float) -> KeptPeaks:
    """The cells in which nothing seems to touch the robot.

    Where the residual, divided by a threshold, is far above what its usual maxima in blocks let
    expect, something touches it. The usual ones are two quantiles of these maxima, which contacts
    do not change as long as they are in less than half of the blocks: they give the two parameters
    of a Gumbel distribution. Where that is so for much of the recording, the model is wrong, and
    all cells are kept.

    Args:
        peaks: of a recording with contacts.
        false_alarms_per_hour: of the thresholds whose dependence on the motion is used.

    Raises:
        StateError: there is too little time.
    """
    free = peaks
    for _ in range(ROUNDS):
        limits = learned_thresholds(free, false_alarms_per_hour).limits(free.motions)
        ratios = free.sizes / limits
        cells = cells_of_block(free)
        blocks = len(ratios) // cells
        maxima = ratios[: blocks * cells].reshape(blocks, cells, *ratios.shape[1:]).max(axis=1)
        low, middle = np.quantile(maxima, [LOW, MIDDLE], axis=0)
        reduced = [-np.log(-np.log(quantile)) for quantile in (LOW, MIDDLE)]
        scale = (middle - low) / (reduced[1] - reduced[0])
        channels = ratios.shape[1] * ratios.shape[2]
        level = middle + scale * (np.log(blocks * channels * RARE) - reduced[1])
        touched = (ratios > level).any(axis=(1, 2))
        if not touched.any():
            break
        free = free.part(~_near(touched, cells))
        if len(free.times) < (1.0 - MOST) * len(peaks.times):
            return peaks
    return free


def _near(touched: Array, cells: int) -> Array:
    """Which cells (C,) are touched, or at most half a block of cells away from one that is."""
    reach = np.ones(cells // 2 * 2 + 1)
    return np.asarray(np.convolve(touched, reach, mode='same') > 0.5)
