"""The cutoff of the low pass, from the spectrum of the measured motion.

Motion is strong at low frequencies, noise is about equal at all. The level of the noise is that
of the highest frequencies; the cutoff is where the spectrum of the velocities comes down to four
times that level: above it, a derivative would be more noise than acceleration.
"""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError

from .power_density import welch
from .zero_phase import LONGEST_HALF, lowest_cutoff

# [Hz]: below it arms accelerate, above it they are not rigid.
LOWEST, HIGHEST = 5.0, 20.0
# Of the rate: the highest cutoff at which derivatives of samples are accurate.
MOST_OF_RATE = 0.25
# [Hz]: below it, accelerations are not in the samples.
SLOWEST_RATE = 10.0
# Part of the spectrum that shows the noise, of half the rate; power above which there is motion.
NOISE_BAND, ABOVE_NOISE = (0.6, 0.95), 4.0
# [s] of one of the spectra that are averaged.
WINDOW = 2.0
# Samples that a spectrum needs.
SHORTEST = 64


def check_rate(name: str, rate: float) -> None:
    """Raise a RecordingError if samples come too slowly for accelerations.

    Args:
        name: of the recording.
        rate: of the samples [Hz]; NaN with less than two samples.
    """
    if not np.isfinite(rate):
        raise RecordingError(f'{name}: one sample is not a motion: record some seconds')
    if rate < SLOWEST_RATE:
        # Intervals of a second and more are usual ones in milliseconds.
        unit = ' (times are in s: are these in ms or smaller units?)' if rate <= 1.0 else ''
        raise RecordingError(
            f'{name}: a rate of {rate:.3g} Hz is too low for accelerations, at least '
            f'{SLOWEST_RATE:g} Hz is needed{unit}'
        )


def checked_cutoff(cutoff: float, rate: float) -> float:
    """A cutoff that was asked for [Hz].

    Raises:
        RecordingError: the filter would be too long, or it is above a quarter of the rate.
    """
    lowest, highest = lowest_cutoff(rate), MOST_OF_RATE * rate
    if not lowest <= cutoff <= highest:
        raise RecordingError(
            f'cutoff {cutoff:g} Hz: it must be at least {lowest:.3g} Hz, where the filter has '
            f'{2 * LONGEST_HALF} samples, and at most a quarter of the rate, {highest:.4g} Hz'
        )
    return cutoff


def chosen_cutoff(velocities: Array, rate: float) -> float:
    """The cutoff for some motion [Hz].

    Args:
        velocities: (N, n) at equal intervals [rad/s, m/s].
        rate: of the samples [Hz].
    """
    highest = min(HIGHEST, MOST_OF_RATE * rate)
    lowest = min(LOWEST, highest)
    if len(velocities) < SHORTEST:
        return lowest
    length = min(len(velocities), max(SHORTEST, round(WINDOW * rate)))
    frequencies, power = welch(velocities, rate, length)
    band = (frequencies > NOISE_BAND[0] * rate / 2.0) & (frequencies < NOISE_BAND[1] * rate / 2.0)
    if not band.any():
        return lowest
    noise = np.median(power[band], axis=0)
    moved = (power[1:] > ABOVE_NOISE * noise).any(axis=1)
    # Up to the first frequency at which nothing but noise is left.
    above = frequencies[1:][~moved]
    found = float(above[0]) if above.size else highest
    return float(np.clip(found, lowest, highest))
