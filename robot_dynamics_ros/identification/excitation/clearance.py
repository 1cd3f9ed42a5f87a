"""Distances between the bodies of a robot, and from a floor, that a motion keeps."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError

from .collision_geometry import CollisionGeometry, Indices

# What all but this share of random poses keep, is a distance that bodies can have.
RARE = 0.05
# [m]: bodies that are nearer at nearly all poses count as overlapping.
TOUCHING = 0.005
# [m]: a height that changes less over all poses is not changed by the motion.
CONSTANT = 1e-3


class Nearness(NamedTuple):
    """How near bodies come along a motion, between its samples too; exceptions do not count.

    Attributes:
        apart: smallest distance of two bodies; infinite if none are checked [m].
        pair: names of these bodies; empty if none are checked.
        height: smallest height above the floor; infinite if none is checked [m].
        kept: whether each distance is kept, those of exceptions too.
    """

    apart: float
    pair: tuple[str, ...]
    height: float
    kept: bool


class Clearance:
    """Distances that are kept between bodies that no joint joins, and from the floor.

    Where bodies are nearer at nearly all poses than the distance that is asked for, half of what
    they reach is kept; where they overlap at nearly all poses, as hulls around a common joint do,
    nothing.

    Attributes:
        distance: to keep [m].
        geometry: of the robot and the floor.
        exceptions: bodies with a smaller distance or none, as sentences.
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
    ) -> None:
        """Read the geometry, and choose what is checked.

        Args:
            dynamics: of the robot.
            urdf: text of the URDF.
            folder: of its file, for meshes; None if it is from elsewhere.
            poses: (m, n) random positions, among which those of the motion will be.
            distance: to keep [m].
            floor: height in the base frame [m]; None for no floor.

        Raises:
            ParameterError: a body that moves is hardly ever above the floor.
        """
        joints = dynamics.model.joints
        self.distance, self._dynamics = distance, dynamics
        self.geometry = CollisionGeometry(dynamics.model, urdf, folder, floor or 0.0)
        # Solids whose bodies are neither the same nor joined, then those above the floor.
        bodies, ground = self.geometry.bodies, self.geometry.floor
        apart = {(joint.parent, body) for body, joint in enumerate(joints)}
        apart |= {(body, body) for body in range(-1, len(joints))}
        pairs = [
            pair
            for pair in combinations(range(ground), 2)
            if tuple(sorted(bodies[[*pair]].tolist())) not in apart
        ]
        if floor is not None:
            pairs += [(ground, solid) for solid in range(ground) if bodies[solid] >= 0]
        self._pairs, self._needed, self.exceptions = self._chosen(
            np.array(pairs, np.intp).reshape(-1, 2), poses
        )
        self._above = (self._pairs == ground).any(axis=1)

    def distances(self, q: Array, cutoff: float) -> Array:
        """Distances (m, k) of all pairs at positions (m, n), heights last, up to a cutoff [m]."""
        return self.geometry.measure(self._dynamics.frame_poses(q), self._pairs, cutoff)[0]

    def along(self, q: Array, cutoff: float) -> Nearness:
        """How near bodies come at positions (m, n) that follow each other, up to a cutoff [m]."""
        least = below_samples(self.distances(q, cutoff)).min(axis=0)
        whole = self._needed == self.distance
        apart = np.where(whole & ~self._above, least, np.inf)
        return Nearness(
            float(apart.min(initial=np.inf)),
            self._names(self._pairs[apart.argmin()]) if np.isfinite(apart).any() else (),
            float(least[whole & self._above].min(initial=np.inf)),
            bool((least >= self._needed).all()),
        )

    def nearest(self, q: Array) -> str:
        """Which distance is too small at a pose (n,), the most relative to that to keep."""
        distances = self.distances(q[None], self.distance)[0]
        index = int((distances / self._needed).argmin())
        words = self._words(self._pairs[index], distances[index])
        return f'{words}, needed are {self._needed[index]:.3f} m'

    def violation(self, q: Array, reserve: float = 0.0) -> tuple[float, Array, Array]:
        """How much distances are too small, relative to those to keep.

        Args:
            q: (m, n) positions.
            reserve: share by which distances are to be larger.

        Returns:
            The sum of squares, the largest of each sample (m,), and the slope of the sum (m, n).
        """
        poses = self._dynamics.frame_poses(q)
        needed = (1.0 + reserve) * self._needed
        distances, points, normals = self.geometry.measure(poses, self._pairs, needed)
        excess = np.maximum(1.0 - distances / needed, 0.0)
        slope = np.zeros_like(q)
        samples, pairs = np.nonzero(excess)
        change = -2.0 * excess[samples, pairs] / needed[pairs]
        for end, sign in ((0, -1.0), (1, 1.0)):
            bodies = self.geometry.bodies[self._pairs[pairs, end]]
            for body in np.unique(bodies[bodies >= 0]):
                own = bodies == body
                at, which = samples[own], pairs[own]
                # J^T F of a force along the normal at the point, about the origin of the frame.
                arms = points[at, which, end] - poses[at, self.geometry.frames[body + 1], :, 3]
                forces = np.hstack([normals[at, which], np.cross(arms, normals[at, which])])
                jacobian = self._dynamics.jacobian(q[at], self.geometry.name(body))
                along = np.einsum('ki,kij->kj', forces, jacobian)
                np.add.at(slope, at, sign * change[own, None] * along)
        return float((excess**2).sum()), excess.max(axis=1, initial=0.0), slope

    def _chosen(self, pairs: Indices, q: Array) -> tuple[Indices, Array, tuple[str, ...]]:
        """Pairs that are checked, the distances that they keep, and the exceptions."""
        measured = self.geometry.measure(self._dynamics.frame_poses(q), pairs, self.distance)[0]
        above = pairs[:, 0] == self.geometry.floor
        ends = np.column_stack([above, np.sort(self.geometry.bodies[pairs], axis=1)])
        needed, said = np.zeros(len(pairs)), []
        for of_bodies in np.unique(ends, axis=0):
            same = np.flatnonzero((ends == of_bodies).all(axis=1))
            smallest = measured[:, same].min(axis=1)
            reached = float(np.quantile(smallest, 1.0 - RARE))
            words = self._words(pairs[same[0]], reached)
            if reached >= self.distance:
                needed[same] = self.distance
            elif reached >= TOUCHING:
                needed[same] = reached / 2.0
                said.append(f'{words} at most: {reached / 2.0:.3f} m are kept')
            elif of_bodies[0] and np.ptp(smallest) > CONSTANT:
                raise ParameterError(
                    f'{words} at most, at {len(q)} random poses: give a lower --floor in the '
                    'frame of the root link, or none'
                )
            else:
                said.append(f'{words} at most: it is not checked')
        kept = needed > 0.0
        return pairs[kept], needed[kept], tuple(said)

    def _words(self, pair: Indices, distance: float) -> str:
        if pair[0] == self.geometry.floor:
            body = self.geometry.bodies[pair[1]]
            return f'{self.geometry.name(body)} is {distance:.3f} m above the floor'
        return f'{" and ".join(self._names(pair))} are {distance:.3f} m apart'

    def _names(self, pair: Indices) -> tuple[str, ...]:
        return tuple(self.geometry.name(body) for body in np.sort(self.geometry.bodies[pair]))


def below_samples(distances: Array) -> Array:
    """Lower bounds (m, k) of distances about their samples (m, k), three samples or more.

    Half of the second difference is subtracted where it is positive: the least that a V-shaped
    minimum between two samples can reach.
    """
    curvature = np.maximum(np.diff(distances, 2, axis=0), 0.0) / 2.0
    return distances - np.pad(curvature, ((1, 1), (0, 0)), mode='edge')
