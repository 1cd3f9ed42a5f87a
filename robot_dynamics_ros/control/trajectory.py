"""A reference motion: points in time, and the interpolation between them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

# A position, velocity or acceleration from here on is refused [rad or m, per s, per s^2].
RANGE = 1e6
# Exponents of the polynomials, up to the quintic.
EXPONENTS = np.arange(6.0)


@dataclass(frozen=True)
class Point:
    """A reference at one time.

    Attributes:
        time: [s], on any clock.
        q: (k,) positions [rad or m].
        v: (k,) velocities [rad/s or m/s]; None if not given.
        a: (k,) accelerations [rad/s^2 or m/s^2]; None if not given.
    """

    time: float
    q: Array
    v: Array | None = None
    a: Array | None = None


@dataclass(frozen=True)
class Waypoints:
    """The p points of a trajectory of k joints.

    Attributes:
        times: (p,) [s], on any clock.
        q: (p, k) positions [rad or m].
        v: (p, k) velocities [rad/s or m/s]; zero where none is given.
        a: (p, k) accelerations [rad/s^2 or m/s^2]; zero where none is given.
        has_v: (p,) whether the point gives velocities.
        has_a: (p,) whether the point gives accelerations.
    """

    times: Array
    q: Array
    v: Array
    a: Array
    has_v: NDArray[np.bool_]
    has_a: NDArray[np.bool_]

    @classmethod
    def of(cls, points: Sequence[Point]) -> Waypoints:
        """The points as arrays.

        Raises:
            StateError: there is no point, or one has another number of values than the first.
        """
        if not points:
            raise StateError('the trajectory has no points, at least one is needed')
        shape = points[0].q.shape
        for index, point in enumerate(points):
            for values in (point.q, point.v, point.a):
                if values is not None and values.shape != shape:
                    raise StateError(
                        f'point {index} holds a vector of shape {values.shape}, the first '
                        f'position has {shape}'
                    )
        rest = np.zeros(shape)
        return cls(
            np.array([point.time for point in points]),
            np.array([point.q for point in points]),
            np.array([rest if point.v is None else point.v for point in points]),
            np.array([rest if point.a is None else point.a for point in points]),
            np.array([point.v is not None for point in points]),
            np.array([point.a is not None for point in points]),
        )

    def __len__(self) -> int:
        """Number of points."""
        return len(self.times)

    def __getitem__(self, index: int) -> Point:
        """The point of that index."""
        return Point(
            float(self.times[index]),
            self.q[index],
            self.v[index] if self.has_v[index] else None,
            self.a[index] if self.has_a[index] else None,
        )

    def after(self, first: Point) -> Waypoints:
        """These points with another one before them, which gives all values."""
        joined = zip(_arrays(Waypoints.of([first])), _arrays(self), strict=True)
        return Waypoints(*(np.concatenate(pair) for pair in joined))

    def check(self) -> None:
        """Check that the points make a trajectory.

        Raises:
            StateError: there is no point, the times do not increase, a point gives accelerations
                but no velocities, or numbers that are not finite or not below `RANGE`.
        """
        if not len(self):
            raise StateError('the trajectory has no points, at least one is needed')
        if (wrong := _first(self.has_a & ~self.has_v)) is not None:
            raise StateError(f'point {wrong} gives accelerations but no velocities')
        # Of what is not a number, no comparison holds.
        if (before := _first(~(np.diff(self.times) > 0.0))) is not None:
            raise StateError(
                f'point {before + 1} is at {self.times[before + 1]:g} s, after one at '
                f'{self.times[before]:g} s: times must increase'
            )
        largest = np.abs([self.q, self.v, self.a]).max(axis=(0, 2))
        if (index := _first(~(largest < RANGE))) is not None:
            problem = 'too large' if largest[index] >= RANGE else 'it must be finite'
            raise StateError(f'point {index} holds {largest[index]:.3g}: {problem}')


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
        return (powers @ self._segments[index]).reshape(3, -1)

    def at_points(self) -> Array:
        """Rows q, v and a at every point, shape (3, p, k) [rad or m, per s, per s^2].

        Velocities and accelerations that a point does not give are those just after it: of the
        polynomial that begins there, and zero at the last point, where the reference rests.
        """
        points = self.points
        motion = np.array([points.q, points.v, points.a])
        # The constant coefficients: the polynomials at their begin.
        begins = self._segments[:, 0].reshape(len(self._segments), *motion[:, 0].shape)
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
    return np.linalg.inv(np.array(system))


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


def _arrays(points: Waypoints) -> tuple[NDArray[np.generic], ...]:
    return points.times, points.q, points.v, points.a, points.has_v, points.has_a


def _first(wrong: NDArray[np.bool_]) -> int | None:
    """Index of the first that is true; None if none is."""
    found = np.flatnonzero(wrong)
    return int(found[0]) if found.size else None
