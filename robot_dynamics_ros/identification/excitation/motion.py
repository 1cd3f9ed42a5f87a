"""What a motion is asked to be, and its Fourier series, which starts and ends at rest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError

# Cycles of the highest frequency: with one harmonic, a joint that starts at rest does not move;
# with the most, the search of an arm takes a minute. Of a joint: coefficients of more harmonics
# are hard to search, and add little information.
MIN_CYCLES, MAX_CYCLES, MAX_HARMONICS = 2, 60, 10
# Settings are above the first number, and at most the second one, if that is finite.
RANGES = {
    'duration': (0.0, math.inf),
    'frequency': (0.0, math.inf),
    'share': (0.0, 1.0),
    'acceleration': (0.0, math.inf),
    'distance': (0.0, math.inf),
    'floor': (-math.inf, math.inf),
    'seed': (-1, math.inf),
}


@dataclass(frozen=True)
class ExcitationSettings:
    """What the trajectory is asked to be.

    Joints without a start begin at zero, or at the limit nearest to it.
    """

    duration: float = 20.0  #: of the trajectory, which is one period [s]
    frequency: float = 0.5  #: the highest one [Hz]
    start: Mapping[str, float] = field(default_factory=dict)  #: [rad or m]; empty: it is chosen
    share: float = 0.8  #: part of each limit that may be used, of positions about their middle
    acceleration: float | None = None  #: [rad/s^2 or m/s^2]; None: see `MotionLimits.of`
    distance: float = 0.05  #: between bodies of the robot, and from the floor [m]
    floor: float | None = 0.0  #: height in the base frame [m]; None: there is none
    seed: int = 0  #: of the random motions from which the best is optimised
    iterations: int = 20  #: of each of the stages of a search

    def __post_init__(self) -> None:
        """Raise ParameterError where a setting is out of range."""
        for name, (above, most) in RANGES.items():
            value = getattr(self, name)
            if value is not None and not (above < value <= most and math.isfinite(value)):
                raise ParameterError(
                    f'{name} is {value:g}, it must be finite, above {above:g}, at most {most:g}'
                )
        if not MIN_CYCLES <= self.cycles <= MAX_CYCLES:
            raise ParameterError(
                f'duration is {self.duration:g} s: up to {self.frequency:g} Hz allowed are '
                f'{MIN_CYCLES / self.frequency:g} s to {MAX_CYCLES / self.frequency:g} s'
            )

    @property
    def cycles(self) -> int:
        """Of the highest frequency in the duration; it is lowered to a whole number of them."""
        # Rounded, so that 0.1 Hz * 30 s are 3 cycles.
        return math.floor(round(self.frequency * self.duration, 9))

    @property
    def harmonics(self) -> tuple[int, ...]:
        """Cycles in the duration, evenly from one to those of the highest frequency."""
        numbers = np.linspace(1.0, self.cycles, min(self.cycles, MAX_HARMONICS)).round()
        return tuple(numbers.astype(int).tolist())


@dataclass(frozen=True)
class FourierSeries:
    """Sines and cosines of each joint, with the velocities a_l cos(l w t) + b_l sin(l w t).

    q(t) = q(0) + sum over l of a_l sin(l w t) / (l w) + b_l (1 - cos(l w t)) / (l w): the series
    of Swevers et al., "Optimal robot excitation and identification" (1997), with its constant
    written as the position at the start, and w = 2 pi / T. It is at rest there, with no
    acceleration, if sum a_l = 0 and sum l b_l = 0 (`resting_space`).
    """

    duration: float  #: T [s]
    harmonics: tuple[int, ...]  #: l (N,), ascending from 1: there is no shorter period than T
    start: Array  #: (n,) positions at t = 0 [rad or m]
    coefficients: Array  #: (2 N, n) rows a_l, then b_l [rad/s or m/s]

    def times(self, samples: int) -> Array:
        """Times (m,) from 0 to T, with so many samples in the shortest cycle [s]."""
        return np.linspace(0.0, self.duration, samples * self.harmonics[-1] + 1)

    def basis(self, times: Array) -> Array:
        """What coefficients are multiplied by, (4, m, 2 N): for q - q(0), v, a and jerk."""
        rates = 2.0 * np.pi / self.duration * np.array(self.harmonics)
        angles = np.outer(times, rates)
        sine, cosine = np.sin(angles), np.cos(angles)
        pairs = (
            (sine / rates, (1.0 - cosine) / rates),
            (cosine, sine),
            (-rates * sine, rates * cosine),
            (-(rates**2) * cosine, -(rates**2) * sine),
        )
        return np.array([np.hstack(pair) for pair in pairs])

    def at(self, times: Array) -> tuple[Array, Array, Array, Array]:
        """Positions, velocities, accelerations and jerks, each (m, n), at times (m,) [s]."""
        q, v, a, jerk = self.basis(times) @ self.coefficients
        return self.start + q, v, a, jerk


def resting_space(harmonics: tuple[int, ...]) -> Array:
    """Orthonormal columns (2 N, 2 N - 2): coefficients of motions that rest at both ends."""
    ones, zeros = np.ones(len(harmonics)), np.zeros(len(harmonics))
    # v(0) = 0 and a(0) = 0: the rows behind the first two span what they leave.
    conditions = [[*ones, *zeros], [*zeros, *np.array(harmonics) / harmonics[-1]]]
    return np.linalg.svd(conditions)[2][2:].T
