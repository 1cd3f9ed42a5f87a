"""The vertices of mesh files, and their convex hulls."""

from __future__ import annotations

from pathlib import Path
from textwrap import shorten
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.inspection.picture.mesh_files import LARGEST_FILE, MeshError


def mesh_vertices(file: Path) -> Array:
    """Vertices (k, 3) of a mesh, in its own unit.

    Args:
        file: of any format that trimesh reads.

    Raises:
        MeshError: trimesh is not installed, or cannot read the file.
    """
    if file.stat().st_size > LARGEST_FILE:
        raise MeshError(f'mesh {file.name} is larger than {LARGEST_FILE // 2**20} MiB')
    try:
        # Optional, and slow to import: without it, meshes are replaced.
        import trimesh
    except ImportError:
        raise MeshError("meshes need trimesh: pip install 'robot_dynamics_ros[picture]'") from None
    try:
        mesh: Any = trimesh.load(file, force='mesh', process=False)
        vertices: Array = np.asarray(mesh.vertices, dtype=np.float64)
    # A reader of any format may raise anything on a broken file.
    except Exception as error:
        why = shorten(str(error), 150) or type(error).__name__
        raise MeshError(f'mesh {file.name} cannot be read ({why})') from None
    if not len(vertices) or not np.isfinite(vertices).all():
        raise MeshError(f'mesh {file.name} has no vertices, or some that are not finite')
    return vertices


def hull_of(points: Array) -> Array:
    """Those of some points (k, 3) that are corners of their convex hull.

    Raises:
        MeshError: the points lie in a plane.
    """
    try:
        corners: Array = points[ConvexHull(points).vertices]
    except (QhullError, ValueError):
        raise MeshError('the vertices of a mesh lie in a plane') from None
    return corners
