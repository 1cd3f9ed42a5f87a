"""The extent of a link from its shapes: boxes, cylinders, spheres and capsules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from xml.etree.ElementTree import Element

from ..model.extent import Extent
from ..spatial import Transform, rotation_from_rpy


def extent_of_link(link: Element) -> Extent | None:
    """Extent of a <link> in its frame; None if it has no shapes, or one that is not a primitive.

    A primitive beside a mesh is only a part of the link or an approximation. A shape that cannot
    be read counts as unknown, and is not an error: the dynamics does not need it.
    """
    extents = []
    for kind in ('collision', 'visual'):
        found = [_extent(shape) for shape in link.findall(kind)]
        known = [extent for extent in found if extent is not None]
        if len(known) < len(found):
            return None
        if known:
            extents.append(sum(known[1:], known[0]))
    if not extents:
        return None
    both = sum(extents[1:], extents[0])
    # Visual and collision shapes fill the same space.
    return replace(both, volume=max(extent.volume for extent in extents))


def _extent(shape: Element) -> Extent | None:
    primitive = shape.find('geometry/*')
    if primitive is None:
        return None
    try:
        measured = _half_sides_and_volume(primitive)
        placement = _placement(shape.find('origin'))
    except ValueError:
        return None
    if measured is None:
        return None
    sides, volume = measured
    if not 0.0 < volume < math.inf:
        return None
    reach = [
        sum(abs(entry) * side for entry, side in zip(row, sides, strict=True))
        for row in placement.rotation
    ]
    x, y, z = placement.translation
    lower = (x - reach[0], y - reach[1], z - reach[2])
    upper = (x + reach[0], y + reach[1], z + reach[2])
    return Extent(lower, upper, volume)


def _half_sides_and_volume(primitive: Element) -> tuple[Sequence[float], float] | None:
    if primitive.tag == 'box':
        x, y, z = _numbers(primitive, 'size', 3)
        return (x / 2.0, y / 2.0, z / 2.0), x * y * z
    if primitive.tag not in ('sphere', 'cylinder', 'capsule'):
        return None
    (radius,) = _numbers(primitive, 'radius', 1)
    ball = 4.0 / 3.0 * math.pi * radius**3
    if primitive.tag == 'sphere':
        return (radius, radius, radius), ball
    (length,) = _numbers(primitive, 'length', 1)
    rod = math.pi * radius**2 * length
    if primitive.tag == 'cylinder':
        return (radius, radius, length / 2.0), rod
    return (radius, radius, length / 2.0 + radius), rod + ball


def _placement(origin: Element | None) -> Transform:
    if origin is None:
        return Transform()
    x, y, z = _numbers(origin, 'xyz', 3, default='0 0 0')
    roll, pitch, yaw = _numbers(origin, 'rpy', 3, default='0 0 0')
    return Transform(rotation_from_rpy(roll, pitch, yaw), (x, y, z))


def _numbers(element: Element, attribute: str, count: int, default: str = '') -> list[float]:
    numbers = [float(word) for word in element.get(attribute, default).split()]
    # No robot is larger, and squares of such numbers are finite.
    if len(numbers) != count or not all(abs(number) < 1e6 for number in numbers):
        raise ValueError(f'{element.tag} {attribute}')
    return numbers
