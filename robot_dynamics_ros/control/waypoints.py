"""The points of a trajectory as arrays: a thousand of them are checked and used at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

# A position, velocity or acceleration from here on is refused [rad or m, per s, per s^2].
RANGE = 1e6


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


def _arrays(points: Waypoints) -> tuple[NDArray[np.generic], ...]:
    return points.times, points.q, points.v, points.a, points.has_v, points.has_a


def _first(wrong: NDArray[np.bool_]) -> int | None:
    """Index of the first that is true; None if none is."""
    found = np.flatnonzero(wrong)
    return int(found[0]) if found.size else None
