"""Power spectral densities of measured effort and residual, averaged over windows (Welch)."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .comparison import Spectrum
from .explanations.observations import Observations

# A window must have this share of the samples of the longest to take part.
LONG_ENOUGH = 0.5
FEWEST = 32


def spectrum_of(observations: Observations) -> Spectrum | None:
    """The spectra of the windows; None where they are too short or efforts are missing.

    Windows of other rates than the first one are left out.
    """
    blocks = observations.blocks
    longest = max((block.stop - block.start for _, block in blocks), default=0)
    if longest * LONG_ENOUGH < FEWEST:
        return None
    interval = blocks[0][0]
    size = int(longest * LONG_ENOUGH)
    measured = observations.measured
    residual = measured - observations.gravity - observations.motion - observations.friction
    densities = [
        [
            _density(np.nan_to_num(signal[block])[:size], interval)
            for signal in (measured, residual)
        ]
        for step, block in blocks
        if abs(step - interval) < 1e-3 * interval and block.stop - block.start >= size
    ]
    of_measured, of_residual = np.mean(densities, axis=0)
    frequencies = np.fft.rfftfreq(size, interval).astype(np.float64)
    return Spectrum(frequencies, of_measured, of_residual)


def _density(signal: Array, interval: float) -> Array:
    """One-sided power spectral density (F, n) of the columns, with a Hann window."""
    taper = np.hanning(len(signal))[:, None]
    transformed = np.fft.rfft((signal - signal.mean(axis=0)) * taper, axis=0)
    density: Array = 2.0 * interval * np.abs(transformed) ** 2 / (taper**2).sum()
    return density
