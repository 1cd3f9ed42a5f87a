"""By how much a motion exceeds what it may use of its limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .clearance.clearance import Clearance
from .motion_effort import Effort
from .motion_limits import MotionLimits

# A distance bends more between samples than a position, in shares of what is allowed.
WIDER = 10.0


@dataclass(frozen=True)
class Violation:
    """Of a motion at m times.

    Attributes:
        total: sum of the squares of all excesses, each relative to what is allowed.
        largest: the largest excess.
        slopes: (3, m, n) derivatives of `total` by q, v and a.
    """

    total: float
    largest: float
    slopes: Array


class MotionConstraints:
    """What a motion may use: a share of each limit, and the space around the robot."""

    def __init__(
        self, limits: MotionLimits, share: float, effort: Effort, clearance: Clearance
    ) -> None:
        """Take the limits.

        Args:
            limits: of the joints.
            share: of each that may be used.
            effort: torques of motions.
            clearance: distances to keep.
        """
        self.limits, self.share = limits, share
        self.effort, self.clearance = effort, clearance

    def violation(self, q: Array, v: Array, a: Array, reserve: float = 0.0) -> Violation:
        """How much a motion exceeds what is allowed.

        Args:
            q: (m, n) positions.
            v: (m, n) velocities.
            a: (m, n) accelerations.
            reserve: share of what is allowed that is to stay free.
        """
        slopes = np.zeros((3, *q.shape))
        total, largest = 0.0, 0.0
        for index, value, excess in self._excesses(q, v, a, reserve):
            total += float((excess**2).sum())
            largest = max(largest, float(excess.max()))
            weights = 2.0 * excess * np.sign(value) / self._allowed()[index]
            if index < 3:
                slopes[index] += weights
            elif excess.any():
                slopes += self.effort.slopes(q, v, a, weights)
        near, nearest, slope = self.clearance.violation(q, WIDER * reserve)
        slopes[0] += slope
        return Violation(total + near, max(largest, float(nearest.max())), slopes)

    def resting_excess(self, q: Array) -> Array:
        """Largest excess (m,) of the robot at rest at positions (m, n)."""
        zero = np.zeros_like(q)
        parts = [excess.max(axis=1) for _, _, excess in self._excesses(q, zero, zero, 0.0)]
        excess: Array = np.max([*parts, self.clearance.violation(q)[1]], axis=0)
        return excess

    def excess_at(self, q: Array) -> str:
        """What exceeds most where the robot rests at a pose (n,), in words."""
        zero = np.zeros((1, len(q)))
        *_, (_, torque, excess) = self._excesses(q[None], zero, zero, 0.0)
        joint = int(excess.argmax())
        if excess.max() >= self.clearance.violation(q[None])[1].max():
            name = self.clearance.model.joint_names[joint]
            return (
                f'{name} needs {abs(torque[0, joint]):.4g}, with {self.share:.0%} of its effort '
                f'limit allowed is {self.share * self.limits.effort[joint]:.4g}'
            )
        return self.clearance.nearest(q)

    def _allowed(self) -> tuple[Array, ...]:
        one = self.limits
        limits = (one.half, one.velocity, one.acceleration, one.effort)
        return tuple(self.share * limit for limit in limits)

    def _excesses(
        self, q: Array, v: Array, a: Array, reserve: float
    ) -> Iterator[tuple[int, Array, Array]]:
        """Of positions, velocities, accelerations and torques: values and excesses (m, n)."""
        values = (q - self.limits.middle, v, a, self.effort.total(q, v, a))
        for index, (value, allowed) in enumerate(zip(values, self._allowed(), strict=True)):
            yield index, value, np.maximum(np.abs(value) / allowed - (1.0 - reserve), 0.0)
