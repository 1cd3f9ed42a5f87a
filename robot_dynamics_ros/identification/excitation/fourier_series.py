"""Motions as finite Fourier series that start and end at rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space

from robot_dynamics_ros.core.checks import Array


@dataclass(frozen=True)
class FourierSeries:
    """Sines and cosines of each joint, with the velocities a_l cos(l w t) + b_l sin(l w t).

    q(t) = q(0) + sum over l of a_l sin(l w t) / (l w) + b_l (1 - cos(l w t)) / (l w): the series
    of Swevers et al., "Optimal robot excitation and identification" (1997), with its constant
    written as the position at the start. It is at rest there, with no acceleration, if
    sum a_l = 0 and sum l b_l = 0 (`resting_space`); after each period it is there again.

    Attributes:
        frequency: of the first harmonic, w / 2 pi [Hz].
        start: (n,) positions at t = 0 [rad or m].
        coefficients: (2 N, n) rows a_1 to a_N, then b_1 to b_N [rad/s or m/s].
    """

    frequency: float
    start: Array
    coefficients: Array

    def at(self, times: Array) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations, each (m, n), at times (m,) [s]."""
        harmonics = len(self.coefficients) // 2
        q, v, a = basis(self.frequency, harmonics, times) @ self.coefficients
        return self.start + q, v, a

    def largest(self, derivative: int) -> Array:
        """A bound (n,) of a derivative of the positions at all times; 1 is the velocity."""
        a, b = np.split(self.coefficients, 2)
        rates = 2.0 * np.pi * self.frequency * np.arange(1.0, len(a) + 1.0)
        bound: Array = rates ** (derivative - 1) @ np.hypot(a, b)
        return bound


def basis(frequency: float, harmonics: int, times: Array) -> Array:
    """What the coefficients are multiplied by, (3, m, 2 N): for q - q(0), v and a at times (m,).

    Args:
        frequency: of the first harmonic [Hz].
        harmonics: N.
        times: (m,) [s].
    """
    rates = 2.0 * np.pi * frequency * np.arange(1, harmonics + 1)
    angles = np.outer(times, rates)
    sine, cosine = np.sin(angles), np.cos(angles)
    return np.array(
        [
            np.hstack([sine / rates, (1.0 - cosine) / rates]),
            np.hstack([cosine, sine]),
            np.hstack([-rates * sine, rates * cosine]),
        ]
    )


def resting_space(harmonics: int) -> Array:
    """Orthonormal columns (2 N, 2 N - 2): coefficients of motions that start and end at rest."""
    numbers = np.arange(1, harmonics + 1)
    conditions = np.zeros((2, 2 * harmonics))
    conditions[0, :harmonics] = 1.0  # v(0) = 0
    conditions[1, harmonics:] = numbers / harmonics  # a(0) = 0
    space: Array = null_space(conditions)
    return space
