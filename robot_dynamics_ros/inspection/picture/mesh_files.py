"""Where the files of meshes are, and their triangles, as few as a picture needs."""

from __future__ import annotations

import os
from pathlib import Path
from textwrap import shorten
from urllib.parse import unquote

import numpy as np

from robot_dynamics_ros.core.checks import Array

# Cells along the largest side of a mesh, into which its vertices are merged.
CELLS = 24
# [B]: larger files would take longer than the rest of the picture.
LARGEST_FILE = 100 * 2**20


class MeshError(Exception):
    """A mesh cannot be drawn; the text says why."""


def mesh_file(name: str, folder: Path | None) -> Path | None:
    """The file that a URDF names as a mesh; None where it is not found.

    `package://` is looked for in the installed packages of ROS (AMENT_PREFIX_PATH and
    ROS_PACKAGE_PATH), then in the folders above the description.

    Args:
        name: as in the URDF: package://, file:// or a path.
        folder: of the description; None if it is from a topic.
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


def mesh_triangles(file: Path) -> Array:
    """Triangles (N, 3, 3) of a mesh in its own unit.

    Vertices are merged into a grid of `CELLS`: that is enough to know the part.

    Args:
        file: of any format that trimesh reads.

    Raises:
        MeshError: trimesh is not installed, or cannot read the file.
    """
    if file.stat().st_size > LARGEST_FILE:
        raise MeshError(f'larger than {LARGEST_FILE // 2**20} MiB')
    try:
        # Optional, and slow to import: without it, meshes are not drawn.
        import trimesh
    except ImportError:
        raise MeshError(
            "trimesh is not installed: pip install 'robot_dynamics_ros[picture]'"
        ) from None
    try:
        mesh = trimesh.load(file, force='mesh', process=False)
        triangles = np.asarray(mesh.triangles, float)
    # A reader of any format may raise anything on a broken file.
    except Exception as error:
        why = shorten(str(error), 150) or type(error).__name__
        raise MeshError(f'{file.name} cannot be read ({why})') from None
    if not len(triangles) or not np.isfinite(triangles).all():
        raise MeshError(f'{file.name} has no triangles, or some that are not finite')
    return _coarse(triangles)


def _coarse(triangles: Array) -> Array:
    lower = triangles.min(axis=(0, 1))
    cell = float((triangles.max(axis=(0, 1)) - lower).max()) / CELLS
    if cell == 0.0:
        return triangles[:1]
    corners = np.round((triangles - lower) / cell).astype(np.int64)
    flat = (corners == np.roll(corners, 1, axis=1)).all(axis=2).any(axis=1)
    # The same triangle, from whichever corner it begins.
    keys = np.sort((corners[~flat] * [1, 1000, 1000000]).sum(axis=2), axis=1)
    _, kept = np.unique(keys, axis=0, return_index=True)
    return lower + cell * corners[~flat][kept]


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
