"""Distances between the shapes of a robot, and from a floor, that a motion keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from xml.etree.ElementTree import tostring

import numpy as np

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.urdf_xml import read_xml
from robot_dynamics_ros.link_geometry import mesh_file
from robot_dynamics_ros.oracle.collisions import FLOOR, CollisionShapes, Indices

# What all but this share of random poses keep, is a distance that shapes can have. Shapes that are
# nearer at nearly all poses count as overlapping, and up to which distances are computed [m].
RARE, TOUCHING, FAR = 0.05, 0.005, 0.5


class Clearance:
    """Distances that are kept between shapes of bodies that no joint joins, and from the floor.

    Where shapes are nearer at nearly all poses than the distance that is asked for, half of what
    they reach is kept; where they overlap at nearly all poses, as covers around a common joint do,
    nothing.

    Attributes:
        unread: links with a <collision> that could not be used, and why.
        unchecked: links whose geometry is not checked, and why, as sentences.
        blind: whether no link has a <collision>.
        exceptions: shapes with a smaller distance or none, as sentences.
        needed: (k,) distances of the pairs to keep [m].
        names: (k, 2) of the links of the pairs; the floor is the second one of its pairs.
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
        """Choose what is checked, by the distances at random positions (m, n).

        Raises:
            ParameterError: a body that moves is hardly ever above the floor.
            OracleUnavailable: Pinocchio refuses the geometry.
        """
        model, self._dynamics = dynamics.model, dynamics
        text, missing, described = _with_mesh_files(urdf, folder)
        self._shapes = CollisionShapes(text, floor)
        links, self.blind = self._shapes.links, not described
        refused = dict.fromkeys(described - Counter(links), 'a <collision> is flat, or refused')
        self.unread = refused | missing
        body = {frame.name: frame.body for frame in model.frames} | {FLOOR: -1}
        self._frames = [list(body).index(name) if name != FLOOR else 0 for name in links]
        self._choose([body[name] for name in links], poses, distance)
        massive = {own for own, joint in enumerate(model.joints) if joint.inertia.mass > 0.0}
        bare = {-1, *massive} - {body[name] for name in (*links, *self.unread) if name != FLOOR}
        without = [frame.name for frame in model.frames if frame.body in bare]
        self.unchecked = [f'{name}: {why}' for name, why in self.unread.items()]
        self.unchecked += [f'{", ".join(without)}: no collision geometry'] if without else []

    def _choose(self, bodies: Sequence[int], q: Array, distance: float) -> None:
        """Choose what is checked of shapes of bodies, by the distances at positions (m, n)."""
        joined = {(joint.parent, own) for own, joint in enumerate(self._dynamics.model.joints)}
        pairs = []
        for pair in combinations(range(len(bodies)), 2):
            one, other = sorted(bodies[shape] for shape in pair)
            # The floor, which is fixed to the base, is under the bodies that the base joins, too.
            below = self._shapes.links[pair[1]] == FLOOR
            if one != other and (below or (one, other) not in joined):
                pairs.append(pair)
        every = np.array(pairs, np.intp).reshape(-1, 2)
        self._take(every, np.zeros(len(every)))
        smallest = self.distances(q, distance)
        reached = np.quantile(smallest, 1.0 - RARE, axis=0) if len(every) else np.zeros(0)
        needed = np.where(reached >= distance, distance, reached / 2.0)
        needed[reached < TOUCHING] = 0.0
        said = []
        for index in np.flatnonzero(needed < distance).tolist():
            words, kept = f'{self._words(index, reached[index])} at most', needed[index]
            if not kept and FLOOR in self.names[index] and np.ptp(smallest[:, index]) > TOUCHING:
                raise ParameterError(
                    f'{words}, at {len(q)} random poses: give a lower --floor in the frame of the '
                    'root link, or none'
                )
            said.append(f'{words}: {f"{kept:.3f} m are kept" if kept else "it is not checked"}')
        self.exceptions = tuple(dict.fromkeys(said))
        self._take(every[needed > 0.0], needed[needed > 0.0])

    def _take(self, pairs: Indices, needed: Array) -> None:
        self._pairs, self.needed = pairs, needed
        self.names = [tuple(self._shapes.links[shape] for shape in pair) for pair in pairs]
        self._shapes.check(pairs)

    def distances(self, q: Array, far: float = FAR) -> Array:
        """Distances (m, k) of all pairs at positions (m, n), at most `far`; overlaps < 0 [m]."""
        return self._shapes.measure(self._poses(q), np.full(len(self._pairs), far))[0]

    def _poses(self, q: Array) -> Array:
        return self._dynamics.frame_poses(q)[:, self._frames]

    def nearest(self, q: Array) -> str:
        """Which distance is too small at a pose (n,), the most relative to that to keep."""
        distances = self.distances(q[None])[0]
        pair = int((distances / self.needed).argmin())
        return f'{self._words(pair, distances[pair])}, needed are {self.needed[pair]:.3f} m'

    def lacking(self, q: Array, reserve: float = 0.0) -> Callable[[Array], Array]:
        """The sums of squares (m,) of what distances lack, in shares of those to keep.

        As a function of positions near these (m, n): the closest points move with their links.
        Distances to keep are larger by the share `reserve`.
        """
        poses, needed = self._poses(q), (1.0 + reserve) * self.needed
        distances, near, ends = self._shapes.measure(poses, needed)
        samples, pairs = near.T
        own, points = (samples[:, None], self._pairs[pairs]), ends[:, :2]
        arms = np.einsum('heji,hej->hei', poses[own][..., :3], points - poses[own][..., 3])
        lacks = 1.0 - distances[samples, pairs] / needed[pairs]

        def at(q: Array) -> Array:
            moved = self._poses(q)[own]
            ways = np.einsum('heij,hej->hei', moved[..., :3], arms) + moved[..., 3] - points
            farther = np.einsum('hi,hi->h', ways[:, 1] - ways[:, 0], ends[:, 2])
            left = np.maximum(lacks - farther / needed[pairs], 0.0)
            return np.asarray(np.bincount(samples, left**2, len(q)), float)

        return at

    def _words(self, pair: int, distance: float) -> str:
        one, other = self.names[pair]
        if other == FLOOR:
            return f'{one} is {distance:.3f} m above the floor'
        return f'{one} and {other} are {distance:.3f} m apart'


def _with_mesh_files(urdf: str, folder: Path | None) -> tuple[str, dict[str, str], Counter[str]]:
    """The URDF without <collision> whose mesh is not found, with the files of other meshes.

    Returns:
        The text, why a <collision> is left out by the name of its link, and how many are left.
    """
    root, missing, counts = read_xml(urdf), {}, Counter[str]()
    for link in root.iterfind('link'):
        name = link.get('name', '')
        for collision in link.findall('collision'):
            mesh = collision.find('geometry/mesh')
            file = None if mesh is None else mesh_file(mesh.get('filename', ''), folder)
            if mesh is not None and file is None:
                link.remove(collision)
                missing[name] = f'mesh {mesh.get("filename")} is not found'
                continue
            if mesh is not None and file is not None:
                mesh.set('filename', str(file.resolve()))
            counts[name] += 1
    if root.find('link/collision/geometry/capsule') is not None:
        root.set('version', '1.2')  # of the URDF: urdfdom ignores capsules of earlier ones
    return tostring(root, encoding='unicode'), missing, counts
