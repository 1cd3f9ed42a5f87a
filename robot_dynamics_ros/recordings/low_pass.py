"""A low pass without delay, and its derivatives: symmetric kernels of finite length.

The kernel is the impulse response of an ideal low pass, limited by a Kaiser window: it is flat to
0.2 % up to half the cutoff, halves the amplitude at the cutoff, and damps to 0.2 % from 1.5 times
the cutoff on. Derivatives are central differences of what it gives, of an order so high that they
are exact for what passes. Half the length of a kernel is lost at both ends of a segment.

The cutoff of a recording is where the spectrum of the velocities comes down to four times the
level of the noise, which is that of the highest frequencies: above it, a derivative would be more
noise than acceleration.

Sources: A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, 3rd ed., section 7.5.3
(Kaiser window); B. Fornberg, Generation of finite difference formulas on arbitrarily spaced grids,
Mathematics of Computation 51, 1988 (central differences).
"""

from __future__ import annotations

from math import factorial

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.extra import required

# Of the window [dB]: what is damped to 0.1 % is below the noise of encoders' derivatives.
DAMPING = 60.0
# Samples on each side that a derivative needs: at a quarter of the rate, it is exact to 0.6 %.
SIDE = 8
# Cutoffs that may be asked for [Hz]: the kernels of the lowest one are some 36 s long.
MIN_CUTOFF = 0.1
# Cutoffs that are chosen [Hz]: below them arms accelerate, above them they are not rigid.
CHOSEN = (5.0, 20.0)
# Of the rate: the highest cutoff at which derivatives of samples are accurate.
MAX_OF_RATE = 0.25
# Part of the spectrum that shows the noise, of half the rate; power above which there is motion.
NOISE_BAND, ABOVE_NOISE = (0.6, 0.95), 4.0
# Of each of the spectra that are averaged [s], of longer motions: the cutoff is exact to 0.5 Hz.
WINDOW = 2.0


def half_length(cutoff: float, rate: float) -> int:
    """Samples that the low pass has on each side of its middle.

    Args:
        cutoff: at which the amplitude is halved [Hz].
        rate: of the samples [Hz].
    """
    # Passing becomes damping within one cutoff.
    taps, _ = required('scipy.signal').kaiserord(DAMPING, 2.0 * cutoff / rate)
    return int(taps) // 2


def low_pass(cutoff: float, rate: float, half: int) -> Array:
    """The kernel (2 h + 1,) with so many samples h on each side; arguments as of `half_length`."""
    signal = required('scipy.signal')
    window = ('kaiser', signal.kaiser_beta(DAMPING))
    kernel: Array = signal.firwin(2 * half + 1, cutoff, window=window, fs=rate)
    return kernel


def kernels(cutoff: float, rate: float) -> Array:
    """Value, derivative and second derivative (3, 2 h + 1), to be convolved with samples.

    The first is exact for straight lines, the second one for parabolas, the third one for cubics;
    arguments as of `half_length`.
    """
    value, k = low_pass(cutoff, rate, half_length(cutoff, rate)), np.arange(1, SIDE + 1)
    # Central differences for a unit interval, one side.
    sizes = [factorial(SIDE) ** 2 / (factorial(SIDE - i) * factorial(SIDE + i)) for i in k]
    first = -((-1.0) ** k) * sizes / k
    second = 2.0 * first / k
    differences = (
        np.concatenate([first[::-1], [0.0], -first]) * rate,
        np.concatenate([second[::-1], [-2.0 * second.sum()], second]) * rate**2,
    )
    return np.stack([np.pad(value, SIDE), *(np.convolve(value, each) for each in differences)])


def check_rate(name: str, rate: float) -> None:
    """Refuse samples of a recording that come too slowly for accelerations.

    Raises:
        RecordingError: the rate [Hz] is too low, or NaN, as with one sample.
    """
    if np.isnan(rate):
        raise RecordingError(f'{name}: one sample is not a motion: record some seconds')
    # Samples show what is below half their rate.
    if rate < 2.0 * CHOSEN[0]:
        # Intervals of a second and more are usual ones in milliseconds.
        unit = ' (times are in s: are these in ms or smaller units?)' if rate <= 1.0 else ''
        raise RecordingError(
            f'{name}: a rate of {rate:.3g} Hz is too low for accelerations, at least '
            f'{2.0 * CHOSEN[0]:g} Hz is needed{unit}'
        )


def checked_cutoff(cutoff: float, rate: float) -> float:
    """A cutoff that was asked for [Hz].

    Raises:
        RecordingError: it is below 0.1 Hz, or above a quarter of the rate.
    """
    if not MIN_CUTOFF <= cutoff <= MAX_OF_RATE * rate:
        raise RecordingError(
            f'cutoff {cutoff:g} Hz: it must be at least {MIN_CUTOFF:g} Hz, and at most a '
            f'quarter of the rate, {MAX_OF_RATE * rate:.4g} Hz'
        )
    return cutoff


def chosen_cutoff(velocities: Array, rate: float) -> float:
    """The cutoff [Hz] for velocities (N, n) [rad/s, m/s] at equal intervals, with their rate."""
    lowest, highest = np.minimum(CHOSEN, MAX_OF_RATE * rate)
    length = min(len(velocities), round(WINDOW * rate))
    # Two periods of the lowest one, or nothing can be said.
    if length * lowest < 2.0 * rate:
        return float(lowest)
    frequencies, power = required('scipy.signal').welch(velocities, rate, nperseg=length, axis=0)
    low, high = np.array(NOISE_BAND) * rate / 2.0
    noise = np.median(power[(low < frequencies) & (frequencies < high)], axis=0)
    moved = (power[1:] > ABOVE_NOISE * noise).any(axis=1)
    # Up to the first frequency at which nothing but noise is left.
    found = frequencies[1:][~moved].min(initial=highest)
    return float(np.clip(found, lowest, highest))
