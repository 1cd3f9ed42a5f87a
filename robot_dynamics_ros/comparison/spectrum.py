"""Power spectral densities of measured effort and residual, averaged over windows (Welch)."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings.filtering.power_density import density

from .comparison import Spectrum
from .explanations.observations import Observations

# A window must have this share of the samples of the longest to take part.
LONG_ENOUGH = 0.5
FEWEST = 32


def spectrum_of(observations: Observations) -> Spectrum | None:
    """The spectra of the windows; None where they are too short.

    Windows of other rates than the longest one are left out. Those without the efforts of a joint
    do not count for it: where all lack them, its spectra are NaN.
    """
    blocks = observations.blocks
    interval, longest = max(
        ((step, block.stop - block.start) for step, block in blocks),
        key=lambda window: window[1],
        default=(0.0, 0),
    )
    if longest * LONG_ENOUGH < FEWEST:
        return None
    size = int(longest * LONG_ENOUGH)
    measured = observations.measured
    residual = measured - observations.gravity - observations.motion - observations.friction
    chosen = [
        block
        for step, block in blocks
        if abs(step - interval) < 1e-3 * interval and block.stop - block.start >= size
    ]
    of_measured, of_residual = (
        _mean([density(signal[block][:size], 1.0 / interval) for block in chosen])
        for signal in (measured, residual)
    )
    frequencies = np.fft.rfftfreq(size, interval).astype(np.float64)
    return Spectrum(frequencies, of_measured, of_residual)


def _mean(densities: list[Array]) -> Array:
    """The mean (F, n) of densities that are finite; NaN where none is."""
    finite = np.isfinite(densities)
    counts = finite.sum(axis=0)
    mean: Array = np.where(finite, densities, 0.0).sum(axis=0) / np.where(counts, counts, np.nan)
    return mean
