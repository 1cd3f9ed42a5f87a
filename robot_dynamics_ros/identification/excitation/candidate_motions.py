"""Random motions within the limits, and the variables that an optimisation changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError

from .excitation_settings import Band
from .fourier_series import FourierSeries, basis, resting_space
from .violation import MotionConstraints

# Random poses among which a start is searched.
POSES = 400
# Shares of the ranges among which it is searched, one after the other: of a robot with many joints
# nearly all poses touch.
SPREADS = (1.0, 0.5, 0.25, 0.1)
# Halvings of the interval in which the largest amplitude is searched.
HALVINGS = 9
# Of what is allowed.
ROUNDING = 1e-9
# Samples in the shortest period. Between them, a sine is at most 2 % above its samples.
SAMPLES = 16


@dataclass(frozen=True)
class Candidates:
    """Motions of a band: coefficients by free variables, at the times of one period.

    Attributes:
        band: of frequencies.
        speed: (n,) scale of the velocities.
        half: (n,) scale of the positions of the start.
        start: (n,) where the motion starts; None where it is free.
    """

    band: Band
    speed: Array
    half: Array
    start: Array | None

    @cached_property
    def times(self) -> Array:
        """Of one period (m,) [s]."""
        count = SAMPLES * self.band.harmonics
        times: Array = np.arange(count) * self.band.period / count
        return times

    @cached_property
    def _space(self) -> Array:
        return resting_space(self.band.harmonics)

    @cached_property
    def _basis(self) -> Array:
        return basis(self.band.frequency, self.band.harmonics, self.times)

    def motion(self, variables: Array) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations, each (m, n), at `times`."""
        series = self.series(variables)
        q, v, a = self._basis @ series.coefficients
        return series.start + q, v, a

    def series(self, variables: Array) -> FourierSeries:
        """The motion of free variables (k,), which begin with the start unless it is given."""
        size = len(self.speed)
        if self.start is None:
            start, variables = variables[:size] * self.half, variables[size:]
        else:
            start = self.start
        return FourierSeries(
            self.band.frequency, start, self.coefficients(variables.reshape(-1, size))
        )

    def coefficients(self, free: Array) -> Array:
        """Coefficients (2 N, n) of a motion at rest from free ones (2 N - 2, n)."""
        coefficients: Array = self.speed * (self._space @ free)
        return coefficients

    def variables(self, series: FourierSeries) -> Array:
        """The free variables (k,) of a motion."""
        free = self._space.T @ (series.coefficients / self.speed)
        start: Array = np.empty(0) if self.start is not None else series.start / self.half
        return np.concatenate([start, free.ravel()])

    def slope(self, slopes: Array) -> Array:
        """Derivatives (k,) by the variables from those by q, v and a (3, m, n)."""
        by_coefficient = np.einsum('kml,kmj->lj', self._basis, slopes, optimize=True)
        free = self._space.T @ (by_coefficient * self.speed)
        start: Array = np.empty(0) if self.start is not None else slopes[0].sum(axis=0) * self.half
        return np.concatenate([start, free.ravel()])


def resting_poses(constraints: MotionConstraints, generator: np.random.Generator) -> Array:
    """Random positions (k, n) at which the robot may rest.

    Raises:
        ParameterError: there are none.
    """
    limits, share = constraints.limits, constraints.share
    drawn = generator.uniform(-1.0, 1.0, (POSES, len(limits.half)))
    home = np.clip(0.0, limits.middle - share * limits.half, limits.middle + share * limits.half)
    nearest, least = home, np.inf
    for center in (limits.middle, home):
        room = share * limits.half - np.abs(center - limits.middle)
        for spread in SPREADS:
            poses = center + spread * room * drawn
            excess = constraints.resting_excess(poses)
            if (excess == 0.0).any():
                free: Array = poses[excess == 0.0]
                return free
            if excess.min() < least:
                nearest, least = poses[excess.argmin()], excess.min()
    raise ParameterError(
        f'the robot may rest at none of {2 * len(SPREADS) * POSES} random poses; at the best of '
        f'them {constraints.excess_at(nearest)}. Allow a smaller --distance, a lower --floor (or '
        'none), a larger --share, or fewer --joints'
    )


def random_motion(
    candidates: Candidates,
    constraints: MotionConstraints,
    poses: Array,
    generator: np.random.Generator,
) -> FourierSeries:
    """A motion with random coefficients, as large as the limits allow.

    Each joint alone first gets as much as its position, velocity and acceleration allow; then all
    are shrunk until torques and distances are allowed too.

    Args:
        candidates: of which it is one.
        constraints: what it may use.
        poses: (k, n) of which one is its middle, or its start where that is given.
        generator: of random numbers.
    """
    limits, share = constraints.limits, constraints.share
    middle = poses[generator.integers(len(poses))]
    coefficients = candidates.coefficients(
        generator.normal(size=(2 * candidates.band.harmonics - 2, len(middle)))
    )
    series = FourierSeries(candidates.band.frequency, np.zeros_like(middle), coefficients)
    q, v, a = series.at(candidates.times)
    shift = np.zeros_like(middle)
    if candidates.start is None:
        shift = (q.max(axis=0) + q.min(axis=0)) / 2.0
    room = share * limits.half - np.abs(middle - limits.middle)
    needs = [
        np.abs(value).max(axis=0) / allowed
        for value, allowed in (
            (q - shift, np.maximum(room, 1e-9)),
            (v, share * limits.velocity),
            (a, share * limits.acceleration),
        )
    ]
    factors = 1.0 / np.max(needs, axis=0)

    def scaled(size: float) -> FourierSeries:
        start = middle - size * factors * shift
        return replace(series, start=start, coefficients=size * factors * coefficients)

    def allowed(one: FourierSeries) -> bool:
        return constraints.violation(*one.at(candidates.times)).largest <= ROUNDING

    return largest_allowed(scaled, allowed) or scaled(0.0)


def largest_allowed(
    scaled: Callable[[float], FourierSeries], allowed: Callable[[FourierSeries], bool]
) -> FourierSeries | None:
    """The largest of some motions that is allowed; None if none is.

    Args:
        scaled: gives a motion by its size, from 0 to 1.
        allowed: whether a motion is.
    """
    if allowed(scaled(1.0)):
        return scaled(1.0)
    lower, upper = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (lower + upper) / 2.0
        if allowed(scaled(middle)):
            lower = middle
        else:
            upper = middle
    return scaled(lower) if lower > 0.0 else None
