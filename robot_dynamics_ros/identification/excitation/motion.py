"""What a motion is asked to be, and its Fourier series, which starts and ends at rest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError

# Cycles of the highest frequency: with one harmonic, a joint that starts at rest does not move;
# with the most, the search of an arm takes a minute.
MIN_CYCLES, MAX_CYCLES = 2, 60
# Of a joint: coefficients of more are hard to search, and add little information.
MAX_HARMONICS = 10
# Points of the trajectory in a cycle: quintic polynomials between them are within 1e-7 of the
# amplitude.
POINTS = 16
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

    Attributes:
        duration: of the trajectory, which is one period [s].
        frequency: the highest one [Hz].
        start: positions at which it starts and ends, by joint [rad or m]; others start at zero, or
            at the limit nearest to it. Empty: it is chosen.
        share: part of each limit that may be used, of positions about their middle.
        acceleration: largest of each joint [rad/s^2 or m/s^2]; None: see `MotionLimits.of`.
        distance: between bodies of the robot, and from the floor [m].
        floor: height in the base frame [m]; None for no floor.
        seed: of the random motions from which the best is optimised.
        iterations: of each of the stages of a search.
    """

    duration: float = 20.0
    frequency: float = 0.5
    start: Mapping[str, float] = field(default_factory=dict)
    share: float = 0.8
    acceleration: float | None = None
    distance: float = 0.05
    floor: float | None = 0.0
    seed: int = 0
    iterations: int = 20

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
    def harmonics(self) -> Harmonics:
        """At most `MAX_HARMONICS`, evenly from one cycle in the duration to the highest one."""
        numbers = np.linspace(1.0, self.cycles, min(self.cycles, MAX_HARMONICS)).round()
        return Harmonics(self.duration, tuple(numbers.astype(int).tolist()))


@dataclass(frozen=True)
class Harmonics:
    """The frequencies of a trajectory: cycles in its duration.

    Attributes:
        duration: T [s].
        numbers: l (N,), ascending from 1: the motion has no shorter period than T.
    """

    duration: float
    numbers: tuple[int, ...]

    @property
    def rates(self) -> Array:
        """l w (N,), w = 2 pi / T [rad/s]."""
        return 2.0 * np.pi / self.duration * np.array(self.numbers)

    def times(self, samples: int) -> Array:
        """Times (m,) from 0 to T, with so many samples in the shortest cycle [s]."""
        return np.linspace(0.0, self.duration, samples * self.numbers[-1] + 1)

    def basis(self, times: Array) -> Array:
        """What coefficients are multiplied by, (4, m, 2 N): for q - q(0), v, a and jerk."""
        rates = self.rates
        angles = np.outer(times, rates)
        sine, cosine = np.sin(angles), np.cos(angles)
        pairs = (
            (sine / rates, (1.0 - cosine) / rates),
            (cosine, sine),
            (-rates * sine, rates * cosine),
            (-(rates**2) * cosine, -(rates**2) * sine),
        )
        return np.array([np.hstack(pair) for pair in pairs])

    def resting_space(self) -> Array:
        """Orthonormal columns (2 N, 2 N - 2): coefficients of motions that rest at both ends."""
        numbers = np.array(self.numbers, float)
        ones, zeros = np.ones_like(numbers), np.zeros_like(numbers)
        # v(0) = 0 and a(0) = 0: the rows behind the first two span what they leave.
        conditions = [[*ones, *zeros], [*zeros, *numbers / numbers[-1]]]
        return np.linalg.svd(conditions)[2][2:].T


@dataclass(frozen=True)
class FourierSeries:
    """Sines and cosines of each joint, with the velocities a_l cos(l w t) + b_l sin(l w t).

    q(t) = q(0) + sum over l of a_l sin(l w t) / (l w) + b_l (1 - cos(l w t)) / (l w): the series
    of Swevers et al., "Optimal robot excitation and identification" (1997), with its constant
    written as the position at the start. It is at rest there, with no acceleration, if
    sum a_l = 0 and sum l b_l = 0 (`Harmonics.resting_space`).

    Attributes:
        harmonics: its frequencies.
        start: (n,) positions at t = 0 [rad or m].
        coefficients: (2 N, n) rows a_l, then b_l [rad/s or m/s].
    """

    harmonics: Harmonics
    start: Array
    coefficients: Array

    def at(self, times: Array) -> tuple[Array, Array, Array, Array]:
        """Positions, velocities, accelerations and jerks, each (m, n), at times (m,) [s]."""
        q, v, a, jerk = self.harmonics.basis(times) @ self.coefficients
        return self.start + q, v, a, jerk
