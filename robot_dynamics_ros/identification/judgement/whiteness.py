"""Whether a residual is noise: its autocorrelation, beside that which the low pass gives to noise.

White noise that has passed a low pass is correlated over a time of 1 / cutoff. What a residual has
beyond that is not noise but torque that the model lacks.

Source: G. M. Ljung, G. E. P. Box, On a measure of lack of fit in time series models, Biometrika
65, 1978 (the deviation of autocorrelations of noise is 1 / sqrt(N)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings.filtering.zero_phase import kernels

# Lags that are looked at, each of 1 / (2 cutoff).
LAGS = 20
# Standard deviations of an autocorrelation of noise, above which one of LAGS is not noise.
DEVIATIONS = 3.5
# Largest bound of the autocorrelation at which anything is said: few samples hide what repeats.
LARGEST_BOUND = 0.5
# Difference of the autocorrelations of two low passes that are the same.
ALIKE = 0.05
# Samples of the kernel in 1 / cutoff, for its autocorrelation.
FINE = 64.0


@dataclass
class LagSums:
    """Products of a residual with itself, shifted.

    Attributes:
        step: of a lag [samples].
        filtered: (LAGS + 1,) autocorrelation that the low pass gives to white noise.
        products: (LAGS + 1, n) sums.
        counts: (LAGS + 1, n) terms of these sums.
    """

    step: int
    filtered: Array
    products: Array
    counts: Array

    @classmethod
    def of(cls, cutoff: float, rate: float, size: int) -> LagSums:
        """Sums over nothing.

        Args:
            cutoff: of the low pass [Hz].
            rate: of the residual [Hz].
            size: number of joints.
        """
        step = max(1, round(rate / (2.0 * cutoff)))
        value = kernels(1.0, FINE)[0]
        lags = np.rint(FINE * cutoff * step / rate * np.arange(LAGS + 1)).astype(int)
        overlaps = [value[: max(0, len(value) - lag)] @ value[lag:] for lag in lags]
        filtered = np.array(overlaps) / overlaps[0]
        return cls(step, filtered, np.zeros((LAGS + 1, size)), np.zeros((LAGS + 1, size)))

    def add(self, residual: Array) -> None:
        """Take consecutive samples (N, n); NaN where not measured."""
        known = np.isfinite(residual)
        values = np.where(known, residual, 0.0)
        for lag in range(LAGS + 1):
            shift = lag * self.step
            if shift < len(values):
                end = len(values) - shift
                self.products[lag] += (values[:end] * values[shift:]).sum(axis=0)
                self.counts[lag] += (known[:end] & known[shift:]).sum(axis=0)

    @classmethod
    def joined(cls, parts: Sequence[LagSums]) -> list[LagSums]:
        """Those of several parts or recordings, one for each low pass that they have.

        Args:
            parts: of the same joints.
        """
        found: list[LagSums] = []
        for part in parts:
            alike = [one for one in found if one._has_lags_of(part)]
            if not alike:
                nothing = np.zeros_like(part.products)
                alike = [cls(part.step, part.filtered, nothing, nothing.copy())]
                found += alike
            alike[0].products += part.products
            alike[0].counts += part.counts
        return found

    def _has_lags_of(self, other: LagSums) -> bool:
        """Whether the low pass and the lags of another one are the same."""
        same = np.allclose(self.filtered, other.filtered, atol=ALIKE)
        return self.step == other.step and same

    def autocorrelation(self) -> Array:
        """(LAGS, n) of the residual, less that of the low pass; NaN without samples."""
        with np.errstate(all='ignore'):
            means = self.products / self.counts
            result: Array = means[1:] / means[0] - self.filtered[1:, None]
        return result

    def is_noise(self) -> list[bool | None]:
        """For each joint: no autocorrelation is certainly other than that of filtered noise.

        None where too few samples are known.
        """
        with np.errstate(all='ignore'):
            bound = DEVIATIONS * np.sqrt(self.step / self.counts[1:])
            far = np.any(np.abs(self.autocorrelation()) > bound, axis=0)
        known = bound[0] < LARGEST_BOUND
        return [
            not one if enough else None
            for one, enough in zip(far.tolist(), known.tolist(), strict=True)
        ]

    def repeated(self) -> Array:
        """(n,) share of the variance that earlier values predict, at most 1.

        It is the square of the largest autocorrelation: what one earlier value predicts.
        """
        # The low pass alone correlates noise by less than 0: what is there then is not noise.
        beyond = self.autocorrelation() + np.minimum(self.filtered[1:, None], 0.0)
        shares: Array = np.fmax.reduce(np.clip(beyond, 0.0, 1.0)) ** 2
        return shares
