"""A robot of which some joints are locked: what they carry becomes part of their carrier."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from .algorithms.joint_tree import joint_frame, joint_position
from .checks import checked_names, is_finite
from .errors import ParameterError, UnknownNameError
from .inertia import Placement
from .loading import loaded
from .model import Frame, Joint, RobotModel
from .spatial import snapped


def reduced(
    model: RobotModel, joints: Iterable[str], locked: Mapping[str, float] | None = None
) -> RobotModel:
    """The robot with all but some joints locked.

    Equivalent to Pinocchio's buildReducedModel. Joints keep their order, whatever the order of
    `joints`; a mimic joint moves or rests with the joint that drives it; links keep their frames,
    and payloads their links.

    Args:
        model: the robot.
        joints: names of the independent joints to keep.
        locked: positions of others [rad or m]; those that are not named are locked at zero.

    Raises:
        UnknownNameError: a name is that of no independent joint.
        ParameterError: a joint is both kept and locked, kept twice, or locked at a position that
            is not finite; `joints` are no names, or `locked` is no mapping.
    """
    wanted = checked_names('joints', joints)
    if locked is not None and not isinstance(locked, Mapping):
        raise ParameterError(f'locked is {locked!r}, a mapping of joints to positions is needed')
    positions = dict(locked or {})
    _check(model, wanted, positions)
    bare = model.unloaded or model
    kept = [name for name in bare.joint_names if name in wanted]
    at = [float(positions.get(name, 0.0)) for name in bare.joint_names]
    coordinates = {bare.index_of(name): index for index, name in enumerate(kept)}

    # Where each body of the old model is: a body of the new one (-1: the base), its pose there.
    places = [(-1, Placement())]
    merged: list[Joint] = []
    for joint in bare.joints:
        carrier, pose = places[joint.parent + 1]
        coordinate = joint.coordinate
        if coordinate.index in coordinates:
            places.append((len(merged), Placement()))
            moved = replace(coordinate, index=coordinates[coordinate.index])
            placement = pose @ joint.placement
            merged.append(replace(joint, parent=carrier, placement=placement, coordinate=moved))
            continue
        position = joint_position(joint, at[coordinate.index])
        rotation, translation = joint_frame(joint, position)
        pose = pose @ Placement(snapped(rotation), translation)
        places.append((carrier, pose))
        if carrier >= 0:
            carried = joint.inertia.moved(pose.rotation, pose.translation)
            body = merged[carrier]
            merged[carrier] = replace(body, inertia=body.inertia + carried)

    frames = []
    for frame in bare.frames:
        carrier, pose = places[frame.body + 1]
        frames.append(Frame(frame.name, carrier, pose @ frame.placement))
    result = replace(bare, joints=tuple(merged), frames=tuple(frames))
    return loaded(result, model.payloads)


def _check(model: RobotModel, joints: Sequence[str], locked: Mapping[str, float]) -> None:
    drivers = {joint.name: joint.driver for joint in model.joints if joint.driver}
    for name in (*joints, *locked):
        if name in drivers:
            raise UnknownNameError(
                'independent joint',
                name,
                model.joint_names,
                hint=f'it mimics {drivers[name]!r} and rests or moves with it',
            )
        if name not in model.joint_names:
            raise UnknownNameError('joint', name, model.joint_names)
    if repeated := sorted({name for name in joints if joints.count(name) > 1}):
        raise ParameterError(f'joints to keep are named twice: {", ".join(repeated)}')
    if both := sorted(set(joints) & set(locked)):
        raise ParameterError(f'joints are both kept and locked: {", ".join(both)}')
    for name, position in locked.items():
        if not is_finite(position):
            raise ParameterError(
                f'joint {name!r} is locked at {position!r}, a finite number is needed'
            )
