"""How much of its limits a motion uses, between samples too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .clearance.clearance import below_samples
from .excitation_settings import Band
from .fourier_series import FourierSeries
from .violation import MotionConstraints

# Samples in the shortest period.
SAMPLES = 64
# [m]: up to which distances are computed.
FAR = 0.5


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
        height: smallest height above the floor; infinite if none is checked.
        kept: whether each distance is kept.
    """

    position: Array
    velocity: Array
    acceleration: Array
    effort: Array
    apart: float
    pair: tuple[str, ...]
    height: float
    kept: bool

    def within(self, share: float) -> bool:
        """Whether no limit is used beyond a share of it, and all distances are kept."""
        shares = (self.position, self.velocity, self.acceleration, self.effort)
        return self.kept and max(float(part.max()) for part in shares) <= share


def utilisation(
    series: FourierSeries, constraints: MotionConstraints, band: Band, far: float = FAR
) -> Utilisation:
    """What a motion uses at all times.

    Positions, velocities and accelerations: a function whose second derivative is at most D
    exceeds its samples by at most D h^2 / 8. Torques: half of the second difference of the samples
    is added, which covers a sharp bend between two samples; for distances see `below_samples`.

    Args:
        series: the motion.
        constraints: its limits.
        band: of its frequencies.
        far: distances beyond are not computed [m].
    """
    count = SAMPLES * band.harmonics
    times = np.arange(count + 1) * band.period / count
    q, v, a = series.at(times)
    limits = constraints.limits
    slack = (times[1] ** 2) / 8.0
    position, velocity, acceleration = (
        (np.abs(value).max(axis=0) + slack * series.largest(order + 2)) / limit
        for order, (value, limit) in enumerate(
            ((q - limits.middle, limits.half), (v, limits.velocity), (a, limits.acceleration))
        )
    )
    near = constraints.clearance.at(q, far)
    return Utilisation(
        position,
        velocity,
        acceleration,
        _largest_effort(constraints, q, v, a) / limits.effort,
        float(below_samples(near.apart).min(initial=np.inf)),
        near.pair,
        float(below_samples(near.height).min(initial=np.inf)),
        near.kept,
    )


def _largest_effort(constraints: MotionConstraints, q: Array, v: Array, a: Array) -> Array:
    """Largest torques (n,) [N m or N]. Friction jumps where a joint turns back."""
    rigid, friction = constraints.effort.rigid(q, v, a), constraints.effort.friction(v)
    curvature = np.abs(np.diff(rigid, 2, axis=0)).max(axis=0) / 2.0
    largest = [
        np.maximum(sign * rigid[1:], sign * rigid[:-1])
        + np.maximum(sign * friction[1:], sign * friction[:-1])
        for sign in (1.0, -1.0)
    ]
    total: Array = np.max(largest, axis=(0, 1)) + curvature
    return total
