"""Random motions within the limits, and the variables that an optimisation changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError

from .excitation_settings import Band
from .fourier_series import FourierSeries, basis, resting_space
from .violation import Allowance

# Random poses among which a start is searched.
POSES = 400
# Halvings of the interval in which the largest amplitude is searched.
HALVINGS = 9
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
        coefficients = self.speed * (self._space @ variables.reshape(-1, size))
        return FourierSeries(self.band.frequency, start, coefficients)

    def variables(self, series: FourierSeries) -> Array:
        """The free variables (k,) of a motion."""
        free = self._space.T @ (series.coefficients / self.speed)
        start = [] if self.start is not None else series.start / self.half
        return np.concatenate([start, free.ravel()])

    def slope(self, slopes: Array) -> Array:
        """Derivatives (k,) by the variables from those by q, v and a (3, m, n)."""
        by_coefficient = np.einsum('kml,kmj->lj', self._basis, slopes, optimize=True)
        free = self._space.T @ (by_coefficient * self.speed)
        start = [] if self.start is not None else slopes[0].sum(axis=0) * self.half
        return np.concatenate([start, free.ravel()])


def resting_poses(allowance: Allowance, generator: np.random.Generator) -> Array:
    """Random positions (k, n) at which the robot may rest.

    Raises:
        ParameterError: there are none.
    """
    limits, share = allowance.limits, allowance.share
    drawn = generator.uniform(-1.0, 1.0, (POSES, len(limits.half)))
    poses = limits.middle + share * limits.half * drawn
    allowed = poses[allowance.resting_excess(poses) == 0.0]
    if not len(allowed):
        raise ParameterError(
            f'none of {POSES} random poses keeps {allowance.clearance.distance:g} m from the '
            f'robot itself and from the floor, with {share:.0%} of the effort limits: allow a '
            'smaller --distance, a lower --floor (or none), a larger --share, or fewer --joints'
        )
    return allowed


def random_motion(
    candidates: Candidates, allowance: Allowance, poses: Array, generator: np.random.Generator
) -> FourierSeries:
    """A motion with random coefficients, as large as the limits allow.

    Args:
        candidates: of which it is one.
        allowance: what it may use.
        poses: (k, n) of which its start is one, if it is free.
        generator: of random numbers.
    """
    size = len(candidates.speed)
    count = 2 * candidates.band.harmonics - 2
    start = poses[generator.integers(len(poses))]
    free = generator.normal(size=(count, size)) / np.sqrt(candidates.band.harmonics)
    variables = free.ravel()
    if candidates.start is None:
        variables = np.concatenate([start / candidates.half, variables])
    return largest_allowed(candidates.series(variables), allowance, candidates.times)


def largest_allowed(series: FourierSeries, allowance: Allowance, times: Array) -> FourierSeries:
    """The motion shrunk towards its start until it is allowed at some times (m,)."""
    if allowance.violation(*series.at(times)).largest == 0.0:
        return series
    lower, upper = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (lower + upper) / 2.0
        if allowance.violation(*series.scaled(middle).at(times)).largest == 0.0:
            lower = middle
        else:
            upper = middle
    return series.scaled(lower)
