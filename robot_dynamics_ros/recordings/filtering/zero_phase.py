"""A low pass without delay, and its derivatives: symmetric kernels of finite length.

The kernel is the impulse response of an ideal low pass, limited by a Kaiser window: it is flat to
0.1 % up to half the cutoff, halves the amplitude at the cutoff, and damps by 60 dB from 1.5 times
the cutoff on. It is symmetric in time: the phase is zero, and no frequency is delayed. Derivatives
are those of the kernel, so that filtering and differentiation are one step.

A kernel of finite length has exact ends: what it gives does not depend on how a recording was
divided into chunks. Only its half length is lost at both ends of a segment.

Source: A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, 3rd ed., section 7.5.3
(Kaiser window).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..extra import required

# [dB], and the width of the transition from passing to damping, in cutoffs.
DAMPING, TRANSITION = 60.0, 1.0
# Kaiser's formulas for that damping.
BETA = 0.1102 * (DAMPING - 8.7)
SHARPNESS = (DAMPING - 7.95) / (2.285 * 2.0 * np.pi * TRANSITION)


def half_length(cutoff: float, rate: float) -> int:
    """Samples that the kernel has on each side of its middle.

    Args:
        cutoff: at which the amplitude is halved [Hz].
        rate: of the samples [Hz].
    """
    return int(np.ceil(SHARPNESS * rate / cutoff / 2.0))


def kernels(cutoff: float, rate: float) -> Array:
    """Value, derivative and second derivative (3, 2 h + 1), to be convolved with samples.

    The first is exact for straight lines, the second one for parabolas, the third one for cubics.

    Args:
        cutoff: [Hz], at most a quarter of the rate.
        rate: of the samples [Hz].
    """
    half = half_length(cutoff, rate)
    samples = np.arange(-half, half + 1)
    # The window is zero one sample beyond the ends, so that it has a derivative there.
    value, first, second = _windowed_sinc(samples / rate, cutoff, (half + 1) / rate)
    value = value / value.sum()
    time = samples / rate
    first = first / -(first * time).sum()
    # Its sum must vanish: the mean of a constant is no acceleration.
    second = second - value * second.sum()
    second = second * (2.0 / (second * time**2).sum())
    return np.stack([value, first, second])


def _windowed_sinc(t: Array, cutoff: float, end: float) -> tuple[Array, Array, Array]:
    """Kernel over time, and its first and second derivative, by central differences of a formula.

    Args:
        t: (N,) times [s].
        cutoff: [Hz].
        end: where the window is zero [s].
    """

    def value(at: Array) -> Array:
        inside = np.sqrt(np.maximum(0.0, 1.0 - (at / end) ** 2))
        return np.sinc(2.0 * cutoff * at) * np.i0(BETA * inside) / np.i0(BETA)

    step = 1e-4 / cutoff
    before, middle, after = value(t - step), value(t), value(t + step)
    return middle, (after - before) / (2.0 * step), (after - 2.0 * middle + before) / step**2


def convolved(values: Array, kernel: Array) -> Array:
    """Kernel at each sample (N - 2 h, n) of columns (N, n) that it covers wholly."""
    signal: Any = required('scipy.signal')
    result: Array = signal.oaconvolve(values, kernel[:, None], mode='valid', axes=0)
    return result
