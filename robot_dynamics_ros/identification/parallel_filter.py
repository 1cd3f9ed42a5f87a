"""One zero-phase filter for both sides of the equations, and their decimation.

A linear filter leaves linear equations true: h * (Y pi) = (h * Y) pi = h * tau, whatever the
motion, and even where a column jumps, as that of Coulomb friction does at a reversal. Torque noise
above the cutoff is removed, and one of D equations is kept, so that white noise of the samples
leaves the kept ones nearly independent.

Sources: M. Gautier, Dynamic identification of robots with power model, ICRA 1997 (parallel
filtering and decimation); the kernel: `recordings.low_pass`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings.low_pass import kernels

# Of the cutoff of the motions: above this share, a second filter would damp nothing more.
LARGEST_SHARE = 0.95
# Equations that are computed together: as many rows of a band matrix.
TOGETHER = 32


class ParallelFilter:
    """Filters columns of samples at equal intervals, and keeps one of `step` results.

    Attributes:
        half: samples that an equation needs on each side of its time.
        step: D, samples between two equations.
        independence: share of the equations that white noise of the samples leaves independent:
            var(y) / sum_k R_y(k) for the filtered and decimated noise y.
        interval: between two equations [s].
    """

    def __init__(self, kernel: Array, step: int, independence: float, interval: float) -> None:
        """Take the kernel (2 h + 1,)."""
        self.half, self.step, self.independence = len(kernel) // 2, step, independence
        self.interval = interval
        self._kernel = kernel
        self._value = _band(kernel, step)
        self._weight = _band(np.abs(kernel) / np.abs(kernel).sum(), step)

    @classmethod
    def nothing(cls, interval: float) -> ParallelFilter:
        """An equation for each sample, as it is."""
        return cls(np.ones(1), 1, 1.0, interval)

    @classmethod
    def of_motion(cls, rate: float, passed: float, cutoff: float | None = None) -> ParallelFilter:
        """The filter for the equations of filtered motions.

        Args:
            rate: of the samples [Hz].
            passed: cutoff of the filter of the motions [Hz].
            cutoff: wanted one of the equations [Hz]; None, or near that of the motions: the
                equations are not filtered again.
        """
        wanted = passed if cutoff is None else min(cutoff, passed)
        value = np.ones(1)
        whole = kernels(passed, rate)[0]
        if wanted <= LARGEST_SHARE * passed:
            value = kernels(wanted, rate)[0]
            whole = np.convolve(whole, value)
        step = max(1, int(rate / (2.0 * wanted)))
        independence = float(min(1.0, step * np.sum(whole**2)))
        return cls(value, step, independence, step / rate)

    def finer(self, times: int) -> ParallelFilter:
        """The same filter with up to `times` as many results."""
        step = max(1, self.step // times)
        return ParallelFilter(
            self._kernel, step, self.independence, self.interval * step / self.step
        )

    def results(self, count: int) -> int:
        """Number of equations that so many consecutive samples give."""
        return max(0, (count - 2 * self.half - 1) // self.step + 1)

    def value(self, columns: Array) -> Array:
        """The filtered columns (K, c) of samples (N, c)."""
        return self._applied(self._value, columns)

    def share(self, flags: Array) -> Array:
        """What share of each equation (K, c) is of samples with a flag (N, c), by weight."""
        return self._applied(self._weight, flags)

    def _applied(self, band: Array, columns: Array) -> Array:
        total = self.results(len(columns))
        filtered = np.empty((total, columns.shape[1]))
        for first in range(0, total, TOGETHER):
            count = min(TOGETHER, total - first)
            width = (count - 1) * self.step + 2 * self.half + 1
            rows = columns[first * self.step : first * self.step + width]
            np.matmul(band[:count, :width], rows, out=filtered[first : first + count])
        return filtered


class Decimation:
    """Filters the samples of one segment as they come."""

    def __init__(self, parallel: ParallelFilter, number: int) -> None:
        """Begin a segment.

        Args:
            parallel: the filter.
            number: of the first sample in the segment: results lie at multiples of the step.
        """
        self._parallel = parallel
        # Of the first sample that is kept, and of the first one that the next result needs.
        self._first, self._next = number, number + -number % parallel.step
        self._kept: list[Array] = []

    def push(self, columns: Array, flags: Array) -> tuple[Array, Array, npt.NDArray[np.int_]]:
        """The results that some more samples complete.

        Args:
            columns: (N, c) that are filtered.
            flags: (N, f) as 0 or 1.

        Returns:
            Filtered columns (K, c); shares (K, f) of the flags; numbers (K,) of the samples in the
            middle of the results.
        """
        parallel, rows = self._parallel, [columns, flags]
        if self._kept:
            rows = [np.concatenate(pair) for pair in zip(self._kept, rows, strict=True)]
        own, flagged = (one[min(self._next - self._first, len(one)) :] for one in rows)
        count = parallel.results(len(own))
        numbers = self._next + parallel.half + parallel.step * np.arange(count)
        self._next += parallel.step * count
        passed = min(self._next - self._first, len(rows[0]))
        self._kept, self._first = [one[passed:] for one in rows], self._first + passed
        return parallel.value(own), parallel.share(flagged), numbers


def _band(kernel: Array, step: int) -> Array:
    """Rows that convolve samples with a kernel (2 h + 1,), each `step` samples later."""
    rows = np.zeros((TOGETHER, (TOGETHER - 1) * step + len(kernel)))
    for index, row in enumerate(rows):
        row[index * step : index * step + len(kernel)] = kernel[::-1]
    return rows
