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
EMPTY = 'the trajectory has no points, at least one is needed'


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
        rows: (p, 3, k) q, v and a [rad or m, per s, per s^2]; zero where not given.
        has: (p, 3) whether the point gives q, v and a.
    """

    times: Array
    rows: Array
    has: NDArray[np.bool_]

    @classmethod
    def of(cls, points: Sequence[Point]) -> Waypoints:
        """The points as arrays.

        Raises:
            StateError: there is no point, or one has another number of values than the first.
        """
        if not points:
            raise StateError(EMPTY)
        given, shape = [(point.q, point.v, point.a) for point in points], points[0].q.shape
        for index, values in enumerate(given):
            if wrong := [
                each.shape for each in values if each is not None and each.shape != shape
            ]:
                raise StateError(
                    f'point {index} holds a vector of shape {wrong[0]}, the first position has '
                    f'{shape}'
                )
        rows = [[np.zeros(shape) if each is None else each for each in values] for values in given]
        has = [[each is not None for each in values] for values in given]
        return cls(np.array([point.time for point in points]), np.array(rows), np.array(has))

    def __len__(self) -> int:
        """Number of points."""
        return len(self.times)

    def __getitem__(self, index: int) -> Point:
        """The point of that index."""
        (q, v, a), (_, has_v, has_a) = self.rows[index], self.has[index]
        return Point(float(self.times[index]), q, v if has_v else None, a if has_a else None)

    def after(self, first: Point) -> Waypoints:
        """These points with another one before them, which gives all values."""
        one = Waypoints.of([first])
        return Waypoints(
            np.concatenate([one.times, self.times]),
            np.concatenate([one.rows, self.rows]),
            np.concatenate([one.has, self.has]),
        )

    def check(self) -> None:
        """Check that the points make a trajectory.

        Raises:
            StateError: there is no point, the times do not increase, a point gives accelerations
                but no velocities, or numbers that are not finite or not below `RANGE`.
        """
        if not len(self):
            raise StateError(EMPTY)
        if (wrong := _first(self.has[:, 2] & ~self.has[:, 1])) is not None:
            raise StateError(f'point {wrong} gives accelerations but no velocities')
        # Of what is not a number, no comparison holds.
        if (before := _first(~(np.diff(self.times) > 0.0))) is not None:
            raise StateError(
                f'point {before + 1} is at {self.times[before + 1]:g} s, after one at '
                f'{self.times[before]:g} s: times must increase'
            )
        largest = np.abs(self.rows).max(axis=(1, 2))
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
        rows = self.points.rows
        if len(rows) == 1:
            return rows[0].copy()
        if time < self.start or time >= self.end:
            rest = np.zeros_like(rows[0])
            rest[0] = rows[0 if time < self.start else -1, 0]
            return rest
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
        motion = points.rows.swapaxes(0, 1).copy()
        # The constant coefficients: the polynomials at their begin.
        begins = self._segments[:, 0].reshape(len(self._segments), *motion[:, 0].shape)
        for row in (1, 2):
            missing = np.flatnonzero(~points.has[:-1, row])
            motion[row, missing] = begins[missing, row]
        return motion


def _segments(points: Waypoints) -> Array:
    """Coefficients (p - 1, 6, 3 k) of q, v and a in powers of the time since each point."""
    # Powers of the durations, (p - 1, 6, 1).
    powers = (np.diff(points.times)[:, None] ** EXPONENTS)[:, :, None]
    rows = points.rows
    position = np.zeros((len(points) - 1, EXPONENTS.size, rows.shape[2]))
    # At each end of a segment: positions; with velocities; with accelerations too.
    conditions = (points.has[:-1] & points.has[1:]).sum(axis=1)
    for given in (1, 2, 3):
        chosen = np.flatnonzero(conditions == given)
        ends = [rows[end, :given] * powers[chosen, :given] for end in (chosen, chosen + 1)]
        position[chosen, : 2 * given] = _interpolation(2 * given) @ np.concatenate(ends, axis=1)
    position /= powers
    velocity = _differentiate(position)
    return np.concatenate([position, velocity, _differentiate(velocity)], axis=2)


@cache
def _interpolation(order: int) -> Array:
    """Matrix (order, order) from derivatives at both ends of the unit interval to coefficients.

    Over that interval the system is well conditioned, for any duration of the segment.
    """
    powers = [np.polynomial.Polynomial.basis(exponent) for exponent in range(order)]
    system = [
        [power.deriv(k)(end) for power in powers] for end in (0.0, 1.0) for k in range(order // 2)
    ]
    return np.linalg.inv(np.array(system))


def _differentiate(coefficients: Array) -> Array:
    derivative = np.zeros_like(coefficients)
    derivative[:, :-1] = coefficients[:, 1:] * EXPONENTS[1:, None]
    return derivative


def _first(wrong: NDArray[np.bool_]) -> int | None:
    """Index of the first that is true; None if none is."""
    found = np.flatnonzero(wrong)
    return int(found[0]) if found.size else None
