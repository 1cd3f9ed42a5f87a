"""The <visual> and <collision> geometry of a URDF, with the meshes that it names."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Any, TypeVar
from urllib.parse import unquote
from xml.etree.ElementTree import Element

import numpy as np
import numpy.typing as npt

from .core.checks import Array
from .core.spatial import rotation_from_rpy

T = TypeVar('T')
# The attributes of each kind, and how many numbers each has.
KINDS = {
    'box': {'size': 3},
    'capsule': {'radius': 1, 'length': 1},
    'cylinder': {'radius': 1, 'length': 1},
    'mesh': {},
    'sphere': {'radius': 1},
}
# [B]: larger files would take longer than all the rest.
LARGEST_FILE = 100 * 2**20
# [m]: larger numbers are mistakes, and overflow where they are squared.
LARGEST_NUMBER = 1e6
NOT_FOUND = (
    'not found in the packages of ROS (AMENT_PREFIX_PATH, ROS_PACKAGE_PATH), nor beside or above '
    'the description'
)


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
        kind: box, capsule, cylinder, mesh or sphere; cylinders and capsules are about their z.
        size: sides of a box, radius and length, or radius [m]; empty for a mesh.
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
    """One <visual> or <collision>.

    Args:
        element: of the URDF.
        folder: of its file, for meshes; None if it is not from a file.

    Raises:
        GeometryError: its kind or a number is wrong, or its mesh cannot be read.
    """
    shape, origin = element.find('geometry/*'), element.find('origin')
    if shape is None:
        raise GeometryError(f'a {element.tag} has no geometry')
    if shape.tag not in KINDS:
        raise GeometryError(f'its geometry is <{shape.tag}>, known are {", ".join(KINDS)}')
    size = [_numbers(shape, name, count) for name, count in KINDS[shape.tag].items()]
    place = Element('origin') if origin is None else origin
    placement = np.eye(4)
    placement[:3, :3] = rotation_from_rpy(*_numbers(place, 'rpy', 3, '0 0 0'))
    placement[:3, 3] = _numbers(place, 'xyz', 3, '0 0 0')
    vertices, faces = np.empty((0, 3)), np.empty((0, 3), np.intp)
    if shape.tag == 'mesh':
        vertices, faces = _mesh(shape.get('filename', ''), folder)
        vertices = vertices * _numbers(shape, 'scale', 3, '1 1 1')
    return Geometry(shape.tag, np.concatenate([*size, []]), placement, vertices, faces)


def read_geometries(
    elements: Iterable[Element], folder: Path | None, made: Callable[[Geometry], T]
) -> tuple[list[T], list[GeometryError]]:
    """What is made of each geometry that can be used, and why others cannot be."""
    usable: list[T] = []
    errors = [error for element in elements for error in _read(element, folder, made, usable)]
    return usable, errors


def _read(
    element: Element, folder: Path | None, made: Callable[[Geometry], T], usable: list[T]
) -> list[GeometryError]:
    try:
        usable.append(made(read_geometry(element, folder)))
    except GeometryError as error:
        return [error]
    return []


def mesh_file(name: str, folder: Path | None) -> Path | None:
    """The file that a URDF names as a mesh; None where it is not found.

    `package://` is looked for in the installed packages of ROS (AMENT_PREFIX_PATH and
    ROS_PACKAGE_PATH), then in the folders above the description.

    Args:
        name: as in the URDF: package://, file:// or a path.
        folder: of the description; None if it is not from a file.
    """
    scheme, separator, rest = name.partition('://')
    if not separator:
        places = [Path(name)] if folder is None else [folder / name]
    elif scheme == 'file':
        places = [Path(unquote(rest))]
    elif scheme == 'package':
        package, _, path = rest.partition('/')
        places = [root / path for root in _package_folders(package, folder)]
    else:
        return None
    return next((place for place in places if _is_file(place)), None)


def _mesh(name: str, folder: Path | None) -> tuple[Array, npt.NDArray[np.intp]]:
    """Vertices (k, 3) of a mesh in its own unit, and its faces (N, 3).

    Raises:
        GeometryError: it is not found, trimesh is not installed or cannot read it.
    """
    file = mesh_file(name, folder)
    if file is None:
        raise GeometryError(NOT_FOUND, name)
    if file.stat().st_size > LARGEST_FILE:
        raise GeometryError(f'larger than {LARGEST_FILE // 2**20} MiB', name)
    try:
        # Optional, and slow to import.
        import trimesh
    except ImportError:
        raise GeometryError(
            "trimesh is not installed: pip install 'robot_dynamics_ros[picture]'", name
        ) from None
    try:
        mesh: Any = trimesh.load(file, force='mesh', process=False)
        vertices, faces = np.asarray(mesh.vertices, float), np.asarray(mesh.faces, np.intp)
    # A reader of any format may raise anything on a broken file.
    except Exception as error:
        why = shorten(str(error), 150) or type(error).__name__
        raise GeometryError(f'{file.name} cannot be read ({why})', name) from None
    if not len(faces) or not np.isfinite(vertices).all():
        raise GeometryError(f'{file.name} has no triangles, or some that are not finite', name)
    return vertices, faces


def _numbers(element: Element, attribute: str, count: int, default: str = '') -> Array:
    text = element.get(attribute, default)
    try:
        numbers = np.array([float(word) for word in text.split()])
    except ValueError:
        numbers = np.empty(0)
    if numbers.shape != (count,) or not (np.abs(numbers) < LARGEST_NUMBER).all():
        raise GeometryError(
            f'<{element.tag} {attribute}="{text}"> must be {count} numbers below '
            f'{LARGEST_NUMBER:g}'
        )
    return numbers


def _package_folders(package: str, folder: Path | None) -> list[Path]:
    prefixes = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
    sources = os.environ.get('ROS_PACKAGE_PATH', '').split(os.pathsep)
    installed = [Path(prefix, 'share', package) for prefix in prefixes if prefix]
    installed += [Path(source, package) for source in sources if source]
    if folder is None:
        return installed
    above = [folder.resolve(), *folder.resolve().parents]
    return [*installed, *(p for p in above if p.name == package), *(p / package for p in above)]


def _is_file(place: Path) -> bool:
    try:
        return place.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False
