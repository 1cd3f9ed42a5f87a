"""The <visual> and <collision> geometry of a URDF, with the meshes that it names."""

from __future__ import annotations

import os
from pathlib import Path
from textwrap import shorten
from typing import Any, NamedTuple
from urllib.parse import unquote
from xml.etree.ElementTree import Element

import numpy as np

from .core.checks import Array
from .core.spatial import rotation_from_rpy
from .core.urdf_xml import read_xml

KINDS = ('box', 'capsule', 'cylinder', 'mesh', 'sphere')
# [m]: larger numbers are mistakes.
LARGEST = 1e6
Color = tuple[int, int, int]
GREY: Color = (176, 184, 194)


class Shape(NamedTuple):
    """A part of a link."""

    mesh: Any  #: trimesh.Trimesh in the frame of the link [m]
    color: Color  #: that of its material
    flat: bool  #: whether its edges are sharp


class GeometryError(Exception):
    """A geometry cannot be used; the text says why.

    Attributes:
        mesh: the name of the mesh in the URDF that is the reason; empty for other reasons.
    """

    def __init__(self, reason: str, mesh: str = '') -> None:
        """Say why."""
        super().__init__(reason)
        self.mesh = mesh


def link_shapes(
    urdf: str, folder: Path | None
) -> tuple[dict[str, list[Shape]], dict[str, list[tuple[str, str]]]]:
    """The shapes of each link that has any: visual, or else collision.

    And links and names of the meshes that cannot be used, by the reason. They are looked for from
    the folder of the URDF; None if it is from a topic.
    """
    shapes: dict[str, list[Shape]] = {}
    missing: dict[str, list[tuple[str, str]]] = {}
    root = read_xml(urdf)
    # A material may be described where it is used first.
    named = {each.get('name'): each for each in root.iter('material') if len(each)}
    for link in root.findall('link'):
        name = link.get('name', '')
        for element in link.findall('visual') or link.findall('collision'):
            try:
                parts = read_geometry(element, folder)
            except GeometryError as error:
                if error.mesh:
                    missing.setdefault(str(error), []).append((name, error.mesh))
                continue
            material = element.find('material')
            if material is not None:
                material = named.get(material.get('name'), material)
            color = None if material is None else material.find('color')
            rgba = '' if color is None else color.get('rgba', '')
            flat = element.find('geometry/mesh') is None
            shapes.setdefault(name, []).extend(
                Shape(part, _color(part, rgba), flat) for part in parts
            )
    return shapes, missing


def _color(part: Any, rgba: str) -> Color:
    """That of the mesh, else that of the URDF."""
    try:
        given = [255.0 * float(one) for one in rgba.split()[:3]] if rgba else GREY
        if part.visual.defined:
            given = getattr(part.visual, 'material', part.visual).main_color[:3]
        red, green, blue = (min(max(int(channel), 0), 255) for channel in given)
    except (AttributeError, ValueError):
        return GREY
    return red, green, blue


def read_geometry(element: Element, folder: Path | None) -> list[Any]:
    """One <visual> or <collision> as parts, trimesh.Trimesh in the frame of its link [m].

    A mesh has a part for each material. The folder is that of the URDF, for meshes; None if it is
    from a topic.

    Raises:
        GeometryError: its kind or a number is wrong, or its mesh cannot be read.
    """
    from trimesh import creation  # optional, and slow to import

    shape, origin = element.find('geometry/*'), element.find('origin')
    if shape is None or shape.tag not in KINDS:
        found = 'none' if shape is None else f'<{shape.tag}>'
        raise GeometryError(f'its geometry is {found}, known are {", ".join(KINDS)}')
    place = Element('origin') if origin is None else origin
    placement = np.eye(4)
    placement[:3, :3] = rotation_from_rpy(*_numbers(place, 'rpy', 3, '0 0 0'))
    placement[:3, 3] = _numbers(place, 'xyz', 3, '0 0 0')
    match shape.tag:
        case 'mesh':
            scale = _numbers(shape, 'scale', 3, '1 1 1')
            parts = _parts(shape.get('filename', ''), folder)
            for part in parts:
                part.vertices = part.vertices * scale
        case 'box':
            parts = [creation.box(_numbers(shape, 'size', 3))]
        case 'sphere':
            parts = [creation.icosphere(radius=_numbers(shape, 'radius', 1)[0])]
        case kind:
            (radius,), (height,) = _numbers(shape, 'radius', 1), _numbers(shape, 'length', 1)
            mesh = getattr(creation, kind)(radius=radius, height=height)
            # Capsules of older versions of trimesh begin at zero.
            parts = [mesh.apply_translation(-mesh.bounds.mean(axis=0))]
    return [part.apply_transform(placement) for part in parts]


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


def _parts(name: str, folder: Path | None) -> list[Any]:
    """The parts of a mesh in its own unit, one for each of its materials."""
    import trimesh

    file = mesh_file(name, folder)
    if file is None:
        raise GeometryError('not found in the packages of ROS, beside or above the URDF', name)
    try:
        scene: Any = trimesh.load(file, force='scene', process=False)
        parts: list[Any] = scene.dump()
        usable = all(np.isfinite(part.vertices).all() for part in parts)
        usable = usable and sum(len(part.faces) for part in parts) > 0
    except Exception as error:  # a reader of any format may raise anything on a broken file
        why = shorten(str(error), 150) or type(error).__name__
        raise GeometryError(f'{file.name} cannot be read ({why})', name) from None
    if not usable:
        raise GeometryError(f'{file.name} has no triangles, or some that are not finite', name)
    return parts


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
