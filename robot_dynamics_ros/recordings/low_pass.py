"""A low pass without delay, and its derivatives: symmetric kernels of finite length.

The kernel is the impulse response of an ideal low pass, limited by a Kaiser window: it is flat to
0.2 % up to half the cutoff, halves the amplitude at the cutoff, and damps to 0.2 % from 1.5 times
the cutoff on. It is symmetric in time: the phase is zero, and no frequency is delayed. Derivatives
are central differences of what it gives, of an order so high that they are exact for what passes.

A kernel of finite length has exact ends: what it gives does not depend on how a recording was
divided into chunks. Only its half length is lost at both ends of a segment.

The cutoff of a recording comes from the spectrum of its motion, which is strong at low
frequencies, while noise is about equal at all. The level of the noise is that of the highest
frequencies; the cutoff is where the spectrum of the velocities comes down to four times that
level: above it, a derivative would be more noise than acceleration. Spectra are computed with
NumPy alone: `scipy.signal.welch` gives the same, and takes longer to import than most recordings
take to be read.

Sources: A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, 3rd ed., section 7.5.3
(Kaiser window); B. Fornberg, Generation of finite difference formulas on arbitrarily spaced grids,
Mathematics of Computation 51, 1988 (central differences); P. D. Welch, The use of fast Fourier
transform for the estimation of power spectra, IEEE Transactions on Audio and Electroacoustics 15,
1967.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import Any

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError

# Kaiser's formulas for a damping of 60 dB: the parameter of the window, and the length of the
# kernel in periods of the cutoff where passing becomes damping within one cutoff.
BETA, SHARPNESS = 5.653, 3.625
# Samples on each side that a derivative needs: at a quarter of the rate, it is exact to 0.6 %.
SIDE = 8
# Rows of a transform, at least.
SHORTEST_TRANSFORM = 2048
# [Hz] that may be asked for: the kernels are some 36 s long.
LOWEST_ASKED = 0.1
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


def half_length(cutoff: float, rate: float) -> int:
    """Samples that the kernels have on each side of their middle.

    Args:
        cutoff: at which the amplitude is halved [Hz].
        rate: of the samples [Hz].
    """
    return int(np.ceil(SHARPNESS * rate / cutoff / 2.0)) + SIDE


def kernels(cutoff: float, rate: float) -> Array:
    """Value, derivative and second derivative (3, 2 h + 1), to be convolved with samples.

    The first is exact for straight lines, the second one for parabolas, the third one for cubics.

    Args:
        cutoff: [Hz], at most a quarter of the rate.
        rate: of the samples [Hz].
    """
    end = half_length(cutoff, rate) - SIDE
    samples = np.arange(-end, end + 1)
    value = np.sinc(2.0 * cutoff / rate * samples) * np.kaiser(2 * end + 1, BETA)
    value /= value.sum()
    # Central differences for a unit interval, one side.
    steps = np.arange(1, SIDE + 1)
    first = [
        -((-1.0) ** k) * factorial(SIDE) ** 2 / (k * factorial(SIDE - k) * factorial(SIDE + k))
        for k in range(1, SIDE + 1)
    ]
    second = 2.0 * np.array(first) / steps
    differences = (
        np.concatenate([first[::-1], [0.0], np.negative(first)]) * rate,
        np.concatenate([second[::-1], [-2.0 * second.sum()], second]) * rate**2,
    )
    return np.stack([np.pad(value, SIDE), *(np.convolve(value, each) for each in differences)])


def convolved(kernels: Array, rows: Array, columns: Sequence[Any]) -> list[Array]:
    """Each kernel at the rows (N - 2 h, m) that it covers wholly.

    By transforms of parts that overlap by the kernel (overlap-save), short ones: they stay in the
    cache of a processor.

    Args:
        kernels: (K, 2 h + 1).
        rows: (N, m).
        columns: of the rows, for each kernel.
    """
    lost = kernels.shape[1] - 1
    size = max(SHORTEST_TRANSFORM, 1 << (4 * lost).bit_length())
    transformed = np.fft.rfft(kernels, size)
    results = [np.empty_like(rows[lost:, which]) for which in columns]
    for first in range(0, len(results[0]), size - lost):
        part = rows[first : first + size].T
        spectrum = np.fft.rfft(part, size)
        for kernel, which, result in zip(transformed, columns, results, strict=True):
            values = np.fft.irfft(spectrum[which] * kernel, size)[:, lost : part.shape[1]]
            result[first : first + size - lost] = values.T
    return results


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
        RecordingError: it is below 0.1 Hz, or above a quarter of the rate.
    """
    if not LOWEST_ASKED <= cutoff <= MOST_OF_RATE * rate:
        raise RecordingError(
            f'cutoff {cutoff:g} Hz: it must be at least {LOWEST_ASKED:g} Hz, and at most a '
            f'quarter of the rate, {MOST_OF_RATE * rate:.4g} Hz'
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
    return np.fft.rfftfreq(length, 1.0 / rate), np.mean(densities, axis=0)


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
