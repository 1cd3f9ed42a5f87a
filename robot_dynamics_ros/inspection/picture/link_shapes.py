"""The shapes of each link of a description as triangles in the frame of the link."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.spatial import rotation_from_rpy
from robot_dynamics_ros.core.urdf_xml import read_xml

from . import solid_triangles
from .mesh_files import MeshError, mesh_file, mesh_triangles

NOT_FOUND = (
    'not found in the packages of ROS (AMENT_PREFIX_PATH, ROS_PACKAGE_PATH), nor beside or above '
    'the description'
)


@dataclass
class LinkShapes:
    """Shapes of all links.

    Attributes:
        triangles: (N, 3, 3) by the name of the link, in its frame [m].
        missing: why a mesh is not drawn, by its name in the URDF.
        links_of_missing: the first link that has such a mesh, by the name of the mesh.
    """

    triangles: dict[str, Array] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    links_of_missing: dict[str, str] = field(default_factory=dict)


def link_shapes(
    urdf: str, folder: Path | None, advance: Callable[[int], None] | None = None
) -> LinkShapes:
    """The visual shapes of each link, or its collision shapes where it has no visual ones.

    Args:
        urdf: text of the description.
        folder: of its file, for the meshes; None if it is from a topic.
        advance: called with 1 after each link; None for nothing.
    """
    shapes = LinkShapes()
    for link in read_xml(urdf).findall('link'):
        elements = link.findall('visual') or link.findall('collision')
        found = [part for element in elements for part in _placed(element, folder, shapes.missing)]
        name = link.get('name', '')
        if found:
            shapes.triangles[name] = np.concatenate(found)
        for mesh in shapes.missing:
            shapes.links_of_missing.setdefault(mesh, name)
        if advance is not None:
            advance(1)
    return shapes


def _placed(element: Element, folder: Path | None, missing: dict[str, str]) -> Iterator[Array]:
    """The triangles of one <visual> or <collision>; none where a number is wrong."""
    shape, origin = element.find('geometry/*'), element.find('origin')
    try:
        triangles = None if shape is None else _triangles(shape, folder, missing)
        xyz, rpy = ('0 0 0', '0 0 0') if origin is None else (
            origin.get('xyz', '0 0 0'), origin.get('rpy', '0 0 0'),
        )  # fmt: skip
        rotation = np.array(rotation_from_rpy(*_numbers(rpy, 3)))
        placed = None if triangles is None else triangles @ rotation.T + _numbers(xyz, 3)
    except ValueError:
        return
    if placed is not None:
        yield placed


def _triangles(shape: Element, folder: Path | None, missing: dict[str, str]) -> Array | None:
    if shape.tag == 'box':
        return solid_triangles.box(_numbers(shape.get('size', ''), 3))
    if shape.tag in ('cylinder', 'capsule'):
        (radius,), (length,) = (_numbers(shape.get(key, ''), 1) for key in ('radius', 'length'))
        return solid_triangles.cylinder(radius, length)
    if shape.tag == 'sphere':
        return solid_triangles.sphere(_numbers(shape.get('radius', ''), 1)[0])
    if shape.tag != 'mesh':
        return None
    name = shape.get('filename', '')
    file = mesh_file(name, folder)
    if file is None:
        missing[name] = NOT_FOUND
        return None
    try:
        triangles = mesh_triangles(file)
    except MeshError as error:
        missing[name] = str(error)
        return None
    return triangles * _numbers(shape.get('scale', '1 1 1'), 3)


def _numbers(text: str, count: int) -> Array:
    numbers = [float(word) for word in text.split()]
    if len(numbers) != count or not all(math.isfinite(n) and abs(n) < 1e6 for n in numbers):
        raise ValueError(text)
    return np.array(numbers)
