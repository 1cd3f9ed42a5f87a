"""A low pass without delay, and its derivatives: symmetric kernels of finite length.

The kernel is the impulse response of an ideal low pass, limited by a Kaiser window: it is flat to
0.2 % up to half the cutoff, halves the amplitude at the cutoff, and damps to 0.2 % from 1.5 times
the cutoff on. It is symmetric in time: the phase is zero, and no frequency is delayed. Derivatives
are central differences of what it gives, of an order so high that they are exact for what passes.

A kernel of finite length has exact ends: what it gives does not depend on how a recording was
divided into chunks. Only its half length is lost at both ends of a segment.

Sources: A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, 3rd ed., section 7.5.3
(Kaiser window); B. Fornberg, Generation of finite difference formulas on arbitrarily spaced grids,
Mathematics of Computation 51, 1988 (central differences).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import Any

import numpy as np

from robot_dynamics_ros.core.checks import Array

# [dB], and the width of the transition from passing to damping, in cutoffs.
DAMPING, TRANSITION = 60.0, 1.0
# Kaiser's formulas for that damping.
BETA = 0.1102 * (DAMPING - 8.7)
SHARPNESS = (DAMPING - 7.95) / (2.285 * 2.0 * np.pi * TRANSITION)
# Samples on each side that a derivative needs: at a quarter of the rate, it is exact to 0.6 %.
SIDE = 8
# Rows of a transform, at least.
SHORTEST_BLOCK = 1024
# Samples on each side, at most: a transform of some joints then takes some 100 MiB.
LONGEST_HALF = 1 << 16


def half_length(cutoff: float, rate: float) -> int:
    """Samples that the kernels have on each side of their middle.

    Args:
        cutoff: at which the amplitude is halved [Hz].
        rate: of the samples [Hz].
    """
    return int(np.ceil(SHARPNESS * rate / cutoff / 2.0)) + SIDE


def lowest_cutoff(rate: float) -> float:
    """The cutoff of the longest kernels that are computed [Hz].

    Args:
        rate: of the samples [Hz].
    """
    return SHARPNESS * rate / 2.0 / (LONGEST_HALF - SIDE)


def kernels(cutoff: float, rate: float) -> Array:
    """Value, derivative and second derivative (3, 2 h + 1), to be convolved with samples.

    The first is exact for straight lines, the second one for parabolas, the third one for cubics.

    Args:
        cutoff: [Hz], at most a quarter of the rate.
        rate: of the samples [Hz].
    """
    half = half_length(cutoff, rate)
    end = half - SIDE
    samples = np.arange(-end, end + 1)
    window = np.i0(BETA * np.sqrt(1.0 - (samples / end) ** 2))
    value = np.sinc(2.0 * cutoff / rate * samples) * window
    value /= value.sum()
    first, second = _central_differences()
    return np.stack(
        [
            np.pad(value, SIDE),
            np.convolve(value, first) * rate,
            np.convolve(value, second) * rate**2,
        ]
    )


def _central_differences() -> tuple[Array, Array]:
    """First and second derivative for a unit interval (2 SIDE + 1), to be convolved."""
    steps = range(1, SIDE + 1)
    one_side = np.array(
        [
            (-1.0) ** (k + 1)
            * factorial(SIDE) ** 2
            / (k * factorial(SIDE - k) * factorial(SIDE + k))
            for k in steps
        ]
    )
    twice = 2.0 * one_side / np.arange(1, SIDE + 1)
    first = np.concatenate([one_side[::-1], [0.0], -one_side])
    second = np.concatenate([twice[::-1], [-2.0 * twice.sum()], twice])
    return first, second


class Convolution:
    """Convolves columns with kernels of one length, each block of rows in one transform.

    Source: A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, 3rd ed., section 8.7.3
    (overlap-save).
    """

    def __init__(self, kernels: Array) -> None:
        """Transform the kernels (K, 2 h + 1)."""
        self._lost = kernels.shape[1] - 1
        least = max(SHORTEST_BLOCK, 4 * self._lost)
        self._size = 1 << (least - 1).bit_length()
        self._kernels = np.fft.rfft(kernels, self._size, axis=1)[:, :, None]

    def __call__(self, rows: Array, columns: Sequence[Any]) -> list[Array]:
        """Each kernel at the rows (N - 2 h, m) that it covers wholly.

        Args:
            rows: (N, m).
            columns: of the rows, for each kernel.
        """
        count = len(rows) - self._lost
        results = [np.empty((count, rows[:1, which].shape[1])) for which in columns]
        step = self._size - self._lost
        for start in range(0, count, step):
            spectrum = np.fft.rfft(rows[start : start + self._size], self._size, axis=0)
            stop = min(start + step, count)
            for kernel, which, result in zip(self._kernels, columns, results, strict=True):
                if result.shape[1]:
                    product = spectrum[:, which] * kernel
                    block = np.fft.irfft(product, self._size, axis=0)
                    result[start:stop] = block[self._lost : self._lost + stop - start]
        return results
