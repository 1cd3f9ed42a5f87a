"""By how much a motion comes too near to the robot itself, or to the floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Protocol

import numpy as np

from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.checks import Array

from .body_motion import BodyMotion, Indices
from .capsule_distances import CapsuleDistances
from .collision_shapes import Shape, collision_shapes
from .link_frames import frame_capsules

# A pair of bodies that is too near at this share of random poses cannot be kept apart.
ALWAYS = 0.95


class Distances(Protocol):
    """Computes distances between shapes."""

    words: str

    def measure(self, poses: Array, pairs: Indices, cutoff: float) -> tuple[Array, Array]:
        """See `CapsuleDistances.measure`."""


@dataclass(frozen=True)
class Nearness:
    """How near the bodies come, at m poses.

    Attributes:
        apart: (m,) smallest distance of two bodies [m]; at most the cutoff of `Clearance.at`.
        height: (m,) smallest height above the floor [m]; infinite without floor.
        pair: names of the two bodies that come nearest; empty if nothing is checked.
    """

    apart: Array
    height: Array
    pair: tuple[str, ...]


class Clearance:
    """Which bodies are kept apart, and from the floor.

    Bodies next to each other in the tree are not checked, nor are those that are too near at
    nearly all random poses: their geometry overlaps at a common joint.

    Attributes:
        distance: to keep [m].
        floor: height in the base frame [m]; None for no floor.
        words: which geometry is used.
        not_checked: which bodies are not checked beside neighbours, as sentences.
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
        self.motion = BodyMotion(dynamics)
        self.distance, self.floor = distance, floor
        self.model = dynamics.model
        self._shapes, said = _shapes(self.model, urdf, folder)
        self._bodies = np.array(
            [self.model.frames[shape.frame].body for shape in self._shapes], dtype=np.intp
        )
        self._distances = _distances(self._shapes, mujoco)
        self.words = '; '.join([self._distances.words, *said])
        self._pairs, self._above, self.not_checked = self._chosen(poses)

    def at(self, q: Array, cutoff: float) -> Nearness:
        """How near bodies come at positions (m, n), distances up to a cutoff [m]."""
        poses = self.motion.poses(q)
        apart, pair = np.full(len(q), np.inf), ()
        if len(self._pairs):
            distances, _ = self._distances.measure(poses, self._pairs, cutoff)
            apart = distances.min(axis=1)
            nearest = self._pairs[np.unravel_index(distances.argmin(), distances.shape)[1]]
            pair = tuple(self._name(body) for body in self._bodies[nearest])
        heights, _ = self._heights(poses)
        return Nearness(apart, heights.min(axis=1, initial=np.inf), pair)

    def violation(self, q: Array) -> tuple[float, Array, Array]:
        """How much distances are too small, relative to the distance to keep.

        Args:
            q: (m, n) positions.

        Returns:
            The sum of squares, the largest of each sample (m,), and the slope of the sum (m, n).
        """
        poses = self.motion.poses(q)
        slope, largest = np.zeros_like(q), np.zeros(len(q))
        total = 0.0
        if len(self._pairs):
            distances, points = self._distances.measure(poses, self._pairs, self.distance)
            excess = np.maximum(1.0 - distances / self.distance, 0.0)
            samples, pairs = np.nonzero(excess)
            between = points[samples, pairs, 1] - points[samples, pairs, 0]
            lengths = np.linalg.norm(between, axis=1)
            # The points of shapes that overlap are on the far sides of each other.
            inner = np.sign(distances[samples, pairs])
            inner = np.where(self._exchanged, inner, 1.0)
            towards = between * (inner / np.maximum(lengths, 1e-12))[:, None]
            for end, sign in ((1, 1.0), (0, -1.0)):
                bodies = self._bodies[self._pairs[pairs, end]]
                rates = self.motion.rates(
                    poses[samples], bodies, points[samples, pairs, end], sign * towards
                )
                change = -2.0 / self.distance * excess[samples, pairs][:, None] * rates
                np.add.at(slope, samples, change)
            total += float((excess**2).sum())
            largest = excess.max(axis=1)
        total += self._floor_violation(poses, slope, largest)
        return total, largest, slope

    @property
    def _exchanged(self) -> bool:
        """Whether the closest points of shapes that overlap are exchanged."""
        return not isinstance(self._distances, CapsuleDistances)

    def _floor_violation(self, poses: Array, slope: Array, largest: Array) -> float:
        """Add to the slope (m, n) and the largest violations (m,); the sum of squares."""
        heights, points = self._heights(poses)
        excess = np.maximum(1.0 - heights / self.distance, 0.0)
        samples, bodies = np.nonzero(excess)
        up = np.broadcast_to([0.0, 0.0, 1.0], (len(samples), 3))
        carried = self._bodies[self._above[bodies]]
        rates = self.motion.rates(poses[samples], carried, points[samples, bodies], up)
        change = -2.0 / self.distance * excess[samples, bodies][:, None] * rates
        np.add.at(slope, samples, change)
        np.maximum(largest, excess.max(axis=1, initial=0.0), out=largest)
        return float((excess**2).sum())

    def _heights(self, poses: Array) -> tuple[Array, Array]:
        """Heights (m, k) above the floor of the shapes that are kept above, lowest points."""
        return self._lowest(poses, self._above if self.floor is not None else self._above[:0])

    def _lowest(self, poses: Array, chosen: Indices) -> tuple[Array, Array]:
        heights = np.empty((len(poses), len(chosen)))
        points = np.empty((len(poses), len(chosen), 3))
        for column, index in enumerate(chosen):
            shape = self._shapes[index]
            carrier = poses[:, shape.frame]
            z = carrier[:, 2, :3] @ shape.points.T
            lowest = shape.points[z.argmin(axis=1)]
            points[:, column] = np.einsum('mab,mb->ma', carrier[..., :3], lowest) + carrier[..., 3]
            heights[:, column] = points[:, column, 2] - shape.radius - (self.floor or 0.0)
        return heights, points

    def _chosen(self, q: Array) -> tuple[Indices, Indices, tuple[str, ...]]:
        """Pairs (k, 2) and shapes above the floor, and what is left out."""
        poses = self.motion.poses(q)
        said = []
        pairs = self._apart_in_the_tree()
        if len(pairs):
            near = self._distances.measure(poses, pairs, self.distance)[0] < self.distance
            often = near.mean(axis=0) > ALWAYS
            said += [
                f'{self._name(a)} and {self._name(b)} are always near each other'
                for a, b in sorted({tuple(self._bodies[pair]) for pair in pairs[often]})
            ]
            pairs = pairs[~often]
        moving = np.flatnonzero(self._bodies >= 0)
        heights, _ = self._lowest(poses, moving)
        low = (heights < self.distance).mean(axis=0) > ALWAYS
        if self.floor is not None:
            said += [
                f'{self._name(body)} is always near the floor'
                for body in sorted(set(self._bodies[moving[low]]))
            ]
        return pairs, moving[~low], tuple(said)

    def _apart_in_the_tree(self) -> Indices:
        """Pairs (k, 2) of shapes whose bodies are not the same, nor joined by a joint."""
        parents = [joint.parent for joint in self.model.joints]
        joined = {(parent, body) for body, parent in enumerate(parents)}
        pairs = [
            (a, b)
            for a, b in combinations(range(len(self._shapes)), 2)
            if (first := min(self._bodies[[a, b]])) != (second := max(self._bodies[[a, b]]))
            and (first, second) not in joined
        ]
        return np.array(pairs, dtype=np.intp).reshape(-1, 2)

    def _name(self, body: int) -> str:
        """The first link of a body."""
        return next(frame.name for frame in self.model.frames if frame.body == body)


def _shapes(model: RobotModel, urdf: str, folder: Path | None) -> tuple[list[Shape], list[str]]:
    """The shapes of all bodies, and what is said about them."""
    loaded = collision_shapes(model, urdf, folder)
    bodies = {model.frames[shape.frame].body for shape in loaded.shapes}
    massive = {i for i, joint in enumerate(model.joints) if joint.inertia.mass > 0.0}
    broken = {model.frame(name).body for name in loaded.missing}
    replaced = (massive - bodies) | broken
    said = [f'{name}: {why}' for name, why in loaded.missing.items()]
    if replaced:
        named = [frame.name for frame in model.frames if frame.body in replaced]
        said.append(
            f'capsules along the link frames, of an assumed radius, for {", ".join(named)}'
        )
    return [*loaded.shapes, *frame_capsules(model, replaced)], said


def _distances(shapes: Sequence[Shape], mujoco: bool) -> Distances:
    if mujoco and shapes:
        try:
            # Optional: without it, capsules are used.
            from .mujoco_distances import MujocoDistances

            return MujocoDistances(shapes)
        except (ImportError, ValueError):
            pass
    return CapsuleDistances(shapes)
