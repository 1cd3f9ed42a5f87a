"""The collision geometry of a description as rounded convex hulls."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.spatial import rotation_from_rpy
from robot_dynamics_ros.core.urdf_xml import read_xml
from robot_dynamics_ros.inspection.picture.mesh_files import MeshError, mesh_file

from .mesh_vertices import hull_of, mesh_vertices

# Corners of the polygon that encloses a circle: its corners are 2 % farther out.
CORNERS = 16


@dataclass(frozen=True)
class Shape:
    """A convex body: all points within a radius of the hull of some points.

    One point is a sphere, two are a capsule, more with the radius 0 are a convex polyhedron.

    Attributes:
        frame: index in `model.frames` of the link that carries it.
        points: (k, 3) in the frame of the link [m].
        radius: [m].
    """

    frame: int
    points: Array
    radius: float = 0.0


@dataclass(frozen=True)
class LoadedShapes:
    """What could be read of the collision geometry.

    Attributes:
        shapes: of all links.
        missing: why a <collision> of a link has no shape, by the name of the link.
    """

    shapes: tuple[Shape, ...]
    missing: dict[str, str]


def collision_shapes(model: RobotModel, urdf: str, folder: Path | None) -> LoadedShapes:
    """The convex hull of each <collision> of a description.

    Args:
        model: the robot.
        urdf: text of its description.
        folder: of its file, for the meshes; None if it is from elsewhere.
    """
    indices = {frame.name: index for index, frame in enumerate(model.frames)}
    shapes: list[Shape] = []
    missing = {}
    for link in read_xml(urdf).findall('link'):
        name = link.get('name', '')
        found, why = _shapes_of(link, indices[name], folder)
        shapes += found
        if why:
            missing[name] = why
    return LoadedShapes(tuple(shapes), missing)


def _shapes_of(link: Element, frame: int, folder: Path | None) -> tuple[list[Shape], str]:
    """The shapes of a link that can be used, and why others cannot."""
    tried = [_shape_or_reason(part, frame, folder) for part in link.findall('collision')]
    found = [one for one in tried if isinstance(one, Shape)]
    reasons = dict.fromkeys(one for one in tried if isinstance(one, str))
    return found, ', '.join(reasons)


def _shape_or_reason(element: Element, frame: int, folder: Path | None) -> Shape | str:
    try:
        return _shape(element, frame, folder)
    except (MeshError, ValueError) as error:
        return str(error)


def _shape(element: Element, frame: int, folder: Path | None) -> Shape:
    """One <collision>.

    Raises:
        MeshError: its mesh cannot be read.
        ValueError: it has no geometry that is known, or a number is wrong.
    """
    geometry, origin = element.find('geometry/*'), element.find('origin')
    if geometry is None:
        raise ValueError('a collision has no geometry')
    points, radius = _points(geometry, folder)
    place = Element('origin') if origin is None else origin
    rotation: Array = np.array(rotation_from_rpy(*_numbers(place, 'rpy', 3, '0 0 0')))
    return Shape(frame, points @ rotation.T + _numbers(place, 'xyz', 3, '0 0 0'), radius)


def _points(geometry: Element, folder: Path | None) -> tuple[Array, float]:
    """Points (k, 3) whose hull the geometry is, and the radius about it [m]."""
    if geometry.tag == 'box':
        signs = np.array(np.meshgrid(*3 * [[-0.5, 0.5]])).reshape(3, -1).T
        return signs * _numbers(geometry, 'size', 3), 0.0
    if geometry.tag == 'mesh':
        name = geometry.get('filename', '')
        file = mesh_file(name, folder)
        if file is None:
            raise MeshError(f'mesh {name} is not found')
        return hull_of(mesh_vertices(file) * _numbers(geometry, 'scale', 3, '1 1 1')), 0.0
    if geometry.tag not in ('sphere', 'cylinder', 'capsule'):
        raise ValueError(f'its geometry is <{geometry.tag}>, known are box, capsule, cylinder, '
                         'mesh and sphere')  # fmt: skip
    radius = float(_numbers(geometry, 'radius', 1)[0])
    if geometry.tag == 'sphere':
        return np.zeros((1, 3)), radius
    half = 0.5 * float(_numbers(geometry, 'length', 1)[0])
    if geometry.tag == 'capsule':
        return np.array([[0.0, 0.0, -half], [0.0, 0.0, half]]), radius
    angles = 2.0 * np.pi * np.arange(CORNERS) / CORNERS
    rim = radius / math.cos(math.pi / CORNERS) * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    ends = [np.column_stack([rim, np.full(CORNERS, z)]) for z in (-half, half)]
    return np.concatenate(ends), 0.0


def _numbers(element: Element, attribute: str, count: int, default: str = '') -> Array:
    text = element.get(attribute, default)
    try:
        numbers = np.array([float(word) for word in text.split()])
    except ValueError:
        numbers = np.array([])
    if numbers.shape != (count,) or not (np.abs(numbers) < 1e6).all():
        raise ValueError(f'<{element.tag} {attribute}="{text}"> must be {count} numbers')
    return numbers
