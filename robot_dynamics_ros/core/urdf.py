"""From the text of a URDF to a `RobotModel`.

The inertials of links and the joints are read; what dynamics does not need is ignored, even where
it is wrong.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from .errors import InertiaError, TopologyError, UrdfError
from .model.findings import Finding, examine_inertial
from .model.robot import RobotModel
from .model.tree import Coordinate, Frame, Joint, Limits, Link
from .spatial import Inertia, Transform, Vector, rotation_from_rpy, symmetric
from .urdf_xml import (
    SHORTEST,
    check_children,
    checked_child,
    is_xacro,
    name_in,
    name_of,
    only_child,
    read_xml,
)

JOINT_TYPES = ('revolute', 'continuous', 'prismatic', 'fixed')
# The types that URDF knows and this package refuses: what to do instead.
UNSUPPORTED_TYPES = {
    'floating': 'make it fixed: the dynamics is that of a fixed base',
    'planar': 'replace it by two prismatic joints and a revolute one, or make it fixed',
}


def parse_urdf(text: str, *, strict: bool = False) -> RobotModel:
    """The model of a robot from the text of its URDF.

    Joints come depth first from the root link, siblings in the order of the text. The inertia of a
    link that is fixed to a moving link is merged into it; that of a link that is fixed to the root
    is left out.

    Args:
        text: of the URDF; xacro must have been expanded.
        strict: raise on implausible inertials instead of listing them in `model.findings`.

    Raises:
        UrdfError: the text is not a URDF, or an element or number is missing or wrong.
        TopologyError: links and joints do not form one tree, or a joint is planar or floating.
        InertiaError: an inertial is implausible, and `strict` is set.
    """
    robot = read_xml(text)
    if is_xacro(robot):
        raise UrdfError(
            'the description is xacro: expand it, `ros2 run xacro xacro robot.urdf.xacro > '
            'robot.urdf`, and pass the result; the command `robot_dynamics` takes the file itself'
        )
    if robot.find('link') is None:
        raise UrdfError('the robot has no <link>: at least one is needed')
    # Its import takes longer than all else of `core`.
    from urdf_parser_py.urdf import URDF

    urdf = URDF.from_xml_string(tostring(checked_robot(robot)))
    leading = {joint.child: joint.name for joint in urdf.joints}
    links = _by_name([_link(link, leading.get(link.name, '')) for link in urdf.links], 'link')
    described = _by_name(urdf.joints, 'joint')
    joints, frames = _grow_tree(links, described)
    moving = {joint.name for joint in joints}
    mimics = {name: described[name].mimic for name in moving if described[name].mimic is not None}
    remarks = [*_turned_too_far(urdf)]
    for joint in joints:
        if (law := mimics.get(joint.name)) and law.joint not in moving:
            value, link = f'mimic joint={law.joint!r}', described[joint.name].child
            remarks.append(Finding.of('orphaned_mimic', link, value, (joint.name,)))
            del mimics[joint.name]
    model = RobotModel(
        robot.get('name') or 'robot',
        _with_coordinates(joints, mimics),
        tuple(frames),
        tuple(remarks),
        tuple(links[frame.name] for frame in frames),
    )
    if strict and model.findings:
        raise InertiaError('; '.join(map(str, model.findings)))
    return model


def _turned_too_far(urdf: Any) -> Iterator[Finding]:
    """Findings about angles of origins that are beyond a whole turn: they may be degrees."""
    inertials = [(link.name, link.inertial, ()) for link in urdf.links if link.inertial]
    for link, part, joints in inertials + [(j.child, j, (j.name,)) for j in urdf.joints]:
        if max(map(abs, part.origin.rpy)) > 2.0 * math.pi:
            value = 'rpy ' + ' '.join(f'{angle:g}' for angle in part.origin.rpy)
            yield Finding.of('large_angle', link, value, joints)


def _with_coordinates(joints: Sequence[Joint], mimics: Mapping[str, Any]) -> tuple[Joint, ...]:
    """The joints with the entries of q that move them: one for each that mimics no other.

    Raises:
        TopologyError: a joint mimics itself, directly or through others.
    """
    independent = [joint.name for joint in joints if joint.name not in mimics]
    result = []
    for joint in joints:
        mimicked, multiplier, offset = joint.name, 1.0, 0.0
        passed = {mimicked}
        while mimicked in mimics:
            law = mimics[mimicked]
            # x = m (m' y + o') + o: the outer law is applied to the inner one.
            offset += multiplier * law.offset
            multiplier *= law.multiplier
            mimicked = law.joint
            if mimicked in passed:
                raise TopologyError(
                    f'joint {joint.name!r} mimics itself, through {mimicked!r}: one of the joints '
                    'must not mimic another'
                )
            passed.add(mimicked)
        coordinate = Coordinate(independent.index(mimicked), multiplier, offset)
        other = mimicked if joint.name in mimics else None
        result.append(replace(joint, coordinate=coordinate, mimicked=other))
    return tuple(result)


def checked_robot(robot: Element) -> Element:
    """The inertials of links and the joints, each number checked, and nothing else.

    Other readers refuse good robots because of their visuals, materials and transmissions, drop an
    inertial with a line break behind a number, and name no element where a number is wrong.

    Raises:
        UrdfError: an element or number is missing or wrong.
        TopologyError: a joint is planar or floating.
    """
    check_children(robot, 'robot')
    checked = Element('robot', {'name': robot.get('name') or 'robot'})
    for link in robot.findall('link'):
        name = name_of(link)
        kept, where = SubElement(checked, 'link', {'name': name}), f'link {name!r}'
        check_children(link, where)
        inertial = only_child(link, 'inertial', where)
        if inertial is not None:
            check_children(inertial, f'{where}: inertial')
            kept = SubElement(kept, 'inertial')
            for tag in ('origin', 'mass', 'inertia'):
                kept.append(checked_child(inertial, tag, f'{where}: inertial'))
    for joint in robot.findall('joint'):
        name, kind = name_of(joint), joint.get('type')
        where = f'joint {name!r}'
        if kind in UNSUPPORTED_TYPES:
            raise TopologyError(f'{where} is {kind}: {UNSUPPORTED_TYPES[kind]}')
        if kind not in JOINT_TYPES:
            raise UrdfError(f'{where}: type is {kind!r}, allowed are {", ".join(JOINT_TYPES)}')
        check_children(joint, where)
        kept = SubElement(checked, 'joint', {'name': name, 'type': kind})
        for tag in ('parent', 'child'):
            SubElement(kept, tag, {'link': name_in(joint, tag, 'link', where)})
        # Exporters write 0 0 0 for a joint that has no axis.
        tags = ('origin', 'axis', 'limit', 'dynamics')
        for tag in tags if kind != 'fixed' else ('origin', 'limit', 'dynamics'):
            kept.append(checked_child(joint, tag, where))
        if only_child(joint, 'mimic', where) is not None:
            kept.append(checked_child(joint, 'mimic', where))
            kept[-1].set('joint', name_in(joint, 'mimic', 'joint', where))
    return checked


def _link(link: Any, joint: str) -> Link:
    """A link, and the joint that leads to it."""
    if link.inertial is None:
        return Link(link.name, joint=joint)
    mass, (x, y, z) = link.inertial.mass, link.inertial.inertia.to_matrix()
    rotational = symmetric(x[0], x[1], x[2], y[1], y[2], z[2])
    if mass < 0.0:
        raise UrdfError(f'link {link.name!r}: mass is {mass:g} kg, it must not be negative')
    placement = _placement(link.inertial.origin)
    inertia = Inertia.at_center_of_mass(mass, rotational, placement)
    found = tuple(examine_inertial(link.name, mass, rotational))
    return Link(link.name, inertia, joint, found)


def _joint(urdf: Any, parent: int, placement: Transform) -> Joint:
    """A moving joint without inertia, whose coordinate is not known yet."""
    limit, bounded = urdf.limit, urdf.type != 'continuous'
    return Joint(
        name=urdf.name,
        kind=urdf.type,
        parent=parent,
        placement=placement,
        axis=_axis(urdf),
        inertia=Inertia(),
        coordinate=Coordinate(0),
        limits=Limits(
            limit.lower if bounded else -math.inf,
            limit.upper if bounded else math.inf,
            limit.velocity,
            limit.effort,
        ),
        damping=urdf.dynamics.damping,
        friction=urdf.dynamics.friction,
    )


def _axis(joint: Any) -> Vector:
    x, y, z = joint.axis
    length = math.hypot(x, y, z)
    if length < SHORTEST:
        given = f'"{x:g} {y:g} {z:g}"'
        raise UrdfError(f'joint {joint.name!r}: axis xyz is {given}, it must not be zero')
    return (x / length, y / length, z / length)


def _placement(origin: Any) -> Transform:
    return Transform(rotation_from_rpy(*origin.rpy), tuple(origin.xyz))


def _grow_tree(
    links: Mapping[str, Link], joints: Mapping[str, Any]
) -> tuple[list[Joint], list[Frame]]:
    """The moving joints with the inertia that they carry, and the frames of all links."""
    children: dict[str, list[Any]] = {name: [] for name in links}
    for joint in joints.values():
        for end, link in (('parent', joint.parent), ('child', joint.child)):
            if link not in links:
                raise TopologyError(f'joint {joint.name!r}: {end} link {link!r} does not exist')
        children[joint.parent].append(joint)

    bodies: list[Joint] = []
    frames: list[Frame] = []
    # Each entry: a link, the joint that leads to it, the moving body that carries that joint
    # (-1: the base), and the pose of the link in that body.
    stack = [(_root(links, joints.values()), None, -1, Transform())]
    while stack:
        link, leading, parent, placement = stack.pop()
        if leading is not None and leading.type != 'fixed':
            bodies.append(_joint(leading, parent, placement))
            parent, placement = len(bodies) - 1, Transform()
        frames.append(Frame(link, parent, placement))
        if parent >= 0:
            body = bodies[parent]
            carried = placement @ links[link].inertia
            bodies[parent] = replace(body, inertia=body.inertia + carried)
        stack += [
            (child.child, child, parent, placement @ _placement(child.origin))
            for child in reversed(children[link])
        ]
    if missed := sorted(links.keys() - {frame.name for frame in frames}):
        raise TopologyError(f'the joints of these links form a loop: {", ".join(missed)}')
    return bodies, frames


def _root(links: Iterable[str], joints: Iterable[Any]) -> str:
    parents: dict[str, str] = {}
    for joint in joints:
        if joint.child in parents:
            raise TopologyError(
                f'link {joint.child!r} is the child of two joints, {parents[joint.child]!r} and '
                f'{joint.name!r}: one is allowed'
            )
        parents[joint.child] = joint.name
    roots = [link for link in links if link not in parents]
    if not roots:
        raise TopologyError('no link is the root: every link is the child of a joint (a loop)')
    if len(roots) > 1:
        raise TopologyError(f'one link must be the root, these have no parent: {", ".join(roots)}')
    return roots[0]


def _by_name(elements: list[Any], kind: str) -> dict[str, Any]:
    counts = Counter(element.name for element in elements)
    if repeated := [name for name, count in counts.items() if count > 1]:
        raise TopologyError(f'{kind} names must be unique, repeated: {", ".join(repeated)}')
    return {element.name: element for element in elements}
