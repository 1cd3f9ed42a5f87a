"""The shapes of all bodies of a robot, and what measures them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array

from .body_motion import Indices
from .capsule_distances import CapsuleDistances
from .collision_shapes import Shape, collision_shapes
from .link_frames import frame_capsules


class Distances(Protocol):
    """Measures distances between shapes.

    Attributes:
        words: what measures them, for people.
        exchanged: whether the closest points of shapes that overlap are exchanged: each then lies
            in the other shape.
    """

    words: str
    exchanged: bool

    def measure(self, poses: Array, pairs: Indices, cutoff: float) -> tuple[Array, Array]:
        """See `CapsuleDistances.measure`."""


@dataclass(frozen=True)
class BodyShapes:
    """Shapes, the bodies that carry them, and what measures them.

    Attributes:
        model: the robot.
        shapes: of all bodies.
        bodies: (s,) the body that carries each; -1 is the base.
        distances: between shapes.
        words: which geometry is used, for people.
    """

    model: RobotModel
    shapes: tuple[Shape, ...]
    bodies: Indices
    distances: Distances
    words: str

    @classmethod
    def of(cls, model: RobotModel, urdf: str, folder: Path | None, mujoco: bool) -> BodyShapes:
        """The collision geometry; capsules along the link frames where there is none.

        Args:
            model: the robot.
            urdf: text of its description.
            folder: of its file, for meshes; None if it is from elsewhere.
            mujoco: whether to use MuJoCo where it is installed.
        """
        loaded = collision_shapes(model, urdf, folder)
        carried = {model.frames[shape.frame].body for shape in loaded.shapes}
        massive = {i for i, joint in enumerate(model.joints) if joint.inertia.mass > 0.0}
        broken = {model.frame(name).body for name in loaded.missing}
        bare = (massive - carried) | broken
        shapes = (*loaded.shapes, *frame_capsules(model, bare))
        bodies = np.array([model.frames[shape.frame].body for shape in shapes], dtype=np.intp)
        distances = _distances(shapes, mujoco)
        said = ['collision geometry'] if loaded.shapes else []
        if bare:
            named = ', '.join(frame.name for frame in model.frames if frame.body in bare)
            said.append(f'capsules along the link frames, of an assumed radius, for {named}')
        said += [f'{name} cannot be used: {why}' for name, why in loaded.missing.items()]
        words = '; '.join([*said, distances.words])
        return cls(model, shapes, bodies, distances, words)

    def lowest(self, poses: Array, chosen: Indices) -> tuple[Array, Array]:
        """Heights (m, k) of some shapes in the base, and their lowest points (m, k, 3) [m].

        A point lies on the axis of a rounded shape, its radius above the lowest point.
        """
        heights = np.empty((len(poses), len(chosen)))
        points = np.empty((len(poses), len(chosen), 3))
        for column, index in enumerate(chosen):
            shape = self.shapes[index]
            carrier = poses[:, shape.frame]
            below = (carrier[:, 2, :3] @ shape.points.T).argmin(axis=1)
            points[:, column] = np.einsum('mab,mb->ma', carrier[..., :3], shape.points[below])
            points[:, column] += carrier[..., 3]
            heights[:, column] = points[:, column, 2] - shape.radius
        return heights, points

    def name(self, body: int) -> str:
        """The first link of a body."""
        return next(frame.name for frame in self.model.frames if frame.body == body)


def _distances(shapes: Sequence[Shape], mujoco: bool) -> Distances:
    if mujoco and shapes:
        try:
            # Optional: without it, capsules are used.
            from .mujoco_distances import MujocoDistances

            return MujocoDistances(shapes)
        except (ImportError, ValueError):
            pass
    return CapsuleDistances(shapes)
