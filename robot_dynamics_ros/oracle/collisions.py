"""The <collision> shapes of a robot by Pinocchio's GeometryModel, and their distances by Coal."""

from __future__ import annotations

import coal
import numpy as np
import numpy.typing as npt
import pinocchio

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import OracleUnavailable

from .pinocchio_reference import text_for_pinocchio

Indices = npt.NDArray[np.intp]
FLOOR = 'floor'
# Of the largest extent of a mesh: below, its vertices lie in a plane, and have no hull.
FLAT = 1e-6


class CollisionShapes:
    """Primitives, and the convex hulls of meshes; a floor is the last shape.

    Attributes:
        links: (s,) names of the links that carry the shapes; `FLOOR` of the floor.
        flat: links with a mesh whose vertices lie in a plane: it is left out.
    """

    def __init__(self, text: str, floor: float | None) -> None:
        """Let Pinocchio read the shapes.

        Args:
            text: of the URDF, with absolute paths of its meshes.
            floor: height of the floor in the root link [m]; None for none.

        Raises:
            OracleUnavailable: Pinocchio refuses the text, or a mesh.
        """
        try:
            text = text_for_pinocchio(text, shapes=True)
            model = pinocchio.buildModelFromXML(text)
            found = pinocchio.buildGeomFromUrdfString(model, text, pinocchio.COLLISION)
        except (ValueError, RuntimeError) as error:
            raise OracleUnavailable(f'Pinocchio refuses the collision geometry: {error}') from None
        self._geometry, placements = pinocchio.GeometryModel(), []
        self.flat: list[str] = []
        for shape in found.geometryObjects:
            frame = model.frames[shape.parentFrame]
            if isinstance(shape.geometry, coal.BVHModelBase):
                vertices = shape.geometry.vertices()
                extents = np.linalg.svd(vertices - vertices.mean(axis=0), compute_uv=False)
                if extents[-1] <= FLAT * extents[0]:
                    self.flat.append(frame.name)
                    continue
                shape.geometry.buildConvexRepresentation(False)
                shape.geometry = shape.geometry.convex
            placements.append((frame.name, frame.placement.actInv(shape.placement).homogeneous))
            self._geometry.addGeometryObject(shape)
        if floor is not None:
            ground = coal.Halfspace(np.array([0.0, 0.0, 1.0]), floor)
            place = pinocchio.SE3.Identity()
            self._geometry.addGeometryObject(pinocchio.GeometryObject(FLOOR, 0, place, ground))
            placements.append((FLOOR, np.eye(4)))
        self.links = tuple(name for name, _ in placements)
        self._placements = np.array([place for _, place in placements]).reshape(-1, 4, 4)
        shapes = [one.geometry for one in self._geometry.geometryObjects]
        for shape in shapes:
            shape.computeLocalAABB()
        self._floor = floor
        # Of spheres that enclose the shapes; the floor has none.
        finite = shapes[: len(shapes) - (floor is not None)]
        self._centers, self._radii = np.zeros((len(shapes), 3)), np.zeros(len(shapes))
        for index, one in enumerate(finite):
            self._centers[index], self._radii[index] = one.aabb_center, one.aabb_radius
        self.check(np.empty((0, 2), np.intp))

    def check(self, pairs: Indices) -> None:
        """Choose the pairs (k, 2) of shapes whose distances are measured."""
        self._geometry.removeAllCollisionPairs()
        self._pairs = pairs
        for first, second in pairs.tolist():
            self._geometry.addCollisionPair(pinocchio.CollisionPair(first, second))
        self._data = pinocchio.GeometryData(self._geometry)

    def measure(self, poses: Array, cutoff: Array) -> tuple[Array, Indices, Array]:
        """Distances of the pairs, negative where shapes overlap.

        Args:
            poses: (m, s, 3, 4) [R | p] of the link of each shape in the root link.
            cutoff: (k,) distances beyond which they do not matter [m].

        Returns:
            Distances (m, k), at most the cutoff [m]. Of the h below it, sample and pair (h, 2),
            and (h, 3, 3) the closest points of both shapes [m], and the direction from the first
            along which the second moves away fastest.
        """
        placed = poses @ self._placements
        distances = np.repeat(cutoff[None], len(poses), axis=0)
        near, ends = [], []
        possible = self._gaps(placed) < cutoff
        for sample in np.flatnonzero(possible.any(axis=1)).tolist():
            pairs = np.flatnonzero(possible[sample])
            for shape in np.unique(self._pairs[pairs]).tolist():
                place = placed[sample, shape]
                self._data.oMg[shape] = pinocchio.SE3(place[:, :3], place[:, 3])
            for pair in pairs.tolist():
                one = pinocchio.computeDistance(self._geometry, self._data, pair)
                if (length := one.min_distance) < cutoff[pair]:
                    distances[sample, pair] = length
                    near.append((sample, pair))
                    # Copied: the result of a pair is used again.
                    both = one.getNearestPoint1(), one.getNearestPoint2()
                    ends.append(np.array([*both, one.normal]))
        return distances, np.array(near, np.intp).reshape(-1, 2), np.array(ends).reshape(-1, 3, 3)

    def _gaps(self, placed: Array) -> Array:
        """Lower bounds (m, k) of the distances: those of the spheres [m]."""
        centers = np.einsum('msij,sj->msi', placed[..., :3], self._centers) + placed[..., 3]
        first, second = self._pairs.T
        gaps: Array = np.linalg.norm(centers[:, second] - centers[:, first], axis=2)
        gaps -= self._radii[first] + self._radii[second]
        if self._floor is not None:
            under = second == len(self.links) - 1
            above = centers[:, first[under], 2] - self._radii[first[under]]
            gaps[:, under] = above - self._floor
        return gaps
