"""Whether a residual is noise: its autocorrelation, beside that which the low pass gives to noise.

White noise that has passed a low pass is correlated over a time of 1 / cutoff. What a residual has
beyond that is not noise but torque that the model lacks.

Source: G. M. Ljung, G. E. P. Box, On a measure of lack of fit in time series models, Biometrika
65, 1978 (the deviation of autocorrelations of noise is 1 / sqrt(N)).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings.low_pass import kernels

# Lags that are looked at, each of 1 / (2 cutoff).
LAGS = 20
# Standard deviations of an autocorrelation of noise, above which one of LAGS is not noise.
DEVIATIONS = 3.5
# Largest bound of the autocorrelation at which anything is said: few samples hide what repeats.
LARGEST_BOUND = 0.5
# Samples of the kernel in 1 / cutoff, for its autocorrelation.
FINE = 64.0


@dataclass(frozen=True)
class Whiteness:
    """What the residuals of joints are.

    Attributes:
        is_noise: (n,) whether no autocorrelation is certainly other than that of filtered noise;
            None where too few samples are known.
        repeated: (n,) share of the variance that earlier values predict, at most 1: the square of
            the largest autocorrelation; NaN without samples.
    """

    is_noise: Sequence[bool | None]
    repeated: Array


def whiteness(pieces: Iterable[Array], cutoff: float, rate: float, size: int) -> Whiteness:
    """Look at residuals.

    Args:
        pieces: each (N, n), consecutive samples; NaN where not measured. A gap, or the end of a
            recording, lies between two.
        cutoff: of the low pass that they have passed [Hz].
        rate: of the samples [Hz].
        size: number of joints, n.
    """
    step = max(1, round(rate / (2.0 * cutoff)))
    products, counts = np.zeros((2, LAGS + 1, size))
    for residual in pieces:
        known = np.isfinite(residual)
        values = np.where(known, residual, 0.0)
        for lag in range(LAGS + 1):
            end = len(values) - lag * step
            if end > 0:
                products[lag] += (values[:end] * values[lag * step :]).sum(axis=0)
                counts[lag] += (known[:end] & known[lag * step :]).sum(axis=0)
    filtered = _of_low_pass(FINE * cutoff * step / rate)
    with np.errstate(all='ignore'):
        means = products / counts
        beyond = means[1:] / means[0] - filtered[1:, None]
        bound = DEVIATIONS * np.sqrt(step / counts[1:])
        far = np.any(np.abs(beyond) > bound, axis=0)
    known = bound[0] < LARGEST_BOUND
    # The low pass alone correlates noise by less than 0: what is there then is not noise.
    beyond = beyond + np.minimum(filtered[1:, None], 0.0)
    return Whiteness(
        [not one if enough else None for one, enough in zip(far, known, strict=True)],
        np.fmax.reduce(np.clip(beyond, 0.0, 1.0)) ** 2,
    )


def _of_low_pass(step: float) -> Array:
    """The autocorrelation (LAGS + 1,) that the low pass gives to white noise.

    Args:
        step: of a lag, in samples of the kernel.
    """
    value = kernels(1.0, FINE)[0]
    lags = np.rint(step * np.arange(LAGS + 1)).astype(int)
    overlaps = [value[: max(0, len(value) - lag)] @ value[lag:] for lag in lags]
    result: Array = np.array(overlaps) / overlaps[0]
    return result
