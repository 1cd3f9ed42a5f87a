"""The collision geometry of a robot, and distances between its solids by Coal."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import coal
import numpy as np
import numpy.typing as npt
from scipy.spatial import ConvexHull, QhullError
from scipy.spatial.transform import Rotation

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.urdf_xml import read_xml
from robot_dynamics_ros.link_geometry import Geometry, GeometryError, read_geometries

Indices = npt.NDArray[np.intp]

# Index in `model.frames` of the link that carries it, shape, placement (4, 4) in that frame.
Solid = tuple[int, coal.ShapeBase, Array]
# Radius of capsules where there is no geometry, of the reach of the robot: 5 cm for 0.85 m.
RADIUS = 0.06
# Frames closer than this share of the reach count as one.
SAME = 0.01


class CollisionGeometry:
    """The solids of a robot and the floor, whose index is `floor`, the last one.

    Attributes:
        model: the robot.
        bodies: (s,) the body that carries each solid; -1 is the base, and carries the floor.
        frames: index of the frame of the base, then of each body: that of its first link.
        unread: links whose <collision> could not be used, and why.
        unchecked: links whose own geometry is not checked, and why, as sentences.
    """

    def __init__(self, model: RobotModel, urdf: str, folder: Path | None, floor: float) -> None:
        """Read the geometry; capsules along the link frames stand in where there is none.

        Args:
            model: the robot.
            urdf: text of the URDF.
            folder: of its file, for meshes; None if it is from elsewhere.
            floor: height in the base [m].
        """
        self.model = model
        bodies = [frame.body for frame in model.frames]
        self.frames = [bodies.index(body) for body in range(-1, len(model.joints))]
        solids, self.unread = _solids(model, urdf, folder)
        carried = {bodies[frame] for frame, _, _ in solids}
        broken = {model.frame(name).body for name in self.unread}
        massive = {i for i, joint in enumerate(model.joints) if joint.inertia.mass > 0.0}
        bare = massive - carried - broken
        for body in sorted(bare | broken):
            solids += self._capsules(body)
        stand_in = 'capsules of an assumed radius stand in'
        self.unchecked = [f'{name}: {why}; {stand_in}' for name, why in self.unread.items()]
        unknown = {-1} - carried - broken
        for none, what in (bare, stand_in), (unknown, 'distances from the base are not known'):
            if links := ', '.join(frame.name for frame in model.frames if frame.body in none):
                self.unchecked.append(f'{links}: no collision geometry; {what}')
        for _, shape, _ in solids:
            shape.computeLocalAABB()
        self.floor, self._height = len(solids), floor
        self._radii = np.array([*(shape.aabb_radius for _, shape, _ in solids), 0.0])
        self._centers = np.array([*(shape.aabb_center for _, shape, _ in solids), np.zeros(3)])
        ground = 0, coal.Halfspace(np.array([0.0, 0.0, 1.0]), floor), np.eye(4)
        self._frames, self._shapes, placements = map(list, zip(*solids, ground, strict=True))
        self._placements = np.array(placements)
        self.bodies = np.array([bodies[frame] for frame in self._frames], np.intp)

    def name(self, body: int) -> str:
        """The first link of a body."""
        return self.model.frames[self.frames[body + 1]].name

    def measure(
        self, poses: Array, pairs: Indices, cutoff: float | Array
    ) -> tuple[Array, Array, Array]:
        """Distances of pairs of solids.

        Args:
            poses: (m, frames, 3, 4) [R | p] of all frames in the base.
            pairs: (k, 2) indices of solids; the floor is the first of its pairs.
            cutoff: from which on the distance does not matter, of all pairs or of each (k,) [m].

        Returns:
            Distances (m, k), negative where solids overlap, at most `cutoff` [m]; for those below
            it, the closest point of each of the two, (m, k, 2, 3) [m], and the direction (m, k, 3)
            from the first along which the second moves away fastest.
        """
        cutoffs = np.broadcast_to(cutoff, len(pairs))
        distances = np.repeat(cutoffs[None], len(poses), axis=0)
        points, normals = np.zeros((*distances.shape, 2, 3)), np.zeros((*distances.shape, 3))
        placed = poses[:, self._frames] @ self._placements
        turns, places = placed[..., :3], placed[..., 3]
        # Pair by pair: the result of one sample is the guess for the next one.
        near, samples = np.nonzero((self._gaps(turns, places, pairs) < cutoffs).T)
        first, second = pairs[near].T
        # From the axes of the first to the base.
        turned, origins = turns[samples, first].transpose(0, 2, 1), places[samples, first]
        shifts = (turned @ (places[samples, second] - origins)[:, :, None])[..., 0]
        moved = map(coal.Transform3s, turned @ turns[samples, second], shifts)
        request, result = coal.DistanceRequest(True), coal.DistanceResult()
        request.enable_signed_distance = True
        request.gjk_initial_guess = coal.GJKInitialGuess.CachedGuess
        still, lengths, found = coal.Transform3s.Identity(), [], []
        computed = [coal.ComputeDistance(self._shapes[a], self._shapes[b]) for a, b in pairs]
        for pair, limit, there in zip(near.tolist(), cutoffs[near].tolist(), moved, strict=True):
            result.clear()
            lengths.append(computed[pair](still, there, request, result))
            if lengths[-1] < limit:
                # Copied: the result is used again.
                ends = result.getNearestPoint1(), result.getNearestPoint2()
                found.append(np.array([*ends, result.normal]))
        measured = np.array(lengths)
        distances[samples, near] = np.minimum(measured, cutoffs[near])
        if found:
            hit = np.flatnonzero(measured < cutoffs[near])
            local = np.array(found) @ turned[hit]
            points[samples[hit], near[hit]] = local[:, :2] + origins[hit, None]
            normals[samples[hit], near[hit]] = local[:, 2]
        return distances, points, normals

    def _gaps(self, turns: Array, places: Array, pairs: Indices) -> Array:
        """Distances (m, k) of the spheres that enclose the solids, and from the floor [m]."""
        centers = places + (turns @ self._centers[..., None])[..., 0]
        first, second = pairs.T
        gaps: Array = np.linalg.norm(centers[:, second] - centers[:, first], axis=2)
        above = first == self.floor
        gaps[:, above] = centers[:, second[above], 2] - self._height
        gaps -= self._radii[first] + self._radii[second]
        return gaps

    def _capsules(self, body: int) -> Iterator[Solid]:
        """Capsules from the frame of a body to the joints and links that it carries."""
        model = self.model
        frame, radius = self.frames[body + 1], RADIUS * model.reach
        ends = [joint.placement.translation for joint in model.joints if joint.parent == body]
        ends += [frame.placement.translation for frame in model.frames if frame.body == body]
        if body >= 0:
            ends.append(model.joints[body].inertia.center_of_mass)
        far = [np.array(end) for end in ends if np.linalg.norm(end) > SAME * model.reach]
        for end in far:
            placement = np.eye(4)
            placement[:3, :3] = Rotation.align_vectors(end[None], [[0, 0, 1]])[0].as_matrix()
            placement[:3, 3] = end / 2.0
            yield frame, coal.Capsule(radius, float(np.linalg.norm(end))), placement
        if not far and body >= 0:
            yield frame, coal.Sphere(radius), np.eye(4)


def _solids(
    model: RobotModel, urdf: str, folder: Path | None
) -> tuple[list[Solid], dict[str, str]]:
    """The solid of each <collision>; and why one cannot be used, by the name of the link."""
    solids, unread = [], {}
    names = [frame.name for frame in model.frames]
    for link in read_xml(urdf).findall('link'):
        name = link.get('name', '')
        make = partial(_solid, names.index(name))
        usable, errors = read_geometries(link.findall('collision'), folder, make)
        solids += usable
        if errors:
            reasons = (f'mesh {one.mesh}: {one}' if one.mesh else str(one) for one in errors)
            unread[name] = ', '.join(dict.fromkeys(reasons))
    return solids, unread


def _solid(frame: int, geometry: Geometry) -> Solid:
    """A geometry of the link of a frame; of a mesh its convex hull.

    Raises:
        GeometryError: the vertices of a mesh lie in a plane.
    """
    if geometry.kind != 'mesh':
        shape = getattr(coal, geometry.kind.title())(*geometry.size)
        return frame, shape, geometry.placement
    try:
        # Qhull by SciPy: Coal's crashes on a plane.
        corners = geometry.vertices[ConvexHull(geometry.vertices).vertices]
    except (QhullError, ValueError):
        raise GeometryError('the vertices of a mesh lie in a plane') from None
    points = coal.StdVec_Vec3s()
    points.extend(list(corners))
    return frame, coal.Convex.convexHull(points, True, 'Qt'), geometry.placement
