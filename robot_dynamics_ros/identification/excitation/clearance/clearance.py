"""By how much a motion comes too near to the robot itself, or to the floor."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.checks import Array

from .body_motion import BodyMotion
from .body_shapes import BodyShapes
from .kept_distances import KeptDistances


@dataclass(frozen=True)
class Nearness:
    """How near bodies come at poses that follow each other.

    Bodies that are exceptions are not among the distances.

    Attributes:
        apart: (m, k) distances of pairs, at most the cutoff [m].
        height: (m, h) heights above the floor of shapes [m].
        pair: names of the two bodies that come nearest; empty if none are checked.
        kept: whether all distances are kept, between the poses too, and those of exceptions.
    """

    apart: Array
    height: Array
    pair: tuple[str, ...]
    kept: bool


class Clearance:
    """Distances between bodies that are to be kept, and from the floor.

    Attributes:
        model: the robot.
        distance: to keep [m].
        floor: height in the base frame [m]; None for no floor.
        words: which geometry is used.
        exceptions: bodies with a smaller distance or none, as sentences.
        unchecked: links whose own geometry is not checked, and why, as sentences.
        unread: links whose <collision> could not be used.
    """

    def __init__(
        self,
        dynamics: RobotDynamics,
        urdf: str,
        folder: Path | None,
        poses: Array,
        *,
        distance: float,
        floor: float | None,
        mujoco: bool = True,
    ) -> None:
        """Read the geometry, and choose what is checked.

        Args:
            dynamics: of the robot.
            urdf: text of its description.
            folder: of its file, for meshes; None if it is from elsewhere.
            poses: (m, n) random positions, among which those of the motion will be.
            distance: to keep [m].
            floor: height in the base frame [m]; None for no floor.
            mujoco: whether to use MuJoCo where it is installed.
        """
        self.model, self.distance, self.floor = dynamics.model, distance, floor
        self._motion = BodyMotion(dynamics)
        self._shapes = BodyShapes.of(dynamics.model, urdf, folder, mujoco)
        self._kept = KeptDistances.of(self._shapes, self._motion.poses(poses), distance, floor)
        self.words, self.exceptions = self._shapes.words, self._kept.exceptions
        self.unchecked, self.unread = self._shapes.unchecked, self._shapes.unread

    @property
    def pairs(self) -> set[tuple[str, str]]:
        """Names of the bodies that are kept apart."""
        bodies = self._shapes.bodies[self._kept.pairs]
        return {(self._shapes.name(a), self._shapes.name(b)) for a, b in np.sort(bodies, axis=1)}

    def at(self, q: Array, cutoff: float) -> Nearness:
        """How near bodies come at positions (m, n), distances up to a cutoff [m]."""
        poses = self._motion.poses(q)
        kept = self._kept
        apart, _ = self._measured(poses, cutoff)
        height = self._shapes.lowest(poses, kept.above)[0] - (self.floor or 0.0)
        holds = (below_samples(apart) >= kept.apart).all()
        holds &= (below_samples(height) >= kept.height).all()
        whole = kept.apart == self.distance
        apart, pairs = apart[:, whole], kept.pairs[whole]
        pair: tuple[str, ...] = ()
        if apart.size:
            nearest = pairs[np.unravel_index(apart.argmin(), apart.shape)[1]]
            pair = tuple(self._shapes.name(body) for body in self._shapes.bodies[nearest])
        return Nearness(apart, height[:, kept.height == self.distance], pair, bool(holds))

    def nearest(self, q: Array) -> str:
        """Which distance is too small at a pose (n,), the most relative to that to keep."""
        poses = self._motion.poses(q[None])
        kept, shapes = self._kept, self._shapes
        apart = self._measured(poses, self.distance)[0][0]
        height = shapes.lowest(poses, kept.above)[0][0] - (self.floor or 0.0)
        ratios = np.concatenate([apart / kept.apart, height / kept.height])
        index = int(ratios.argmin())
        if index >= len(apart):
            index -= len(apart)
            what = (
                f'{shapes.name(shapes.bodies[kept.above[index]])} is {height[index]:.3f} m above'
            )
            return f'{what} the floor, needed are {kept.height[index]:.3f} m'
        names = [shapes.name(body) for body in shapes.bodies[kept.pairs[index]]]
        return (
            f'{names[0]} and {names[1]} are {apart[index]:.3f} m apart, needed are '
            f'{kept.apart[index]:.3f} m'
        )

    def violation(self, q: Array, reserve: float = 0.0) -> tuple[float, Array, Array]:
        """How much distances are too small, relative to those to keep.

        Args:
            q: (m, n) positions.
            reserve: share by which distances are to be larger.

        Returns:
            The sum of squares, the largest of each sample (m,), and the slope of the sum (m, n).
        """
        poses = self._motion.poses(q)
        slope, largest = np.zeros_like(q), np.zeros(len(q))
        total = self._add_pairs(poses, 1.0 + reserve, slope, largest)
        total += self._add_heights(poses, 1.0 + reserve, slope, largest)
        return total, largest, slope

    def _measured(self, poses: Array, cutoff: float) -> tuple[Array, Array]:
        if not len(self._kept.pairs):
            return np.empty((len(poses), 0)), np.empty((len(poses), 0, 2, 3))
        return self._shapes.distances.measure(poses, self._kept.pairs, cutoff)

    def _add_pairs(self, poses: Array, factor: float, slope: Array, largest: Array) -> float:
        """Add to the slope (m, n) and the largest violations (m,); the sum of squares."""
        needed = factor * self._kept.apart
        distances, points = self._measured(poses, factor * self.distance)
        excess = np.maximum(1.0 - distances / needed, 0.0)
        samples, pairs = np.nonzero(excess)
        between = points[samples, pairs, 1] - points[samples, pairs, 0]
        sign = np.where(distances[samples, pairs] < 0.0, -1.0, 1.0)
        if not self._shapes.distances.exchanged:
            sign = np.ones_like(sign)
        lengths = np.maximum(np.linalg.norm(between, axis=1), 1e-12)
        away = between * (sign / lengths)[:, None]
        for end, direction in ((1, away), (0, -away)):
            bodies = self._shapes.bodies[self._kept.pairs[pairs, end]]
            rates = self._motion.rates(
                poses[samples], bodies, points[samples, pairs, end], direction
            )
            change = (-2.0 * excess[samples, pairs] / needed[pairs])[:, None] * rates
            np.add.at(slope, samples, change)
        np.maximum(largest, excess.max(axis=1, initial=0.0), out=largest)
        return float((excess**2).sum())

    def _add_heights(self, poses: Array, factor: float, slope: Array, largest: Array) -> float:
        """The same of the heights above the floor."""
        needed = factor * self._kept.height
        heights, points = self._shapes.lowest(poses, self._kept.above)
        excess = np.maximum(1.0 - (heights - (self.floor or 0.0)) / needed, 0.0)
        samples, chosen = np.nonzero(excess)
        bodies = self._shapes.bodies[self._kept.above[chosen]]
        up = np.broadcast_to([0.0, 0.0, 1.0], (len(samples), 3))
        rates = self._motion.rates(poses[samples], bodies, points[samples, chosen], up)
        change = (-2.0 * excess[samples, chosen] / needed[chosen])[:, None] * rates
        np.add.at(slope, samples, change)
        np.maximum(largest, excess.max(axis=1, initial=0.0), out=largest)
        return float((excess**2).sum())


def below_samples(distances: Array) -> Array:
    """Lower bounds (m, k) of distances about their samples (m, k).

    Half of the second difference is subtracted where it is positive: the least that a V-shaped
    minimum between two samples can reach.
    """
    bound = distances.copy()
    curvature = np.maximum(np.diff(distances, 2, axis=0), 0.0) / 2.0
    if len(curvature):
        bound[1:-1] -= curvature
        bound[0] -= curvature[0]
        bound[-1] -= curvature[-1]
    return bound
