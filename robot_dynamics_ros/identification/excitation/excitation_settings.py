"""What an excitation motion is asked to be."""

from __future__ import annotations

import math
from dataclasses import dataclass

from robot_dynamics_ros.core.errors import ParameterError

# With one harmonic a joint that starts at rest does not move.
FEWEST_HARMONICS = 2
# More of them take longer to optimise, and gain little: longer motions repeat the period.
USUAL_HARMONICS = 10
# Points of the trajectory in the shortest period: a controller interpolates them by quintic
# polynomials, which are within 1e-7 of the amplitude then.
POINTS = 16
# Shortest periods in a motion at most: a trajectory of 50,000 points.
MOST_CYCLES = 3125
# Variables and samples of the optimisation grow with it.
MOST_HARMONICS = 100


@dataclass(frozen=True)
class ExcitationSettings:
    """What the motion is asked to be.

    Attributes:
        duration: of the whole motion [s].
        frequency: highest frequency of the motion [Hz].
        harmonics: sines and cosines of each joint; None: as many as fit, at most
            `USUAL_HARMONICS`.
        share: part of each limit that the motion may use, of positions about their middle.
        acceleration: largest of each joint [rad/s^2 or m/s^2]; None: from its velocity limit.
        distance: between bodies of the robot, and from the floor [m].
        floor: height in the base frame below which no body may be [m]; None for no floor.
        start: (n,) where the motion starts and ends [rad or m]; None: chosen with the motion.
        seed: of the random motions from which the best is optimised.
        steps: of the optimisation.
    """

    duration: float = 20.0
    frequency: float = 1.0
    harmonics: int | None = None
    share: float = 0.8
    acceleration: float | None = None
    distance: float = 0.05
    floor: float | None = 0.0
    start: tuple[float, ...] | None = None
    seed: int = 0
    steps: int = 240

    def __post_init__(self) -> None:
        """Refuse values out of range.

        Raises:
            ParameterError: see the message.
        """
        for name in ('duration', 'frequency', 'distance'):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0.0):
                raise ParameterError(f'{name} is {value:g}, it must be positive and finite')
        if not 0.0 < self.share <= 1.0:
            raise ParameterError(f'share is {self.share:g}, allowed is above 0 and at most 1')
        if self.acceleration is not None and not 0.0 < self.acceleration < math.inf:
            raise ParameterError(
                f'acceleration is {self.acceleration:g}, it must be positive and finite'
            )
        if self.steps < 1:
            raise ParameterError(f'steps is {self.steps}, at least 1 is needed')
        if self.seed < 0:
            raise ParameterError(f'seed is {self.seed}, allowed is 0 or more')
        if self.floor is not None and not math.isfinite(self.floor):
            raise ParameterError(f'floor is {self.floor}, it must be finite')


@dataclass(frozen=True)
class Band:
    """The frequencies of a motion.

    Attributes:
        frequency: of the first harmonic, the inverse of the period [Hz].
        harmonics: of each joint.
        periods: how often the period is repeated.
    """

    frequency: float
    harmonics: int
    periods: int

    @classmethod
    def of(cls, settings: ExcitationSettings) -> Band:
        """A whole number of periods in the duration, no harmonic above the highest frequency.

        Raises:
            ParameterError: there are too few harmonics, or the duration is too short for them.
        """
        # Rounded, so that 0.1 Hz * 30 s are 3 cycles.
        cycles = round(settings.frequency * settings.duration, 9)
        wanted = settings.harmonics
        if wanted is not None and wanted < FEWEST_HARMONICS:
            raise ParameterError(
                f'harmonics is {wanted}: at least {FEWEST_HARMONICS} are needed to start at rest'
            )
        if wanted is not None and wanted > MOST_HARMONICS:
            raise ParameterError(f'harmonics is {wanted}, at most {MOST_HARMONICS} are allowed')
        if cycles > MOST_CYCLES:
            raise ParameterError(
                f'duration is {settings.duration:g} s: up to {settings.frequency:g} Hz at most '
                f'{MOST_CYCLES / settings.frequency:g} s are allowed, a trajectory of '
                f'{POINTS * MOST_CYCLES} points; play the motion several times instead'
            )
        least = wanted or FEWEST_HARMONICS
        if cycles < least:
            raise ParameterError(
                f'duration is {settings.duration:g} s: {least} harmonics up to '
                f'{settings.frequency:g} Hz need {least / settings.frequency:g} s at least'
            )
        if wanted is None:
            periods = math.ceil(cycles / USUAL_HARMONICS)
            wanted = math.floor(cycles / periods)
        else:
            periods = math.floor(cycles / wanted)
        return cls(periods / settings.duration, wanted, periods)

    @property
    def highest(self) -> float:
        """Frequency of the highest harmonic [Hz]."""
        return self.frequency * self.harmonics

    @property
    def period(self) -> float:
        """[s]."""
        return 1.0 / self.frequency
