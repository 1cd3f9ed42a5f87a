"""Intervals of coefficients where residuals are correlated in time.

Rows of a second are one cluster: what friction or the model lacks is alike for neighbours. The
estimate without each cluster is the jackknife, whose spread is a covariance that no correlation
within clusters makes too small, and few clusters neither (J. MacKinnon, M. Nielsen, M. Webb,
"Fast and reliable jackknife and bootstrap methods for cluster-robust inference", 2023). Errors may
last longer than a second: clusters of several lengths are tried, and the widest interval counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.extra import required

# Duration of a block of time [s]; with more blocks than this, it doubles.
BLOCK, MAX_BLOCKS = 1.0, 128
# Clusters at least where longer ones are tried: Student's quantile is then within 12 % of that of
# many, and the spread of so many estimates is known to 21 %.
MIN_CLUSTERS = 12
# Upper end of a 95 % interval.
HIGH = 0.975
# Of a diagonal: what keeps a matrix definite whose parameter one cluster alone determines.
ROUNDING = 1e-11


@dataclass(frozen=True, eq=False)
class Covariances:
    """Of P coefficients: one for each length of clusters, and that of independent rows."""

    matrices: Array  #: (m, P, P)
    quantiles: Array  #: (m,) of Student's t for them

    def half_widths(self, slopes: Array) -> Array:
        """Half of the 95 % intervals (k,) of quantities with these derivatives (k, P)."""
        variances = np.einsum('ki,mij,kj->mk', slopes, self.matrices, slopes)
        widths = self.quantiles[:, None] * np.sqrt(np.maximum(variances, 0.0))
        return np.asarray(widths.max(axis=0))


def blocks(times: Array) -> list[int]:
    """First rows of blocks of time, and the end of the last one; rows are sorted by times [s]."""
    duration, numbers = BLOCK, np.floor(times / BLOCK)
    while len(np.unique(numbers)) > MAX_BLOCKS:
        duration *= 2.0
        numbers = np.floor(times / duration)
    edges = np.flatnonzero(np.diff(numbers, prepend=np.nan, append=np.nan))
    return edges.tolist() if len(edges) > 1 else [0]


def covariances(hessians: Array, scores: Array, prior: Array) -> Covariances:
    """Those of a fit.

    The prior is as good as measured: its part of the covariance is A^-1 P A^-1.

    Args:
        hessians: (B, P, P) second derivatives of the cost, of each block of time.
        scores: (B, P) minus its gradients, at the estimate.
        prior: (P,) 1 / variance that is known without the data.
    """
    special = required('scipy.special', 'identification')
    total = hessians.sum(axis=0) + np.diag(prior)
    units = 1.0 / np.sqrt(np.maximum(np.diag(total), np.finfo(float).tiny))
    both, count = np.outer(units, units), len(scores)
    total = total * both + ROUNDING * np.eye(len(prior))
    inverse = np.linalg.inv(total)
    known = inverse * (prior * units**2) @ inverse
    longest = max(1, count // MIN_CLUSTERS)
    found, quantiles = [inverse], [special.ndtri(HIGH)]
    for length in sorted({1, round(longest**0.5), longest} if count > 1 else ()):
        starts = np.arange(0, count, length)
        parts = (both * hessians[start : start + length].sum(axis=0) for start in starts)
        sums = np.add.reduceat(scores * units, starts)
        # How the estimate changes where one cluster is left out.
        changes = np.array(
            [np.linalg.solve(total - one, s) for one, s in zip(parts, sums, strict=True)]
        )
        shrink = (len(starts) - 1) / len(starts)
        found.append(known + shrink * changes.T @ changes)
        quantiles.append(special.stdtrit(len(starts) - 1, HIGH))
    return Covariances(np.array(found) * both, np.array(quantiles))
