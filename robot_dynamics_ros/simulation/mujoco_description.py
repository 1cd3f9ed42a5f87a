"""The URDF, reduced to what MuJoCo needs: inertials and joints."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

from robot_dynamics_ros.core.description.urdf_text import read_xml
from robot_dynamics_ros.core.errors import UrdfError

MOVING_TYPES = ('revolute', 'continuous', 'prismatic')
_LINK_PARTS = ('inertial',)
_JOINT_PARTS = ('origin', 'parent', 'child', 'axis', 'limit', 'dynamics', 'mimic')


class SimulationError(Exception):
    """The arm cannot be simulated as described."""


@dataclass(frozen=True)
class JointData:
    """A moving joint and its limits; a limit that the URDF does not give is infinite.

    Units: rad, rad/s, N m, N m s/rad, N m; for a prismatic joint m, m/s, N, N s/m, N.
    """

    name: str
    kind: str
    lower: float
    upper: float
    velocity: float
    effort: float
    damping: float
    friction: float
    mimic: bool


@dataclass(frozen=True)
class ArmDescription:
    """A URDF after `strip`: its text and its moving joints."""

    name: str
    text: str
    joints: tuple[JointData, ...]


def strip(urdf_text: str) -> ArmDescription:
    """Remove shapes, meshes, transmissions and extensions from a URDF; keep inertials and joints.

    Inertials of the root link and of links fixed to it are removed too, as they do not move.

    Raises:
        SimulationError: the text is not XML, is unsafe to parse, or is not a robot.
    """
    try:
        robot = read_xml(urdf_text)
    except UrdfError as error:
        raise SimulationError(f'robot_description cannot be used: {error}') from error
    name = robot.get('name') or 'robot'
    stripped = ElementTree.Element('robot', {'name': name})
    for link in robot.findall('link'):
        stripped.append(_only(link, _LINK_PARTS))
    for joint in robot.findall('joint'):
        stripped.append(_only(joint, _JOINT_PARTS))
    _drop_static_inertials(stripped)
    joints = tuple(_joint_data(joint) for joint in stripped.findall('joint')
                   if joint.get('type') != 'fixed')  # fmt: skip
    if not joints:
        raise SimulationError(f'{name} has no moving joint: at least one is needed')
    return ArmDescription(name, ElementTree.tostring(stripped, encoding='unicode'), joints)


def _only(element: ElementTree.Element, tags: tuple[str, ...]) -> ElementTree.Element:
    copy = ElementTree.Element(element.tag, element.attrib)
    copy.extend(child for child in element if child.tag in tags)
    return copy


def _drop_static_inertials(robot: ElementTree.Element) -> None:
    """Remove inertials without effect on the motion: MuJoCo may refuse their values."""
    children = {_link(joint, 'child') for joint in robot.findall('joint')}
    static = {link.get('name') for link in robot.findall('link')} - children
    fixed = [joint for joint in robot.findall('joint') if joint.get('type') == 'fixed']
    grown = True
    while grown:
        more = {_link(joint, 'child') for joint in fixed if _link(joint, 'parent') in static}
        grown = not more <= static
        static |= more
    for link in robot.findall('link'):
        if link.get('name') in static:
            link[:] = []


def _link(joint: ElementTree.Element, role: str) -> str | None:
    element = joint.find(role)
    return None if element is None else element.get('link')


def _joint_data(joint: ElementTree.Element) -> JointData:
    name, kind = joint.get('name') or '', joint.get('type') or ''
    if kind not in MOVING_TYPES:
        allowed = ', '.join(MOVING_TYPES)
        raise SimulationError(f'joint {name!r} is of type {kind!r}: allowed are {allowed}, fixed')

    def number(tag: str, attribute: str) -> float:
        element = joint.find(tag)
        text = '0' if element is None else element.get(attribute, '0')
        try:
            return float(text)
        except ValueError:
            raise SimulationError(
                f'joint {name!r}: {tag} {attribute}={text!r} is not a number'
            ) from None

    lower, upper = number('limit', 'lower'), number('limit', 'upper')
    # Exporters write equal limits for none, and MuJoCo reads them so.
    unlimited = kind == 'continuous' or lower >= upper
    return JointData(
        name=name,
        kind=kind,
        lower=-math.inf if unlimited else lower,
        upper=math.inf if unlimited else upper,
        velocity=number('limit', 'velocity') or math.inf,
        effort=number('limit', 'effort') or math.inf,
        damping=number('dynamics', 'damping'),
        friction=number('dynamics', 'friction'),
        mimic=joint.find('mimic') is not None,
    )
