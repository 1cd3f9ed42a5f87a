"""From a URDF to a `RobotModel`: checks the tree, and merges links joined by fixed joints."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..errors import InertiaError, TopologyError, UrdfError
from ..model.findings import Finding, examine_inertial, massless_body, orphaned_mimic
from ..model.robot import RobotModel
from ..model.tree import Frame, Joint, Limits, Link
from ..spatial import Inertia, Transform, Vector, rotation_from_rpy
from .mimic import Mimic, assign_coordinates
from .shapes import extent_of_link
from .urdf_text import SHORTEST, is_xacro, read_urdf, read_xml


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
    root = read_xml(text)
    if is_xacro(root):
        raise UrdfError(
            'the description is xacro: expand it with the command `xacro robot.urdf.xacro`, or '
            'with robot_dynamics_ros.xacro_expansion.expand_xacro, and pass the result'
        )
    urdf = read_urdf(root)
    bodies, frames = _grow_tree(urdf)
    findings = tuple(_findings(urdf, bodies))
    if strict and findings:
        raise InertiaError('; '.join(str(finding) for finding in findings))
    names = [body.joint.name for body in bodies]
    mimics = {body.joint.name: _mimic(body.joint) for body in bodies if body.joint.mimic}
    coordinates = assign_coordinates(
        names, {name: mimic for name, mimic in mimics.items() if mimic.mimicked in names}
    )
    joints = tuple(
        Joint(
            name=body.joint.name,
            kind=body.joint.type,
            parent=body.parent,
            placement=body.placement,
            axis=_axis(body.joint),
            inertia=body.inertia,
            coordinate=coordinate,
            mimicked=mimicked,
            limits=_limits(body.joint),
            damping=_dynamics(body.joint, 'damping'),
            friction=_dynamics(body.joint, 'friction'),
        )
        for body, (coordinate, mimicked) in zip(bodies, coordinates, strict=True)
    )
    links = _by_name(urdf.links, 'link')
    extents = {link.get('name'): extent_of_link(link) for link in root.findall('link')}
    described = tuple(
        Link(frame.name, _inertia(links[frame.name]), extents[frame.name]) for frame in frames
    )
    return RobotModel(urdf.name, joints, tuple(frames), findings, described)


@dataclass
class _Body:
    """A moving body while the tree is read: the links fixed to it are still being added."""

    joint: Any
    parent: int
    placement: Transform
    inertia: Inertia = field(default_factory=Inertia)


def _grow_tree(urdf: Any) -> tuple[list[_Body], list[Frame]]:
    links = _by_name(urdf.links, 'link')
    _by_name(urdf.joints, 'joint')
    children: dict[str, list[Any]] = {name: [] for name in links}
    for joint in urdf.joints:
        for end, link in (('parent', joint.parent), ('child', joint.child)):
            if link not in links:
                raise TopologyError(f'joint {joint.name!r}: {end} link {link!r} does not exist')
        children[joint.parent].append(joint)

    bodies: list[_Body] = []
    frames: list[Frame] = []
    # Each entry: a link, the joint that leads to it, the moving body that carries that joint
    # (-1: the base), and the pose of the link in that body.
    stack: list[tuple[str, Any, int, Transform]] = [(_root(urdf), None, -1, Transform())]
    while stack:
        link, joint, carrier, placement = stack.pop()
        if joint is not None and joint.type != 'fixed':
            bodies.append(_Body(joint, carrier, placement))
            carrier, placement = len(bodies) - 1, Transform()
        frames.append(Frame(link, carrier, placement))
        if carrier >= 0:
            carried = placement @ _inertia(links[link])
            bodies[carrier].inertia += carried
        stack += [
            (child.child, child, carrier, placement @ _placement(child.origin))
            for child in reversed(children[link])
        ]
    if missed := sorted(links.keys() - {frame.name for frame in frames}):
        raise TopologyError(f'the joints of these links form a loop: {", ".join(missed)}')
    return bodies, frames


def _by_name(elements: Iterable[Any], kind: str) -> dict[str, Any]:
    named = {element.name: element for element in elements}
    counts = Counter(element.name for element in elements)
    if repeated := [name for name, count in counts.items() if count > 1]:
        raise TopologyError(f'{kind} names must be unique, repeated: {", ".join(repeated)}')
    return named


def _root(urdf: Any) -> str:
    parents: dict[str, str] = {}
    for joint in urdf.joints:
        if joint.child in parents:
            raise TopologyError(
                f'link {joint.child!r} is the child of two joints, {parents[joint.child]!r} and '
                f'{joint.name!r}: one is allowed'
            )
        parents[joint.child] = joint.name
    roots = [link.name for link in urdf.links if link.name not in parents]
    if not roots:
        raise TopologyError('no link is the root: every link is the child of a joint (a loop)')
    if len(roots) > 1:
        raise TopologyError(f'one link must be the root, these have no parent: {", ".join(roots)}')
    return str(roots[0])


def _placement(origin: Any) -> Transform:
    if origin is None:
        return Transform()
    x, y, z = origin.xyz or (0.0, 0.0, 0.0)
    return Transform(rotation_from_rpy(*(origin.rpy or (0.0, 0.0, 0.0))), (x, y, z))


def _inertia(link: Any) -> Inertia:
    if link.inertial is None:
        return Inertia()
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = link.inertial.inertia.to_matrix()
    rotational = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    placement = _placement(link.inertial.origin)
    return Inertia.at_center_of_mass(float(link.inertial.mass), rotational, placement)


def _axis(joint: Any) -> Vector:
    x, y, z = joint.axis or (1.0, 0.0, 0.0)
    length = math.hypot(x, y, z)
    if length < SHORTEST:
        given = f'"{x:g} {y:g} {z:g}"'
        raise UrdfError(f'joint {joint.name!r}: axis xyz is {given}, it must not be zero')
    return (x / length, y / length, z / length)


def _limits(joint: Any) -> Limits:
    if joint.limit is None:
        return Limits()
    limit = joint.limit
    if joint.type == 'continuous':
        return Limits(velocity=limit.velocity, effort=limit.effort)
    return Limits(limit.lower or 0.0, limit.upper or 0.0, limit.velocity, limit.effort)


def _dynamics(joint: Any, name: str) -> float:
    return float(getattr(joint.dynamics, name, None) or 0.0)


def _mimic(joint: Any) -> Mimic:
    multiplier, offset = joint.mimic.multiplier, joint.mimic.offset
    return Mimic(joint.mimic.joint, 1.0 if multiplier is None else multiplier, offset or 0.0)


def _findings(urdf: Any, bodies: Iterable[_Body]) -> Iterable[Finding]:
    for link in urdf.links:
        if link.inertial is not None:
            rotational = link.inertial.inertia.to_matrix()
            yield from examine_inertial(link.name, float(link.inertial.mass), rotational)
    moving = {body.joint.name for body in bodies}
    described = {joint.name for joint in urdf.joints}
    for body in bodies:
        if body.inertia.mass == 0.0:
            yield massless_body(body.joint.child, body.joint.name)
        if body.joint.mimic and body.joint.mimic.joint not in moving:
            mimicked = body.joint.mimic.joint
            fixed = mimicked in described
            yield orphaned_mimic(body.joint.child, body.joint.name, mimicked, fixed)
