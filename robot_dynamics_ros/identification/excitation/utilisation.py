"""How much of its limits a motion uses, between samples too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .excitation_settings import Band
from .fourier_series import FourierSeries
from .violation import Allowance

# Samples in the shortest period.
SAMPLES = 64
# [m]: distances beyond do not matter to anyone.
FAR = 1.0


@dataclass(frozen=True)
class Utilisation:
    """Shares of the limits that a motion uses at most, each (n,), and distances [m].

    Attributes:
        position: of half the range, from its middle.
        velocity: of the velocity limit.
        acceleration: of the acceleration limit.
        effort: of the effort limit; 0 where there is none.
        apart: smallest distance of two bodies; infinite if none are checked, at most `FAR`.
        pair: names of these bodies.
        height: smallest height above the floor; infinite without floor.
    """

    position: Array
    velocity: Array
    acceleration: Array
    effort: Array
    apart: float
    pair: tuple[str, ...]
    height: float

    def within(self, share: float, distance: float) -> bool:
        """Whether no share and no distance is beyond what is allowed."""
        shares = (self.position, self.velocity, self.acceleration, self.effort)
        largest = max(float(part.max()) for part in shares)
        return largest <= share and min(self.apart, self.height) >= distance


def utilisation(series: FourierSeries, allowance: Allowance, band: Band) -> Utilisation:
    """What a motion uses at all times.

    Positions, velocities and accelerations: a function whose second derivative is at most D
    exceeds its samples by at most D h^2 / 8. Torques and distances: half of the second difference
    of the samples is added, which covers a sharp bend between two samples.

    Args:
        series: the motion.
        allowance: its limits.
        band: of its frequencies.
    """
    count = SAMPLES * band.harmonics
    times = np.arange(count + 1) * band.period / count
    q, v, a = series.at(times)
    limits = allowance.limits
    slack = (times[1] ** 2) / 8.0
    used = [
        (np.abs(value).max(axis=0) + slack * series.largest(order + 2)) / limit
        for order, (value, limit) in enumerate(
            ((q - limits.middle, limits.half), (v, limits.velocity), (a, limits.acceleration))
        )
    ]
    near = allowance.clearance.at(q, FAR)
    return Utilisation(
        *used,
        _largest_effort(allowance, q, v, a) / limits.effort,
        _smallest(near.apart),
        near.pair,
        _smallest(near.height),
    )


def _largest_effort(allowance: Allowance, q: Array, v: Array, a: Array) -> Array:
    """Largest torques (n,) [N m or N]. Friction jumps where a joint turns back."""
    rigid, friction = allowance.effort.rigid(q, v, a), allowance.effort.friction(v)
    bend = np.abs(np.diff(rigid, 2, axis=0)).max(axis=0) / 2.0
    largest = [
        np.maximum(sign * rigid[1:], sign * rigid[:-1])
        + np.maximum(sign * friction[1:], sign * friction[:-1])
        for sign in (1.0, -1.0)
    ]
    total: Array = np.max(largest, axis=(0, 1)) + bend
    return total


def _smallest(distances: Array) -> float:
    """The smallest of samples (m,) and between them."""
    if not np.isfinite(distances).all():
        return float(distances.min())
    return float(distances.min() - np.abs(np.diff(distances, 2)).max() / 2.0)
