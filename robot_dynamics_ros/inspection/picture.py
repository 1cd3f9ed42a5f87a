"""The picture of a robot: its shapes, centres of mass, inertia ellipsoids and findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics_ros.core.algorithms.kinematics import frame_poses
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.findings import Finding
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.spatial import Inertia
from robot_dynamics_ros.core.urdf_xml import read_xml
from robot_dynamics_ros.inspection.audit import NEGLIGIBLE
from robot_dynamics_ros.link_geometry import GeometryError, read_geometry

from .inspection import Inspection, found

# Sides of what is round, and cells along the largest side of a mesh: enough to know the part.
SIDES, CELLS = 32, 24
COLORS = {'error': '#c1121f', 'warning': '#e07a00', 'info': '#3a6ea5'}
ELLIPSOID, SHAPE, BONE = '#3a6ea5', '#b8bec6', '#4a4e54'
CAPTION = (
    'black: joint axes; dots: centres of mass; ellipsoids: uniform, with the mass and inertia of '
    'their link; labels: findings'
)


def draw(inspection: Inspection, urdf: str, folder: Path | None, file: Path) -> list[Finding]:
    """Draw a robot at zero, or as close to it as the position limits allow.

    The codes of findings are beside their links. What is returned is one finding for each reason
    why meshes are not drawn; see `link_shapes`.

    Raises:
        ParameterError: matplotlib or trimesh is not installed, or cannot write such a file.
    """
    try:
        # Optional, and slow to import.
        import trimesh  # noqa: F401 for link_shapes
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ParameterError(
            f"a picture needs {error.name}: pip install 'robot_dynamics_ros[picture]'"
        ) from None
    shapes, missing = link_shapes(urdf, folder)
    figure = Figure(figsize=(10.0, 7.0))
    axes = figure.add_axes((0.01, 0.03, 0.97, 0.88), projection='3d', computed_zorder=False)
    model = inspection.model
    with np.errstate(invalid='ignore'):
        q = np.clip(np.zeros(model.size), model.lower, model.upper)
    q = np.where((model.lower <= model.upper) & (np.abs(q) < 1e3), q, 0.0)
    poses = np.array(frame_poses(model, q.tolist()), float)
    # What overflows is left out.
    with np.errstate(all='ignore'):
        _fit(axes, _draw_links(axes, inspection, poses, shapes))
    size = f'{model.size} joints, {model.mass:.4g} kg, reach {model.reach:.3g} m'
    figure.text(0.03, 0.955, f'{model.name}: {size}', fontsize=13, weight='bold')
    figure.text(0.03, 0.925, CAPTION, fontsize=9, color='#555555')
    try:
        figure.savefig(file, dpi=130)
    except ValueError as error:
        raise ParameterError(f'{file.name}: {error}') from None
    return missing


def _draw_links(
    axes: Any, inspection: Inspection, poses: Array, shapes: dict[str, Array]
) -> Array:
    """Draw all links and their labels; the points (N, 3) that must be seen."""
    model = inspection.model
    _draw_bones(axes, model, poses)
    points = [poses[:, :, 3]]
    for frame, pose in zip(model.frames, poses, strict=True):
        if frame.name in shapes:
            points.append(_moved(shapes[frame.name].reshape(-1, 3), pose))
            _draw_surface(axes, points[-1], color=SHAPE, alpha=0.35, zorder=1)
    size = float(np.ptp(np.concatenate(points), axis=0).max()) or 1.0
    middle = poses[:, :, 3].mean(axis=0)
    for link, pose in zip(model.links, poses, strict=True):
        marks = [one for one in inspection.findings if one.link == link.name]
        color = COLORS[marks[0].severity] if marks else ELLIPSOID
        center = _moved(np.array(link.inertia.center_of_mass), pose)
        # What is far outside is a mistake; it would hide the robot.
        near = float(np.linalg.norm(center - middle)) <= 2.0 * size
        anchor = center if near else pose[:, 3]
        if link.inertia.mass > 0.0:
            axes.scatter(*anchor, color=color, s=14, zorder=5, depthshade=False)
        if near and link.inertia.mass > (0.0 if marks else NEGLIGIBLE * model.mass):
            points += _draw_ellipsoid(axes, link.inertia, pose, color, size)
        if marks:
            axes.text(
                *anchor, ', '.join(one.code for one in marks), color='white', fontsize=8,
                zorder=9, bbox={'boxstyle': 'round', 'facecolor': color, 'edgecolor': 'white'},
            )  # fmt: skip
    return np.concatenate(points)


def _draw_surface(axes: Any, corners: Array, **style: Any) -> None:
    """Draw triangles by their corners (3 N, 3)."""
    axes.plot_trisurf(
        *corners.T, triangles=np.arange(len(corners)).reshape(-1, 3), edgecolor='none', **style
    )


def _draw_ellipsoid(
    axes: Any, inertia: Inertia, pose: Array, color: str, size: float
) -> Iterator[Array]:
    """Draw a faint surface and its sections, up to a size [m]; points (N, 3) of the surface."""
    import trimesh

    center, semi_axes = ellipsoid(inertia)
    if not np.linalg.norm(semi_axes, axis=0).max() < size:
        return
    sphere = trimesh.creation.icosphere(2).triangles.reshape(-1, 3)
    surface = _moved(center + sphere @ semi_axes.T, pose)
    _draw_surface(axes, surface, color=color, alpha=0.07, zorder=3, shade=False)
    yield surface
    angles = np.linspace(0.0, 2.0 * np.pi, SIDES + 1)
    circle = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], 1)
    for shift in range(3):
        section = _moved(center + np.roll(circle, shift, axis=1) @ semi_axes.T, pose)
        axes.plot(*section.T, color=color, linewidth=0.9, alpha=0.8, zorder=4)


def _moved(points: Array, pose: Array) -> Array:
    """Points (..., 3) of a frame in the base; `pose` is [R | p] (3, 4) of the frame."""
    return points @ pose[:, :3].T + pose[:, 3]


def _draw_bones(axes: Any, model: RobotModel, poses: Array) -> None:
    """A line from the origin of each link to that of the link that carries it, and joint axes."""
    first = {-1: 0}
    for index, frame in enumerate(model.frames[1:], 1):
        own = first.setdefault(frame.body, index) == index
        carrier = model.joints[frame.body].parent if own else frame.body
        line = poses[[first[carrier], index], :, 3]
        axes.plot(*line.T, color=BONE, linewidth=2.2, zorder=2, solid_capstyle='round')
        if own:
            axis = poses[index, :, :3] @ np.array(model.joints[frame.body].axis)
            half = 0.03 * max(model.reach, 0.1) * axis
            ends = np.array([poses[index, :, 3] - half, poses[index, :, 3] + half])
            axes.plot(*ends.T, color='black', linewidth=4.0, zorder=4, solid_capstyle='butt')


def _fit(axes: Any, points: Array) -> None:
    """The same scale along all axes, and the whole robot in sight."""
    lower, upper = points.min(axis=0), points.max(axis=0)
    sides = np.maximum(upper - lower, 0.4 * max(float((upper - lower).max()), 0.1))
    middle = (lower + upper) / 2.0
    limits = np.stack([middle - sides / 2.0, middle + sides / 2.0], 1)
    axes.set(xlim=limits[0], ylim=limits[1], zlim=limits[2])
    axes.set(xlabel='x [m]', ylabel='y [m]', zlabel='z [m]')
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.get_major_locator().set_params(nbins=5)
    axes.set_box_aspect(sides, zoom=0.9)
    axes.view_init(elev=18.0, azim=-55.0)


def link_shapes(urdf: str, folder: Path | None) -> tuple[dict[str, Array], list[Finding]]:
    """Triangles (N, 3, 3) of each link in its frame [m]: visual, or else collision shapes.

    And one finding for each reason why meshes are not drawn. They are looked for from the folder
    of the URDF; None if it is from a topic.
    """
    shapes: dict[str, Array] = {}
    missing: dict[str, list[tuple[str, str]]] = {}  # links and names of meshes, by the reason
    for link in read_xml(urdf).findall('link'):
        name, drawn = link.get('name', ''), []
        for element in link.findall('visual') or link.findall('collision'):
            try:
                drawn.append(coarse(read_geometry(element, folder)).triangles)
            except GeometryError as error:  # noqa: PERF203
                if error.mesh:
                    missing.setdefault(str(error), []).append((name, error.mesh))
        if drawn:
            shapes[name] = np.concatenate(drawn)
    problems = {why: f'{len(set(which))} meshes are not drawn' for why, which in missing.items()}
    return shapes, [
        replace(found('mesh_not_drawn', *missing[reason][0]), problem=f'{text}: {reason}')
        for reason, text in problems.items()
    ]


def coarse(mesh: Any) -> Any:
    """A trimesh with its corners on a grid of `CELLS`: as few triangles as a picture needs."""
    if len(mesh.faces) > CELLS**2 and (cell := float(mesh.extents.max()) / CELLS):
        mesh.vertices = cell * np.round(mesh.vertices / cell)
        mesh.merge_vertices()
        mesh.update_faces(mesh.unique_faces() & mesh.nondegenerate_faces())
    return mesh


def ellipsoid(inertia: Inertia) -> tuple[Array, Array]:
    """Centre (3,) and semi-axes (3, 3), as columns, of the uniform ellipsoid of a body [m].

    With the semi-axes a it has the second moments m a^2 / 5; 0 where the inertia allows none.
    """
    rotational = np.array(inertia.rotational_at_center_of_mass)
    second = 0.5 * rotational.trace() * np.eye(3) - rotational
    moments, directions = np.linalg.eigh(second)
    lengths = np.sqrt(np.maximum(5.0 * moments / inertia.mass, 0.0))
    return np.array(inertia.center_of_mass), directions * lengths
