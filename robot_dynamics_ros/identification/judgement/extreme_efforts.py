"""The smallest and the largest effort of each joint, and how long a joint that moves has them.

A drive at its limit gives the same effort for long. So does a joint that waits, and efforts of
coarse steps stay the same at each peak: what tells is that no other effort is held for as long.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

Numbers = npt.NDArray[np.int_]
# Of the smallest and of the largest effort.
SIDES = (np.fmin, np.fmax)


class ExtremeEfforts:
    """Takes efforts as they come.

    Attributes:
        values: (2, n) smallest and largest effort [N m or N]; infinite without one.
        counts: (2, n) samples of a moving joint that have it.
        longest: (2, n) longest run of them.
        elsewhere: (n,) longest run of equal efforts of a moving joint between the two.
    """

    def __init__(self, size: int) -> None:
        """Have seen nothing of so many joints."""
        self.values: Array = np.stack([np.full(size, np.inf), np.full(size, -np.inf)])
        self.counts: Numbers = np.zeros((2, size), int)
        self.longest: Numbers = np.zeros((2, size), int)
        self.elsewhere: Numbers = np.zeros(size, int)
        # Of the run that ends with the last sample.
        self._last: Array = np.full(size, np.nan)
        self._run: Numbers = np.zeros(size, int)

    def add(self, efforts: Array, moves: npt.NDArray[np.bool_]) -> None:
        """Take samples that follow those before.

        Args:
            efforts: (N, n), NaN where not measured [N m or N].
            moves: (N, n) whether the joint moves.
        """
        for side, further in enumerate(SIDES):
            found = further(self.values[side], further.reduce(efforts))
            passed = found != self.values[side]
            # What was an extreme is an effort like others.
            held = np.where(passed, self.longest[side], 0)
            self.elsewhere = np.maximum(self.elsewhere, held)
            self.longest[side, passed] = self.counts[side, passed] = 0
            self.values[side] = found
        moving = np.where(moves, efforts, np.nan)
        self.counts += np.stack([(moving == value).sum(axis=0) for value in self.values])
        for joint in range(efforts.shape[1]):
            self._count_runs(joint, moving[:, joint])

    def _count_runs(self, joint: int, efforts: Array) -> None:
        """Take the runs of equal efforts (N,) of a joint; NaN is equal to nothing."""
        starts = np.concatenate([[0], np.flatnonzero(efforts[1:] != efforts[:-1]) + 1])
        lengths, values = np.diff(starts, append=len(efforts)), efforts[starts]
        if values[0] == self._last[joint]:
            lengths[0] += self._run[joint]
        self._last[joint], self._run[joint] = values[-1], lengths[-1]
        lengths = np.where(np.isfinite(values), lengths, 0)
        extreme = values == self.values[:, joint, None]
        for side in range(len(SIDES)):
            longest = int(lengths[extreme[side]].max(initial=0))
            self.longest[side, joint] = max(self.longest[side, joint], longest)
        others = int(lengths[~extreme.any(axis=0)].max(initial=0))
        self.elsewhere[joint] = max(self.elsewhere[joint], others)
