"""What a motion is asked to be, the frequencies that follow, and its Fourier series."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError

# With one harmonic a joint that starts at rest does not move; more than ten take longer to
# optimise, and gain little: longer trajectories repeat the period.
FEWEST_HARMONICS, MOST_HARMONICS = 2, 10
# Points of the trajectory in the shortest period: a controller interpolates them by quintic
# polynomials, which are within 1e-7 of the amplitude then.
POINTS = 16
# Shortest periods in a trajectory at most: 50,000 points.
MOST_CYCLES = 3125


@dataclass(frozen=True)
class ExcitationSettings:
    """What the trajectory is asked to be.

    Attributes:
        duration: of the whole trajectory [s].
        frequency: the highest one [Hz].
        start: positions at which it starts and ends, by joint [rad or m]; joints that are not
            named start at zero, or at the limit nearest to it. Empty: it is chosen.
        share: part of each limit that may be used, of positions about their middle.
        acceleration: largest of each joint [rad/s^2 or m/s^2]; None: from its velocity limit.
        distance: between bodies of the robot, and from the floor [m].
        floor: height in the base frame below which no body may be [m]; None for no floor.
        seed: of the random motions from which the best is optimised.
        iterations: of each of the stages of a search.
    """

    duration: float = 20.0
    frequency: float = 1.0
    start: Mapping[str, float] = field(default_factory=dict)
    share: float = 0.8
    acceleration: float | None = None
    distance: float = 0.05
    floor: float | None = 0.0
    seed: int = 0
    iterations: int = 20

    def __post_init__(self) -> None:
        """Refuse values out of range.

        Raises:
            ParameterError: see the message.
        """
        for name in ('duration', 'frequency', 'distance', 'acceleration'):
            value = getattr(self, name)
            if value is not None and not 0.0 < value < math.inf:
                raise ParameterError(f'{name} is {value:g}, it must be positive and finite')
        if not 0.0 < self.share <= 1.0:
            raise ParameterError(f'share is {self.share:g}, allowed is above 0 and at most 1')
        if self.seed < 0:
            raise ParameterError(f'seed is {self.seed}, allowed is 0 or more')
        if self.floor is not None and not math.isfinite(self.floor):
            raise ParameterError(f'floor is {self.floor}, it must be finite')

    @property
    def band(self) -> Band:
        """A whole number of periods in the duration, no harmonic above the highest frequency.

        Raises:
            ParameterError: the duration is too short or too long for the highest frequency.
        """
        # Rounded, so that 0.1 Hz * 30 s are 3 cycles.
        cycles = round(self.frequency * self.duration, 9)
        if not FEWEST_HARMONICS <= cycles <= MOST_CYCLES:
            raise ParameterError(
                f'duration is {self.duration:g} s: up to {self.frequency:g} Hz allowed are '
                f'{FEWEST_HARMONICS / self.frequency:g} s to {MOST_CYCLES / self.frequency:g} s, '
                f'a trajectory of {POINTS * MOST_CYCLES} points; play a trajectory several times '
                'instead of a longer one'
            )
        periods = math.ceil(cycles / MOST_HARMONICS)
        return Band(periods / self.duration, math.floor(cycles / periods), periods)


@dataclass(frozen=True)
class Band:
    """The frequencies of a trajectory.

    Attributes:
        frequency: of the first harmonic, the inverse of the period [Hz].
        harmonics: N, of each joint.
        periods: how often the period is repeated.
    """

    frequency: float
    harmonics: int
    periods: int = 1

    @property
    def rates(self) -> Array:
        """l w of the harmonics (N,) [rad/s]."""
        return 2.0 * np.pi * self.frequency * np.arange(1.0, self.harmonics + 1.0)

    def times(self, samples: int, periods: int = 1) -> Array:
        """Times (m,) over some periods, with so many samples in the shortest one [s]."""
        count = samples * self.harmonics * periods
        return np.linspace(0.0, periods / self.frequency, count + 1)

    def basis(self, times: Array) -> Array:
        """What coefficients are multiplied by, (3, m, 2 N): for q - q(0), v, a at times (m,)."""
        rates = self.rates
        angles = np.outer(times, rates)
        sine, cosine = np.sin(angles), np.cos(angles)
        parts = (sine / rates, (1.0 - cosine) / rates, cosine, sine, -rates * sine, rates * cosine)
        return np.array([np.hstack(parts[order : order + 2]) for order in (0, 2, 4)])

    def resting_space(self) -> Array:
        """Orthonormal columns (2 N, 2 N - 2): coefficients of motions that rest at both ends."""
        numbers, zeros = np.arange(1, self.harmonics + 1), np.zeros(self.harmonics)
        conditions = [[*np.ones_like(zeros), *zeros], [*zeros, *numbers / self.harmonics]]
        # v(0) = 0 and a(0) = 0: the rows behind the first two span what they leave.
        return np.linalg.svd(conditions)[2][2:].T


@dataclass(frozen=True)
class FourierSeries:
    """Sines and cosines of each joint, with the velocities a_l cos(l w t) + b_l sin(l w t).

    q(t) = q(0) + sum over l of a_l sin(l w t) / (l w) + b_l (1 - cos(l w t)) / (l w): the series
    of Swevers et al., "Optimal robot excitation and identification" (1997), with its constant
    written as the position at the start. It is at rest there, with no acceleration, if
    sum a_l = 0 and sum l b_l = 0 (`Band.resting_space`); after each period it is there again.

    Attributes:
        band: its frequencies.
        start: (n,) positions at t = 0 [rad or m].
        coefficients: (2 N, n) rows a_1 to a_N, then b_1 to b_N [rad/s or m/s].
    """

    band: Band
    start: Array
    coefficients: Array

    def at(self, times: Array) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations, each (m, n), at times (m,) [s]."""
        q, v, a = self.band.basis(times) @ self.coefficients
        return self.start + q, v, a

    def largest(self, derivative: int) -> Array:
        """A bound (n,) of a derivative of the positions at all times; 1 is the velocity."""
        return self.band.rates ** (derivative - 1) @ np.hypot(*np.split(self.coefficients, 2))
