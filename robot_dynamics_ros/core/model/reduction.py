"""Locking joints: the body of a locked joint is merged into the body that carries it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from ..checks import checked_names, is_finite
from ..errors import ParameterError, UnknownNameError
from ..spatial import Transform, snapped
from .tree import Frame, Joint


def reduced(
    joints: Sequence[Joint],
    frames: Sequence[Frame],
    kept: Collection[str],
    positions: Mapping[str, float],
) -> tuple[tuple[Joint, ...], tuple[Frame, ...]]:
    """The joints that still move, and the frames of all links.

    Args:
        joints: of a robot, parents before children.
        frames: of its links.
        kept: names of the independent joints that still move; see `checked_choice`.
        positions: at which every other independent joint is locked [rad or m].
    """
    independent = [joint.name for joint in joints if joint.mimicked is None]
    at = [positions.get(name, 0.0) for name in independent]
    moving = [index for index, name in enumerate(independent) if name in kept]
    coordinates = {old: new for new, old in enumerate(moving)}

    # For the base and each old body: the new body that it is part of (-1: the base), and its pose
    # in that body.
    places = [(-1, Transform())]
    merged: list[Joint] = []
    for joint in joints:
        carrier, pose = places[joint.parent + 1]
        coordinate = joint.coordinate
        if coordinate.index in coordinates:
            places.append((len(merged), Transform()))
            moved = replace(coordinate, index=coordinates[coordinate.index])
            placement = pose @ joint.placement
            merged.append(replace(joint, parent=carrier, placement=placement, coordinate=moved))
            continue
        locked = joint.pose(at)
        pose = pose @ Transform(snapped(locked.rotation), locked.translation)
        places.append((carrier, pose))
        if carrier >= 0:
            carried = pose @ joint.inertia
            body = merged[carrier]
            merged[carrier] = replace(body, inertia=body.inertia + carried)

    placed = []
    for frame in frames:
        carrier, pose = places[frame.body + 1]
        placed.append(Frame(frame.name, carrier, pose @ frame.placement))
    return tuple(merged), tuple(placed)


def checked_choice(
    joints: Sequence[Joint],
    kept: Iterable[str],
    locked: Mapping[str, float] | None,
    others: float | None = None,
) -> tuple[tuple[str, ...], dict[str, float]]:
    """The names of the joints to keep, and the positions of all others [rad or m], checked.

    Args:
        joints: of a robot.
        kept: names of independent joints.
        locked: positions of others by name; None: none is given.
        others: position of the joints that are in neither [rad or m]; None: there may be none.

    Raises:
        UnknownNameError: a name is not that of an independent joint.
        ParameterError: a joint is both kept and locked, kept twice, neither kept nor locked
            without `others`, or locked at a position that is not finite; `kept` is not a sequence
            of names, or `locked` not a mapping.
    """
    names = checked_names('joints', kept)
    if locked is not None and not isinstance(locked, Mapping):
        raise ParameterError(
            f'locked is {locked!r}, a mapping of joint names to positions is needed'
        )
    positions = dict(locked or {})
    known = tuple(joint.name for joint in joints if joint.mimicked is None)
    mimicked = {joint.name: joint.mimicked for joint in joints if joint.mimicked is not None}
    for name in (*names, *positions):
        if name in mimicked:
            raise UnknownNameError(
                'independent joint',
                name,
                known,
                hint=f'it mimics {mimicked[name]!r} and is kept or locked with it',
            )
        if name not in known:
            raise UnknownNameError('joint', name, known)
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise ParameterError(f'joints to keep are named twice: {", ".join(repeated)}')
    if both := sorted(set(names) & set(positions)):
        raise ParameterError(f'joints are both kept and locked: {", ".join(both)}; choose one')
    unnamed = [name for name in known if name not in names and name not in positions]
    if others is not None:
        positions.update(dict.fromkeys(unnamed, others))
    elif unnamed:
        raise ParameterError(
            f'joints are neither kept nor locked: {", ".join(unnamed)}; give their positions in '
            'locked, or one for all of them, such as others=0.0'
        )
    for name, position in positions.items():
        if not is_finite(position):
            raise ParameterError(
                f'joint {name!r} is locked at {position!r} rad or m, a finite number is needed'
            )
    return tuple(names), {name: float(position) for name, position in positions.items()}
