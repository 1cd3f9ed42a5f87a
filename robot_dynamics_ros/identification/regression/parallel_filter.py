"""One zero-phase filter for both sides of the equations, and their decimation.

A linear filter leaves linear equations true: h * (Y pi) = (h * Y) pi = h * tau, whatever the
motion, and even where a column jumps, as that of Coulomb friction does at a reversal. Torque noise
above the cutoff is removed, and one of D equations is kept, so that white noise of the samples
leaves the kept ones nearly independent.

Sources: M. Gautier, Dynamic identification of robots with power model, ICRA 1997 (parallel
filtering and decimation); the kernel: `recordings.filtering.zero_phase`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings.filtering.zero_phase import kernels

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
        interval: between two equations [s]; NaN where samples are not at equal intervals.
    """

    def __init__(
        self,
        value: Array,
        slope: Array,
        step: int,
        independence: float,
        interval: float = float('nan'),
    ) -> None:
        """Take kernels (2 h + 1,) of values and of derivatives."""
        self.half, self.step, self.independence = len(value) // 2, step, independence
        self.interval = interval
        self._value, self._slope = _band(value, step), _band(slope, step)
        self._weight = _band(np.abs(value) / np.abs(value).sum(), step)

    @classmethod
    def nothing(cls) -> ParallelFilter:
        """An equation for each sample, as it is."""
        return cls(np.ones(1), np.zeros(1), 1, 1.0)

    @classmethod
    def of_motion(
        cls, rate: float, passed: float, cutoff: float | None = None, *, slopes: bool = False
    ) -> ParallelFilter:
        """The filter for the equations of filtered motions.

        Args:
            rate: of the samples [Hz].
            passed: cutoff of the filter of the motions [Hz].
            cutoff: wanted one of the equations [Hz]; None, or near that of the motions: the
                equations are not filtered again.
            slopes: whether derivatives are wanted too; then the equations are filtered in any
                case.
        """
        wanted = passed if cutoff is None else min(cutoff, passed)
        value, slope = np.ones(1), np.zeros(1)
        whole = kernels(passed, rate)[0]
        if slopes or wanted <= LARGEST_SHARE * passed:
            value, slope, _ = kernels(wanted, rate)
            whole = np.convolve(whole, value)
        step = max(1, int(rate / (2.0 * wanted)))
        independence = float(min(1.0, step * np.sum(whole**2)))
        return cls(value, slope, step, independence, step / rate)

    def results(self, count: int) -> int:
        """Number of equations that so many consecutive samples give."""
        return max(0, (count - 2 * self.half - 1) // self.step + 1)

    def centers(self, results: int) -> npt.NDArray[np.int_]:
        """Indices (K,) of the samples in the middle of the first equations."""
        return self.half + self.step * np.arange(results)

    def value(self, columns: Array) -> Array:
        """The filtered columns (K, c) of samples (N, c)."""
        return self._applied(self._value, columns)

    def slope(self, columns: Array) -> Array:
        """The derivative of the filtered columns (K, c) of samples (N, c) [1/s]."""
        return self._applied(self._slope, columns)

    def share(self, flags: Array) -> Array:
        """What share of each equation (K, c) is of samples with a flag (N, c), by weight."""
        return self._applied(self._weight, flags.astype(float))

    def _applied(self, band: Array, columns: Array) -> Array:
        total = self.results(len(columns))
        filtered = np.empty((total, columns.shape[1]))
        for first in range(0, total, TOGETHER):
            count = min(TOGETHER, total - first)
            width = (count - 1) * self.step + 2 * self.half + 1
            rows = columns[first * self.step : first * self.step + width]
            np.matmul(band[:count, :width], rows, out=filtered[first : first + count])
        return filtered


def _band(kernel: Array, step: int) -> Array:
    """Rows that convolve samples with a kernel (2 h + 1,), each `step` samples later."""
    rows = np.zeros((TOGETHER, (TOGETHER - 1) * step + len(kernel)))
    for index, row in enumerate(rows):
        row[index * step : index * step + len(kernel)] = kernel[::-1]
    return rows
