"""The size of the shapes of a link: the box that encloses them, and their volume."""

from __future__ import annotations

import math
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import UrdfError
from robot_dynamics_ros.core.spatial import Vector, rotation_from_rpy
from robot_dynamics_ros.core.urdf_xml import numbers, numbers_of


@dataclass(frozen=True)
class Extent:
    """The box, along the axes of a frame, that encloses some shapes."""

    lower: Array  #: (3,) corner with the smallest coordinates [m]
    upper: Array  #: (3,) corner with the largest coordinates [m]
    volume: float  #: of the shapes, overlaps counted twice [m^3]

    @property
    def diagonal(self) -> float:
        """Length of the diagonal [m]."""
        return math.dist(self.lower, self.upper)

    def distance(self, point: Vector) -> float:
        """Distance of a point (3,) from the box [m]; 0 inside."""
        beyond = np.maximum(self.lower - point, np.subtract(point, self.upper))
        return math.hypot(*np.maximum(beyond, 0.0))

    def farthest(self, point: Vector) -> float:
        """Distance of a point (3,) from the corner that is farthest from it [m]."""
        return math.hypot(*np.maximum(abs(self.lower - point), abs(self.upper - point)))


def link_extents(robot: Element) -> dict[str, Extent]:
    """Extent of each <link> in its frame, of those that have primitive shapes and no others.

    A primitive beside a mesh is only a part of the link or an approximation. A shape that cannot
    be read counts as unknown, and is not an error: the dynamics does not need it.
    """
    extents = {}
    for link in robot.findall('link'):
        kinds = ([*map(_extent, link.findall(kind))] for kind in ('collision', 'visual'))
        found = [_enclosing(shapes) for shapes in kinds if shapes]
        if (both := _enclosing(found)) is not None:
            # Visual and collision shapes fill the same space.
            volume = max(each.volume for each in found if each is not None)
            extents[link.get('name', '')] = Extent(both.lower, both.upper, volume)
    return extents


def _enclosing(extents: list[Extent | None]) -> Extent | None:
    """The box around some boxes; None if there are none, or one is not known."""
    known = [extent for extent in extents if extent is not None]
    if not known or len(known) < len(extents):
        return None
    lower = np.min([extent.lower for extent in known], axis=0)
    upper = np.max([extent.upper for extent in known], axis=0)
    return Extent(lower, upper, sum(extent.volume for extent in known))


def _extent(shape: Element) -> Extent | None:
    """That of a <visual> or <collision>; None if it is no primitive, or cannot be read."""
    primitive = shape.find('geometry/*')
    if primitive is None or primitive.tag not in ('box', 'sphere', 'cylinder', 'capsule'):
        return None
    try:
        size = numbers_of(primitive, 'shape')
        x, y, z, *angles = numbers(shape, 'origin', 'shape')
    except UrdfError:
        return None
    if primitive.tag == 'box':
        sides, volume = [length / 2.0 for length in size], math.prod(size)
    else:
        radius, length = size[0], sum(size[1:])
        ball, rod = 4.0 / 3.0 * math.pi * radius**3, math.pi * radius**2 * length
        is_round = primitive.tag != 'cylinder'
        sides = [radius, radius, length / 2.0 + radius * is_round]
        volume = rod + ball * is_round
    if not 0.0 < volume < math.inf:
        return None
    reach = np.abs(rotation_from_rpy(*angles)) @ sides
    return Extent(np.array([x, y, z]) - reach, np.array([x, y, z]) + reach, volume)
