"""A reference motion: points in time, and the interpolation between them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError


@dataclass(frozen=True)
class Point:
    """A reference at one time.

    Attributes:
        time: [s], on any clock.
        q: (n,) positions [rad or m].
        v: (n,) velocities [rad/s or m/s]; None if not given.
        a: (n,) accelerations [rad/s^2 or m/s^2]; None if not given.
    """

    time: float
    q: Array
    v: Array | None = None
    a: Array | None = None


# A position, velocity or acceleration from here on is refused [rad or m, per s, per s^2].
RANGE = 1e6
# Exponents of the polynomials, up to the quintic.
EXPONENTS = np.arange(6.0)


class Trajectory:
    """Interpolates between points as joint_trajectory_controller does.

    A segment is linear if one of its two points gives positions alone, cubic if both give
    velocities, quintic if both give accelerations too. Before the first point and after the last
    one the reference rests there. A single point keeps its velocities and accelerations.

    Attributes:
        points: of the motion, in the order of time.
    """

    def __init__(self, points: Sequence[Point]) -> None:
        """Fit the polynomials between the points.

        Args:
            points: in the order of time.

        Raises:
            StateError: there is no point, the times do not increase, or a point gives
                accelerations but no velocities, another number of values than the first, or
                numbers that are not finite or not below `RANGE`.
        """
        if not points:
            raise StateError('the trajectory has no points, at least one is needed')
        for index, point in enumerate(points):
            if point.a is not None and point.v is None:
                raise StateError(f'point {index} gives accelerations but no velocities')
            if index and not point.time > points[index - 1].time:
                raise StateError(
                    f'point {index} is at {point.time:g} s, after one at '
                    f'{points[index - 1].time:g} s: times must increase'
                )
            if wrong := [given for given in _given(point) if given.shape != points[0].q.shape]:
                raise StateError(
                    f'point {index} holds a vector of shape {wrong[0].shape}, the first position '
                    f'has {points[0].q.shape}'
                )
            largest = max(float(np.abs(given).max()) for given in _given(point))
            if not largest < RANGE:
                problem = 'too large' if largest >= RANGE else 'it must be finite'
                raise StateError(f'point {index} holds {largest:.3g}: {problem}')
        self.points = tuple(points)
        self._starts = [point.time for point in points[:-1]]
        self._first, self._last = points[0], points[-1]
        self._segments = [_segment(before, after) for before, after in pairwise(points)]

    @property
    def start(self) -> float:
        """Time of the first point [s]."""
        return self._first.time

    @property
    def end(self) -> float:
        """Time of the last point [s]."""
        return self._last.time

    def at(self, time: float) -> Array:
        """Rows q, v and a (3, n) at a time [s] [rad or m, per s, per s^2]."""
        if not self._segments:
            return _rows(self._first.q, self._first.v, self._first.a)
        if time < self.start or time >= self.end:
            return _rows(self._first.q if time < self.start else self._last.q)
        index = bisect_right(self._starts, time) - 1
        t = time - self._starts[index]
        powers = np.array([1.0, t, t**2, t**3, t**4, t**5])
        rows: Array = (powers @ self._segments[index]).reshape(3, -1)
        return rows


def _given(point: Point) -> list[Array]:
    return [values for values in (point.q, point.v, point.a) if values is not None]


def _rows(q: Array, v: Array | None = None, a: Array | None = None) -> Array:
    rest = np.zeros_like(q)
    return np.array([q, rest if v is None else v, rest if a is None else a])


def _segment(before: Point, after: Point) -> Array:
    """Coefficients (6, 3 n) of q, v and a in powers of the time since `before`."""
    duration = after.time - before.time
    conditions = [before.q, after.q]
    if before.v is not None and after.v is not None:
        conditions = [before.q, before.v, after.q, after.v]
        if before.a is not None and after.a is not None:
            conditions = [before.q, before.v, before.a, after.q, after.v, after.a]
    order = len(conditions)
    ends = np.array(conditions).reshape(2, order // 2, -1)
    scaled = ends * duration ** EXPONENTS[: order // 2, None]
    position = np.zeros((6, before.q.size))
    position[:order] = _interpolation(order) @ scaled.reshape(order, -1)
    position /= (duration**EXPONENTS)[:, None]
    velocity = _differentiate(position)
    return np.hstack([position, velocity, _differentiate(velocity)])


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
    derivative[:-1] = coefficients[1:] * EXPONENTS[1:, None]
    return derivative
