"""Which distances are kept, and how large they must be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError

from .body_motion import Indices
from .body_shapes import BodyShapes

# What all but this share of random poses keep, is a distance that bodies can have.
RARE = 0.05
# [m]: bodies that are nearer at nearly all poses count as overlapping.
TOUCHING = 0.005
# [m]: a height that changes less over all poses is not changed by the motion.
CONSTANT = 1e-3


@dataclass(frozen=True)
class KeptDistances:
    """Pairs of shapes, and shapes above the floor, with the distances to keep.

    Bodies next to each other in the tree are not among them. Where geometry is nearer at nearly
    all poses than the distance that is asked for, half of what it reaches is kept; where it
    overlaps at nearly all poses, as hulls around a common joint do, nothing.

    Attributes:
        pairs: (k, 2) indices of shapes.
        apart: (k,) [m].
        above: (h,) indices of shapes.
        height: (h,) above the floor [m].
        exceptions: bodies with a smaller distance or none, as sentences.
    """

    pairs: Indices
    apart: Array
    above: Indices
    height: Array
    exceptions: tuple[str, ...]

    @classmethod
    def of(
        cls, shapes: BodyShapes, poses: Array, distance: float, floor: float | None
    ) -> KeptDistances:
        """Those of a robot.

        Args:
            shapes: of all bodies.
            poses: (m, frames, 3, 4) of all frames at random positions.
            distance: to keep [m].
            floor: height in the base frame [m]; None for no floor.

        Raises:
            ParameterError: a body that moves is never above the floor.
        """
        pairs, apart, said = _pairs(shapes, poses, distance)
        above, height = np.empty(0, np.intp), np.empty(0)
        low: list[str] = []
        if floor is not None:
            above, height, low = _above(shapes, poses, distance, floor)
        return cls(pairs, apart, above, height, (*said, *low))


def _pairs(shapes: BodyShapes, poses: Array, distance: float) -> tuple[Indices, Array, list[str]]:
    kept, apart, said = [], [], []
    pairs = np.array([*_not_joined(shapes)], dtype=np.intp).reshape(-1, 2)
    if not len(pairs):
        return pairs, np.empty(0), []
    measured, _ = shapes.distances.measure(poses, pairs, distance)
    bodies = np.sort(shapes.bodies[pairs], axis=1)
    for first, second in np.unique(bodies, axis=0):
        same = np.flatnonzero((bodies == (first, second)).all(axis=1))
        reached = float(np.quantile(measured[:, same].min(axis=1), 1.0 - RARE))
        needed = distance if reached >= distance else reached / 2.0
        names = f'{shapes.name(first)} and {shapes.name(second)}'
        if reached < TOUCHING:
            said.append(f'{names} overlap at nearly all poses: they are not checked')
            continue
        if needed < distance:
            said.append(f'{names} are always near each other: {needed:.3f} m are kept')
        kept += pairs[same].tolist()
        apart += [needed] * len(same)
    return np.array(kept, dtype=np.intp).reshape(-1, 2), np.array(apart), said


def _not_joined(shapes: BodyShapes) -> Iterator[tuple[int, int]]:
    """Shapes whose bodies are neither the same nor joined by a joint."""
    parents = [joint.parent for joint in shapes.model.joints]
    joined = {(parent, body) for body, parent in enumerate(parents)}
    for a, b in combinations(range(len(shapes.bodies)), 2):
        first, second = sorted(shapes.bodies[[a, b]].tolist())
        if first != second and (first, second) not in joined:
            yield a, b


def _above(
    shapes: BodyShapes, poses: Array, distance: float, floor: float
) -> tuple[Indices, Array, list[str]]:
    moving = np.flatnonzero(shapes.bodies >= 0)
    heights = shapes.lowest(poses, moving)[0] - floor
    kept, needed, said = [], [], []
    for body in np.unique(shapes.bodies[moving]):
        own = np.flatnonzero(shapes.bodies[moving] == body)
        lowest = heights[:, own].min(axis=1)
        reached = float(lowest.max())
        name = shapes.name(body)
        if reached < distance and np.ptp(lowest) < CONSTANT:
            said.append(f'{name} is always {reached:.3f} m above the floor: it is not checked')
            continue
        if reached <= 0.0:
            raise ParameterError(
                f'{name} is at most {reached:.3f} m above the floor, at {len(poses)} random '
                'poses: give a lower --floor in the frame of the root link, or none'
            )
        height = reached / 2.0 if reached < distance else distance
        if height < distance:
            said.append(f'{name} is always near the floor: {height:.3f} m are kept')
        kept += moving[own].tolist()
        needed += [height] * len(own)
    return np.array(kept, dtype=np.intp), np.array(needed), said
