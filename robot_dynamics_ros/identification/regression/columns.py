"""The columns of the equations at single samples, before they are filtered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from robot_dynamics_ros.core.checks import Array


class Samples(Protocol):
    """States and efforts (N, n) at times (N,) [s], such as a Motion."""

    @property
    def times(self) -> Array:
        """[s]."""

    @property
    def positions(self) -> Array:
        """[rad or m]."""

    @property
    def velocities(self) -> Array:
        """[rad/s or m/s]."""

    @property
    def accelerations(self) -> Array:
        """[rad/s^2 or m/s^2]."""

    @property
    def efforts(self) -> Array:
        """[N m, N or A], NaN where not measured."""


@dataclass(frozen=True)
class Columns:
    """What the equations are linear in, at consecutive samples.

    Attributes:
        times: (N,) [s].
        values: (N, c) columns whose filtered values the equations have.
        slopes: (N, d) columns whose filtered derivatives they have: energies; d may be 0.
        flags: (N, f) what may make an equation unusable, see `UnusableSamples`.
    """

    times: Array
    values: Array
    slopes: Array
    flags: Array

    def __len__(self) -> int:
        return len(self.times)

    def after(self, count: int) -> Columns:
        """All but the first samples."""
        names = ('times', 'values', 'slopes', 'flags')
        return Columns(*(getattr(self, name)[count:] for name in names))

    def followed_by(self, other: Columns) -> Columns:
        """These samples and those that follow."""
        names = ('times', 'values', 'slopes', 'flags')
        pairs = ((getattr(self, name), getattr(other, name)) for name in names)
        return Columns(*(np.concatenate(pair) for pair in pairs))
