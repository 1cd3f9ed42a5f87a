"""The model of MuJoCo: a URDF reduced to inertials and joints, a site for each link, a wall."""

from __future__ import annotations

import logging
import math
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from robot_dynamics_ros.core.errors import UrdfError
from robot_dynamics_ros.core.urdf_xml import read_xml

MAX_STEP = 0.0006
"""Longest step of RK4 [s]: the error of a falling arm is then about 1e-9 rad."""
WALL, BALL = 'wall', 'ball'
"""Names of the two bodies of a wall."""
_PARTS = {
    'link': ('inertial',),
    'joint': ('origin', 'parent', 'child', 'axis', 'limit', 'dynamics', 'mimic'),
}
_MOVING_TYPES = ('revolute', 'continuous', 'prismatic')
# Of the wall: time constant [s] and damping ratio, for the longest step; share that is rigid [-].
_STIFFNESS, _IMPEDANCE = (0.0015, 1.0), 0.9999


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


@dataclass(frozen=True)
class Wall:
    """A plane without friction, and a ball about the origin of a link that cannot pass it.

    Attributes:
        link: name of the link.
        point: a point of the plane, in the frame of the root link, (3,) [m].
        normal: out of the wall, towards the arm, in the same frame, (3,), of any length.
        radius: of the ball [m].
    """

    link: str
    point: ArrayLike
    normal: ArrayLike
    radius: float = 0.05


def strip(urdf_text: str) -> ArmDescription:
    """Remove shapes, meshes, transmissions and extensions from a URDF; keep inertials and joints.

    Inertials of the root link and of links fixed to it are removed too: they have no effect on the
    motion, and MuJoCo may refuse their values.

    Raises:
        SimulationError: the text is not XML, is unsafe to parse, or is not a robot.
    """
    try:
        robot = read_xml(urdf_text)
    except UrdfError as error:
        raise SimulationError(f'robot_description cannot be used: {error}') from error
    name = robot.get('name') or 'robot'
    stripped = ElementTree.Element('robot', {'name': name})
    for tag, parts in _PARTS.items():
        for element in robot.findall(tag):
            kept = ElementTree.SubElement(stripped, tag, element.attrib)
            kept.extend(child for child in element if child.tag in parts)
    static = _static_links(stripped)
    for link in stripped.findall('link'):
        if link.get('name') in static:
            link[:] = []
    joints = [joint for joint in stripped.findall('joint') if joint.get('type') != 'fixed']
    if not joints:
        raise SimulationError(f'{name} has no moving joint: at least one is needed')
    text = ElementTree.tostring(stripped, encoding='unicode')
    return ArmDescription(name, text, tuple(map(_joint_data, joints)))


def _static_links(robot: ElementTree.Element) -> set[str]:
    """The root link and the links that fixed joints connect with it."""

    def link(joint: ElementTree.Element, role: str) -> str:
        element = joint.find(role)
        return '' if element is None else element.get('link', '')

    joints = [(link(j, 'parent'), link(j, 'child'), j.get('type')) for j in robot.findall('joint')]
    static = {link.get('name', '') for link in robot.findall('link')}
    static -= {child for _, child, _ in joints}
    for _ in joints:  # as often as the longest chain may need
        static |= {child for parent, child, kind in joints if kind == 'fixed' and parent in static}
    return static


def _joint_data(joint: ElementTree.Element) -> JointData:
    name, kind = joint.get('name') or '', joint.get('type') or ''
    if kind not in _MOVING_TYPES:
        allowed = ', '.join(_MOVING_TYPES)
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


def compile_model(text: str, wall: Wall | None = None) -> mujoco.MjModel:
    """Compile a URDF. Each link has a site of its name.

    MuJoCo merges links that fixed joints connect; the sites keep their frames.

    Args:
        text: URDF after `strip`.
        wall: that one link can touch; None for none.

    Raises:
        SimulationError: MuJoCo refuses the URDF, the link of the wall is unknown, or its normal
            is zero.
    """
    # By default MuJoCo writes warnings to stderr and to a file in the current folder.
    mujoco.set_mju_user_warning(logging.getLogger(__name__).warning)
    try:
        spec = mujoco.MjSpec.from_string(text)
        for body in spec.bodies[1:]:
            body.add_site(name=body.name)
        if wall is not None:
            _add_wall(spec, wall)
        model = spec.compile()
    except ValueError as error:
        raise SimulationError(
            f'MuJoCo refuses this URDF: {" ".join(str(error).split())}. The simulated arm needs '
            'mass and inertia of a real body in every moving link; the dynamics node does not.'
        ) from error
    # A mimic joint is a gear, as stiff as the step allows; by default MuJoCo uses a soft spring.
    model.eq_solref[:] = (2.5 * MAX_STEP, 1.0)
    model.eq_solimp[:, :2] = 0.9999
    # By default MuJoCo resets the state without an error where it is not finite.
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    return model


def _add_wall(spec: mujoco.MjSpec, wall: Wall) -> None:
    normal = np.array(wall.normal, dtype=float)
    if not np.linalg.norm(normal) > 0.0:
        raise SimulationError('the normal of the wall is zero: it must have a direction')
    links = [body.name for body in spec.bodies[1:]]
    if wall.link not in links:
        raise SimulationError(f'the wall is for link {wall.link!r}: known are {", ".join(links)}')
    turn = np.empty(4)
    mujoco.mju_quatZ2Vec(turn, normal / np.linalg.norm(normal))
    contact = {
        'condim': 1,
        'solref': _STIFFNESS,
        'solimp': (_IMPEDANCE, _IMPEDANCE, 0.001, 0.5, 2.0),
    }
    spec.worldbody.add_geom(
        name=WALL,
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        pos=np.array(wall.point, dtype=float),
        quat=turn,
        size=[1.0, 1.0, 0.1],
        **contact,
    )
    spec.body(wall.link).add_geom(
        name=BALL,
        type=mujoco.mjtGeom.mjGEOM_SPHERE,
        size=[wall.radius, 0.0, 0.0],
        density=0.0,
        **contact,
    )
