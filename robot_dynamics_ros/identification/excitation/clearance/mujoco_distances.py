"""Distances between shapes by MuJoCo."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

import mujoco
import numpy as np

from robot_dynamics_ros.core.checks import Array

from .body_motion import Indices
from .collision_shapes import Shape


class MujocoDistances:
    """Distances of the shapes themselves: MuJoCo's geometry, moved by our kinematics.

    Attributes:
        words: see `body_shapes.Distances`.
        exchanged: the same.
    """

    words = 'distances of convex hulls by MuJoCo'
    exchanged = True

    def __init__(self, shapes: Sequence[Shape]) -> None:
        """Build the geometry.

        Raises:
            ValueError: MuJoCo refuses a shape.
        """
        self._frames = np.array([shape.frame for shape in shapes], dtype=np.intp)
        self._model = mujoco.MjModel.from_xml_string(_geometry(shapes))
        self._data = mujoco.MjData(self._model)
        # MuJoCo moves the origin of a mesh to its centre.
        self._places = self._model.geom_pos.copy()
        turns = np.empty((len(shapes), 9))
        for turn, quaternion in zip(turns, self._model.geom_quat, strict=True):
            mujoco.mju_quat2Mat(turn, quaternion)
        self._turns = turns.reshape(-1, 3, 3)
        self._reach = self._model.geom_rbound.copy()

    def measure(self, poses: Array, pairs: Indices, cutoff: float) -> tuple[Array, Array]:
        """Distances of pairs of shapes, and their closest points.

        Args:
            poses: (m, frames, 3, 4) [R | p] of all frames in the base.
            pairs: (k, 2) indices of shapes.
            cutoff: from which on distances do not matter [m].

        Returns:
            Distances (m, k), negative where shapes overlap, at most `cutoff`; and the closest
            point of each of the two, (m, k, 2, 3) [m].
        """
        carriers = poses[:, self._frames]
        centers = np.einsum('msab,sb->msa', carriers[..., :3], self._places) + carriers[..., 3]
        turns = carriers[..., :3] @ self._turns
        first, second = pairs.T
        apart = np.linalg.norm(centers[:, second] - centers[:, first], axis=2)
        near = apart - self._reach[first] - self._reach[second] < cutoff
        distances = np.full(near.shape, cutoff)
        points = np.zeros((*near.shape, 2, 3))
        witness = np.zeros(6)
        for sample in np.flatnonzero(near.any(axis=1)):
            self._data.geom_xpos[:] = centers[sample]
            self._data.geom_xmat[:] = turns[sample].reshape(-1, 9)
            for pair in np.flatnonzero(near[sample]):
                distances[sample, pair] = mujoco.mj_geomDistance(
                    self._model, self._data, int(first[pair]), int(second[pair]), cutoff, witness
                )
                points[sample, pair] = witness.reshape(2, 3)
        return distances, points


def _geometry(shapes: Sequence[Shape]) -> str:
    """The shapes as MJCF, each in the frame of its link."""
    meshes, geoms = [], []
    for index, shape in enumerate(shapes):
        numbers = ' '.join(f'{x:.9g}' for x in shape.points.ravel())
        if len(shape.points) == 1:
            geoms.append(f'<geom type="sphere" pos="{numbers}" size="{shape.radius:.9g}"/>')
        elif len(shape.points) == 2:
            geoms.append(f'<geom type="capsule" fromto="{numbers}" size="{shape.radius:.9g}"/>')
        else:
            name = quoteattr(f'hull{index}')
            meshes.append(f'<mesh name={name} vertex="{numbers}" inertia="convex"/>')
            geoms.append(f'<geom type="mesh" mesh={name}/>')
    return (
        f'<mujoco><asset>{"".join(meshes)}</asset><worldbody>{"".join(geoms)}</worldbody></mujoco>'
    )
