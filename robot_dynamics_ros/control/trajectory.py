"""A reference motion: points in time, and the interpolation between them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.core.checks import Array

from .waypoints import Point, Waypoints

__all__ = ['Point', 'Trajectory']

# Exponents of the polynomials, up to the quintic.
EXPONENTS = np.arange(6.0)


class Trajectory:
    """Interpolates between points as joint_trajectory_controller does.

    A segment is linear if one of its two points gives positions alone, cubic if both give
    velocities, quintic if both give accelerations too. Before the first point and after the last
    one the reference rests there. A single point keeps its velocities and accelerations.

    Attributes:
        points: of the motion, p of them.
    """

    def __init__(self, points: Sequence[Point] | Waypoints) -> None:
        """Fit the polynomials between the points.

        Args:
            points: in the order of time.

        Raises:
            StateError: there is no point, the times do not increase, or a point gives
                accelerations but no velocities, another number of values than the first, or
                numbers that are not finite or not below `RANGE`.
        """
        self.points = points if isinstance(points, Waypoints) else Waypoints.of(points)
        self.points.check()
        self._times = self.points.times.tolist()
        self._segments = _segments(self.points)

    @property
    def start(self) -> float:
        """Time of the first point [s]."""
        return float(self._times[0])

    @property
    def end(self) -> float:
        """Time of the last point [s]."""
        return float(self._times[-1])

    def at(self, time: float) -> Array:
        """Rows q, v and a (3, k) at a time [s] [rad or m, per s, per s^2]."""
        points = self.points
        if len(self._times) == 1:
            return np.array([points.q[0], points.v[0], points.a[0]])
        if time < self.start or time >= self.end:
            rest = np.zeros_like(points.q[0])
            return np.array([points.q[0] if time < self.start else points.q[-1], rest, rest])
        index = bisect_right(self._times, time) - 1
        t = time - self._times[index]
        powers = np.array([1.0, t, t**2, t**3, t**4, t**5])
        rows: Array = (powers @ self._segments[index]).reshape(3, -1)
        return rows

    def at_points(self) -> Array:
        """Rows q, v and a at every point, shape (3, p, k) [rad or m, per s, per s^2].

        Velocities and accelerations that a point does not give are those just after it: of the
        polynomial that begins there, and zero at the last point, where the reference rests.
        """
        points = self.points
        motion = np.array([points.q, points.v, points.a])
        # The constant coefficients: the polynomials at their begin.
        begins = self._segments[:, 0].reshape(len(points) - 1, *motion[:, 0].shape)
        for row, given in ((1, points.has_v), (2, points.has_a)):
            missing = np.flatnonzero(~given[:-1])
            motion[row, missing] = begins[missing, row]
        return motion


def _segments(points: Waypoints) -> Array:
    """Coefficients (p - 1, 6, 3 k) of q, v and a in powers of the time since each point."""
    # Powers of the durations, (p - 1, 6, 1).
    powers = (np.diff(points.times)[:, None] ** EXPONENTS)[:, :, None]
    position = np.zeros((len(points) - 1, EXPONENTS.size, points.q.shape[1]))
    # At each end of a segment: positions; with velocities; with accelerations too.
    conditions = 1 + _both(points.has_v) * (1 + _both(points.has_a))
    rows = np.stack([points.q, points.v, points.a], axis=1)
    for given in (1, 2, 3):
        chosen = np.flatnonzero(conditions == given)
        ends = [rows[end, :given] * powers[chosen, :given] for end in (chosen, chosen + 1)]
        position[chosen, : 2 * given] = _interpolation(2 * given) @ np.concatenate(ends, axis=1)
    position /= powers
    velocity = _differentiate(position)
    return np.concatenate([position, velocity, _differentiate(velocity)], axis=2)


def _both(given: NDArray[np.bool_]) -> NDArray[np.intp]:
    """For each segment: whether both of its ends give something; 1 or 0."""
    return (given[:-1] & given[1:]).astype(np.intp)


@cache
def _interpolation(order: int) -> Array:
    """Matrix (order, order) from derivatives at both ends of the unit interval to coefficients.

    Over that interval the system is well conditioned, for any duration of the segment.
    """
    # Row k of each half: the k-th derivative of the powers, at the start and at the end.
    system = [
        _powers(t, derivative, order) for t in (0.0, 1.0) for derivative in range(order // 2)
    ]
    inverse: Array = np.linalg.inv(np.array(system))
    return inverse


def _powers(t: float, derivative: int, order: int) -> list[float]:
    """The derivative of 1, t, t^2, ... at t."""
    return [
        float(np.prod(np.arange(k, k - derivative, -1.0))) * t ** max(k - derivative, 0)
        if k >= derivative
        else 0.0
        for k in range(order)
    ]


def _differentiate(coefficients: Array) -> Array:
    derivative = np.zeros_like(coefficients)
    derivative[:, :-1] = coefficients[:, 1:] * EXPONENTS[1:, None]
    return derivative
