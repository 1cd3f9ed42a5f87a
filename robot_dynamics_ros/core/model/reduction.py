"""Locking joints: the body of a locked joint is merged into the body that carries it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from ..spatial import Transform, snapped
from .tree import Frame, Joint


def reduced(
    joints: Sequence[Joint], frames: Sequence[Frame], kept: Collection[int], at: Sequence[float]
) -> tuple[tuple[Joint, ...], tuple[Frame, ...]]:
    """The joints that still move, and the frames of all links.

    Args:
        joints: of a robot, parents before children.
        frames: of its links.
        kept: indices in q of the independent joints that still move.
        at: positions (n,) at which the others are locked [rad or m].
    """
    coordinates = {old: new for new, old in enumerate(sorted(kept))}

    # For the base and each old body: the new body that it is part of (-1: the base), and its pose
    # in that body.
    places = [(-1, Transform())]
    merged: list[Joint] = []
    for joint in joints:
        parent, pose = places[joint.parent + 1]
        coordinate = joint.coordinate
        if coordinate.index in coordinates:
            places.append((len(merged), Transform()))
            moved = replace(coordinate, index=coordinates[coordinate.index])
            placement = pose @ joint.placement
            merged.append(replace(joint, parent=parent, placement=placement, coordinate=moved))
            continue
        locked = joint.pose(at)
        pose = pose @ Transform(snapped(locked.rotation), locked.translation)
        places.append((parent, pose))
        if parent >= 0:
            carried = pose @ joint.inertia
            body = merged[parent]
            merged[parent] = replace(body, inertia=body.inertia + carried)

    placed = []
    for frame in frames:
        parent, pose = places[frame.body + 1]
        placed.append(Frame(frame.name, parent, pose @ frame.placement))
    return tuple(merged), tuple(placed)
