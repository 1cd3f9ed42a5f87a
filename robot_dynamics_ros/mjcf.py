"""A URDF as MuJoCo reads it: inertials and joints, and a site for each link, of its name."""

from __future__ import annotations

import logging
import math
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from robot_dynamics_ros.core.errors import UrdfError
from robot_dynamics_ros.core.urdf_xml import read_xml

PARTS = {
    'link': ('inertial',),
    'joint': ('origin', 'parent', 'child', 'axis', 'limit', 'dynamics', 'mimic'),
}
TYPES = ('revolute', 'continuous', 'prismatic', 'fixed')


def spec_of(urdf_text: str) -> Any:
    """The mujoco.MjSpec of a URDF.

    MuJoCo merges links that fixed joints connect; the sites keep their frames.

    Raises:
        UrdfError: see `stripped`.
        ValueError: MuJoCo refuses it.
    """
    import mujoco

    # By default MuJoCo writes warnings to stderr and to a file in the current folder.
    mujoco.set_mju_user_warning(logging.getLogger(__name__).warning)
    spec = mujoco.MjSpec.from_string(stripped(urdf_text))
    for body in spec.bodies[1:]:
        body.add_site(name=body.name)
    _forget_inertia_of_fixed(spec.worldbody)
    return spec


def mjcf_of(urdf_text: str, armature: Mapping[str, float]) -> str:
    """The MJCF of a URDF, by MuJoCo's own compiler, with rotors by joint [kg m^2 or kg].

    Empty where MuJoCo is not installed, or refuses a body: one that is thinner than a real one.
    """
    if not find_spec('mujoco'):
        return ''
    try:
        spec = spec_of(urdf_text)
        for joint in spec.joints:
            joint.armature = armature.get(joint.name, 0.0)
        spec.compile()
    except ValueError:
        return ''
    return str(spec.to_xml())


def stripped(urdf_text: str) -> str:
    """The URDF without shapes, meshes, transmissions and extensions.

    Raises:
        UrdfError: it cannot be read, no joint moves, or one of them as MuJoCo cannot.
    """
    robot = read_xml(urdf_text)
    name = robot.get('name') or 'robot'
    stripped = ElementTree.Element('robot', {'name': name})
    for tag, parts in PARTS.items():
        for element in robot.findall(tag):
            kept = ElementTree.SubElement(stripped, tag, element.attrib)
            kept.extend(child for child in element if child.tag in parts)
    kinds = {joint.get('name'): joint.get('type') for joint in stripped.iter('joint')}
    if set(kinds.values()) <= {'fixed'}:
        raise UrdfError(f'{name} has no moving joint: at least one is needed')
    if other := [joint for joint, kind in kinds.items() if kind not in TYPES]:
        raise UrdfError(f'{other[0]!r} is a {kinds[other[0]]!r} joint, not {", ".join(TYPES)}')
    return ElementTree.tostring(stripped, encoding='unicode')


def _forget_inertia_of_fixed(body: Any) -> None:
    """Of bodies that do not move: it has no effect, and MuJoCo may refuse its values."""
    for child in body.bodies:
        if not child.joints:
            child.mass, child.fullinertia[:] = 0.0, math.nan
            _forget_inertia_of_fixed(child)
