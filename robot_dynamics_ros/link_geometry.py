"""The <visual> and <collision> geometry of a URDF, with the meshes that it names."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Any
from urllib.parse import unquote
from xml.etree.ElementTree import Element

import numpy as np
import numpy.typing as npt

from .core.checks import Array
from .core.spatial import rotation_from_rpy

# The attributes of each kind, and how many numbers each has.
ROUND = {'radius': 1, 'length': 1}
KINDS: dict[str, dict[str, int]] = {
    'box': {'size': 3}, 'capsule': ROUND, 'cylinder': ROUND, 'mesh': {}, 'sphere': {'radius': 1},
}  # fmt: skip
# [m]: larger numbers are mistakes.
LARGEST = 1e6


class GeometryError(Exception):
    """A geometry cannot be used; the text says why.

    Attributes:
        mesh: the name of the mesh in the URDF that is the reason; empty for other reasons.
    """

    def __init__(self, reason: str, mesh: str = '') -> None:
        """Say why."""
        super().__init__(reason)
        self.mesh = mesh


@dataclass(frozen=True)
class Geometry:
    """One <visual> or <collision> of a link.

    Attributes:
        kind: one of `KINDS`; cylinders and capsules are about their z.
        size: its attributes in the order of `KINDS` [m].
        placement: (4, 4) of its axes in the frame of the link.
        vertices: (k, 3) of a mesh in its own axes, scaled [m]; none for other kinds.
        faces: (N, 3) indices of the vertices of each triangle.
    """

    kind: str
    size: Array
    placement: Array
    vertices: Array
    faces: npt.NDArray[np.intp]


def read_geometry(element: Element, folder: Path | None) -> Geometry:
    """One <visual> or <collision> of a URDF in a folder, if it is from a file.

    Raises:
        GeometryError: its kind or a number is wrong, or its mesh cannot be read.
    """
    shape, origin = element.find('geometry/*'), element.find('origin')
    if shape is None or shape.tag not in KINDS:
        found = 'none' if shape is None else f'<{shape.tag}>'
        raise GeometryError(f'its geometry is {found}, known are {", ".join(KINDS)}')
    size = [_numbers(shape, name, count) for name, count in KINDS[shape.tag].items()]
    place = Element('origin') if origin is None else origin
    placement = np.eye(4)
    placement[:3, :3] = rotation_from_rpy(*_numbers(place, 'rpy', 3, '0 0 0'))
    placement[:3, 3] = _numbers(place, 'xyz', 3, '0 0 0')
    vertices, faces = np.empty((0, 3)), np.empty((0, 3), np.intp)
    if shape.tag == 'mesh':
        vertices, faces = _mesh(shape.get('filename', ''), folder)
    scaled = vertices * _numbers(shape, 'scale', 3, '1 1 1')
    return Geometry(shape.tag, np.concatenate([*size, []]), placement, scaled, faces)


def read_geometries(
    elements: Iterable[Element], folder: Path | None
) -> tuple[list[Geometry], list[GeometryError]]:
    """The geometries that can be used, and why others cannot be."""
    found = [_geometry_or_error(element, folder) for element in elements]
    usable = [one for one in found if isinstance(one, Geometry)]
    return usable, [one for one in found if isinstance(one, GeometryError)]


def _geometry_or_error(element: Element, folder: Path | None) -> Geometry | GeometryError:
    try:
        return read_geometry(element, folder)
    except GeometryError as error:
        return error


def mesh_file(name: str, folder: Path | None) -> Path | None:
    """The file that a URDF in a folder names as a mesh; None where it is not found.

    `package://` is looked for in the installed packages of ROS (AMENT_PREFIX_PATH and
    ROS_PACKAGE_PATH), then in the folders above the description.
    """
    scheme, separator, rest = name.partition('://')
    places: list[Path] = []
    if not separator:
        places = [Path(name) if folder is None else folder / name]
    elif scheme == 'file':
        places = [Path(unquote(rest))]
    elif scheme == 'package':
        package, _, path = rest.partition('/')
        places = [root / path for root in _package_folders(package, folder)]
    return next((place for place in places if os.path.isfile(place)), None)


def _package_folders(package: str, folder: Path | None) -> list[Path]:
    prefixes = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
    sources = os.environ.get('ROS_PACKAGE_PATH', '').split(os.pathsep)
    installed = [Path(prefix, 'share', package) for prefix in prefixes if prefix]
    installed += [Path(source, package) for source in sources if source]
    above = [] if folder is None else [folder.resolve(), *folder.resolve().parents]
    return [*installed, *(p for p in above if p.name == package), *(p / package for p in above)]


def _mesh(name: str, folder: Path | None) -> tuple[Array, npt.NDArray[np.intp]]:
    """Vertices (k, 3) of a mesh in its own unit, and its faces (N, 3)."""
    file = mesh_file(name, folder)
    if file is None:
        raise GeometryError('not found in the packages of ROS, beside or above the URDF', name)
    try:
        import trimesh  # optional, and slow to import

        mesh: Any = trimesh.load(file, force='mesh', process=False)
        vertices, faces = np.asarray(mesh.vertices, float), np.asarray(mesh.faces, np.intp)
    except Exception as error:  # a reader of any format may raise anything on a broken file
        why = shorten(str(error), 150) or type(error).__name__
        raise GeometryError(f'{file.name} cannot be read ({why})', name) from None
    if not len(faces) or not np.isfinite(vertices).all():
        raise GeometryError(f'{file.name} has no triangles, or some that are not finite', name)
    return vertices, faces


def _numbers(element: Element, attribute: str, count: int, default: str = '') -> Array:
    text = element.get(attribute, default)
    try:
        numbers = np.array(text.split(), float)
    except ValueError:
        numbers = np.empty(0)
    if numbers.shape != (count,) or not (np.abs(numbers) < LARGEST).all():
        raise GeometryError(
            f'<{element.tag} {attribute}="{text}"> must be {count} numbers below {LARGEST:g}'
        )
    return numbers
