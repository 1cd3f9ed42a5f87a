"""Power spectral densities of columns, by Welch's method.

With NumPy alone: `scipy.signal.welch` gives the same, and takes longer to import than most
recordings take to be read.

Source: P. D. Welch, The use of fast Fourier transform for the estimation of power spectra, IEEE
Transactions on Audio and Electroacoustics 15, 1967.
"""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array


def welch(signal: Array, rate: float, length: int) -> tuple[Array, Array]:
    """Frequencies (F,) [Hz] and the mean density (F, n) of windows that overlap by half.

    Args:
        signal: (N, n), of N >= length samples at equal intervals.
        rate: of the samples [Hz].
        length: of a window, at least 2.
    """
    step = length - length // 2
    starts = range(0, len(signal) - length + 1, step)
    densities = [density(signal[start : start + length], rate) for start in starts]
    frequencies: Array = np.fft.rfftfreq(length, 1.0 / rate)
    return frequencies, np.mean(densities, axis=0)


def density(signal: Array, rate: float) -> Array:
    """One-sided power spectral density (F, n) of a window without its mean, by a Hann window.

    Args:
        signal: (N, n), samples at equal intervals.
        rate: of the samples [Hz].
    """
    taper = np.hanning(len(signal) + 1)[:-1, None]
    transformed = np.fft.rfft((signal - signal.mean(axis=0)) * taper, axis=0)
    power: Array = np.abs(transformed) ** 2 / (rate * (taper**2).sum())
    # Frequencies but 0 and half the rate stand for the negative ones, too.
    power[1 : (len(signal) + 1) // 2] *= 2.0
    return power
