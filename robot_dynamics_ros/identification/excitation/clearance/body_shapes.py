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
        unchecked: links whose own geometry is not checked, and why, as sentences.
        unread: links whose <collision> could not be used.
    """

    model: RobotModel
    shapes: tuple[Shape, ...]
    bodies: Indices
    distances: Distances
    words: str
    unchecked: tuple[str, ...]
    unread: tuple[str, ...]

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
        distances, measured_by = _distances(shapes, mujoco)
        said = ['collision geometry'] if loaded.shapes else []
        if bare:
            said.append(
                'capsules along the link frames, of an assumed radius, for '
                f'{_links_of(model, bare)}'
            )
        unread = tuple(loaded.missing)
        unchecked = [
            f'{name}: {why}; capsules of an assumed radius stand in'
            for name, why in loaded.missing.items()
        ]
        if without := bare - broken:
            unchecked.append(
                f'{_links_of(model, without)}: no collision geometry; capsules of an assumed '
                'radius stand in'
            )
        if -1 not in carried | broken:
            unchecked.append(
                f'{_links_of(model, {-1})}: no collision geometry of the base; distances from it '
                'are not known'
            )
        words = '; '.join([*said, measured_by])
        return cls(model, shapes, bodies, distances, words, tuple(unchecked), unread)

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


def _links_of(model: RobotModel, bodies: set[int]) -> str:
    """The links of some bodies, separated by commas."""
    return ', '.join(frame.name for frame in model.frames if frame.body in bodies)


def _distances(shapes: Sequence[Shape], mujoco: bool) -> tuple[Distances, str]:
    """What measures distances, and that in words: with the reason where it is not MuJoCo."""
    if not (mujoco and shapes):
        return CapsuleDistances(shapes), CapsuleDistances.words
    try:
        # Optional: without it, capsules are used.
        from .mujoco_distances import MujocoDistances

        return MujocoDistances(shapes), MujocoDistances.words
    except ImportError:
        why = "it is not installed: pip install 'robot_dynamics_ros[simulation]'"
    except ValueError as error:
        why = f'it refuses a shape: {" ".join(str(error).split())}'
    return CapsuleDistances(shapes), f'{CapsuleDistances.words} without MuJoCo ({why})'
