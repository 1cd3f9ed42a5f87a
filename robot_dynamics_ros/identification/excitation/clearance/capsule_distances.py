"""Distances between shapes by the capsules that enclose them: without MuJoCo."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .body_motion import Indices
from .capsules import closest_points, enclosing_capsule
from .collision_shapes import Shape


class CapsuleDistances:
    """Distances that are never larger than those of the shapes, as capsules enclose them.

    Attributes:
        words: see `body_shapes.Distances`.
        exchanged: the same.
    """

    words = 'distances of enclosing capsules'
    exchanged = False

    def __init__(self, shapes: Sequence[Shape]) -> None:
        """Enclose each shape."""
        self._frames = np.array([shape.frame for shape in shapes], dtype=np.intp)
        capsules = [enclosing_capsule(shape.points) for shape in shapes]
        self._ends = np.array([capsule.ends for capsule in capsules])
        rounded = zip(capsules, shapes, strict=True)
        self._radii = np.array([capsule.radius + shape.radius for capsule, shape in rounded])

    def measure(self, poses: Array, pairs: Indices, cutoff: float) -> tuple[Array, Array]:
        """Distances of pairs of shapes, and their closest points.

        Args:
            poses: (m, frames, 3, 4) [R | p] of all frames in the base.
            pairs: (k, 2) indices of shapes.
            cutoff: from which on distances do not matter [m].

        Returns:
            Distances (m, k), negative where capsules overlap, at most `cutoff`; and a point of
            each of the two, (m, k, 2, 3), on the line along which the distance is measured [m].
        """
        carriers = poses[:, self._frames]
        ends = np.einsum('msab,seb->msea', carriers[..., :3], self._ends)
        ends += carriers[..., None, :, 3]
        points = np.stack(closest_points(ends[:, pairs[:, 0]], ends[:, pairs[:, 1]]), axis=2)
        lengths = np.linalg.norm(points[:, :, 1] - points[:, :, 0], axis=2)
        return np.minimum(lengths - self._radii[pairs].sum(axis=1), cutoff), points
