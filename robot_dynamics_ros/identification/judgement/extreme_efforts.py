"""The smallest and the largest effort of each joint, and how long a joint that moves has them.

A drive at its limit gives the same effort for long. So does a joint that waits, and efforts of
coarse steps stay the same at each peak: what tells is that no other effort is held for as long.
A glitch of a sample or two is no extreme: the extremes are those of a running median.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from robot_dynamics_ros.core.checks import Array

Numbers = npt.NDArray[np.int_]
# Of the smallest and of the largest effort.
SIDES = (np.fmin, np.fmax)
# Measured efforts whose median counts, and how many equal ones in a row decide it.
WINDOW = 5
MAJORITY = WINDOW // 2 + 1


class ExtremeEfforts:
    """Takes efforts as they come.

    Attributes:
        values: (2, n) smallest and largest running median of efforts [N m or N]; infinite without
            enough efforts.
        counts: (2, n) samples of a moving joint that have it, three at least in a row.
        longest: (2, n) longest run of them.
        elsewhere: (n,) longest run of other equal efforts of a moving joint.
    """

    def __init__(self, size: int) -> None:
        """Have seen nothing of so many joints."""
        self.values: Array = np.stack([np.full(size, np.inf), np.full(size, -np.inf)])
        self.counts: Numbers = np.zeros((2, size), int)
        self.longest: Numbers = np.zeros((2, size), int)
        self.elsewhere: Numbers = np.zeros(size, int)
        # The last measured efforts, which the next median needs.
        self._before: list[Array] = [np.empty(0)] * size
        # Of the run that ends with the last sample.
        self._last: Array = np.full(size, np.nan)
        self._run: Numbers = np.zeros(size, int)

    def add(self, efforts: Array, moves: npt.NDArray[np.bool_]) -> None:
        """Take samples that follow those before.

        Args:
            efforts: (N, n), NaN where not measured [N m or N].
            moves: (N, n) whether the joint moves.
        """
        moving = np.where(moves, efforts, np.nan)
        for joint in range(efforts.shape[1]):
            column = efforts[:, joint]
            self._take_extremes(joint, column[np.isfinite(column)])
            self._count_runs(joint, moving[:, joint])

    def _take_extremes(self, joint: int, efforts: Array) -> None:
        """Take measured efforts (M,) of a joint."""
        known = np.concatenate([self._before[joint], efforts])
        self._before[joint] = known[1 - WINDOW :]
        if len(known) < WINDOW:
            return
        medians = np.median(sliding_window_view(known, WINDOW), axis=1)
        for side, further in enumerate(SIDES):
            found = further(self.values[side, joint], further.reduce(medians))
            if found == self.values[side, joint]:
                continue
            # What was an extreme is an effort like others.
            self.elsewhere[joint] = max(self.elsewhere[joint], self.longest[side, joint])
            self.longest[side, joint] = self.counts[side, joint] = 0
            self.values[side, joint] = found

    def _count_runs(self, joint: int, efforts: Array) -> None:
        """Take the runs of equal efforts (N,) of a joint; NaN is equal to nothing."""
        starts = np.concatenate([[0], np.flatnonzero(efforts[1:] != efforts[:-1]) + 1])
        lengths, values = np.diff(starts, append=len(efforts)), efforts[starts]
        # Of the first run: so many samples came before, and count already if they are enough.
        before = int(self._run[joint]) if values[0] == self._last[joint] else 0
        lengths[0] += before
        self._last[joint], self._run[joint] = values[-1], lengths[-1]
        lengths = np.where(np.isfinite(values), lengths, 0)
        counts = np.where(lengths >= MAJORITY, lengths, 0)
        counts[0] -= before if before >= MAJORITY else 0
        extreme = values == self.values[:, joint, None]
        for side in range(len(SIDES)):
            self.counts[side, joint] += counts[extreme[side]].sum()
            longest = int(lengths[extreme[side]].max(initial=0))
            self.longest[side, joint] = max(self.longest[side, joint], longest)
        others = int(lengths[~extreme.any(axis=0)].max(initial=0))
        self.elsewhere[joint] = max(self.elsewhere[joint], others)
