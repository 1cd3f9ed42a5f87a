"""The picture of a robot, by matplotlib."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics_ros.core.algorithms.kinematics import frame_poses
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.audit import NEGLIGIBLE
from robot_dynamics_ros.core.model.findings import Finding
from robot_dynamics_ros.core.model.robot import RobotModel

from ..inspection import Inspection
from .ellipsoid import Ellipsoid
from .link_shapes import LinkShapes, link_shapes

# Findings that have a number in the picture, and a line beside it.
MOST_LISTED = 12
COLORS = {'error': '#c1121f', 'warning': '#e07a00', 'info': '#3a6ea5'}
ELLIPSOID, SHAPE, BONE = '#3a6ea5', '#b8bec6', '#4a4e54'
CAPTION = (
    'black: joint axes; dots: centres of mass; ellipsoids: uniform, with the mass and inertia of '
    'their link'
)


def draw(
    inspection: Inspection,
    urdf: str,
    folder: Path | None,
    file: Path,
    advance: Callable[[int], None] | None = None,
) -> LinkShapes:
    """Draw a robot at zero, or as close to it as the position limits allow.

    Args:
        inspection: of the robot; its findings are marked.
        urdf: text of its description.
        folder: of its file, where meshes are looked for; None if it is from a topic.
        file: to write, in the format of its ending.
        advance: called with 1 for each link; None for nothing.

    Returns:
        What was drawn of the links, and which meshes are missing.

    Raises:
        ParameterError: matplotlib is not installed, or cannot write such a file.
    """
    try:
        # Optional, and slow to import.
        from matplotlib.figure import Figure
    except ImportError:
        raise ParameterError(
            "a picture needs matplotlib: pip install 'robot_dynamics_ros[picture]'"
        ) from None
    shapes = link_shapes(urdf, folder, advance)
    figure = Figure(figsize=(12.0, 8.0))
    axes = figure.add_axes((0.01, 0.05, 0.64, 0.86), projection='3d', computed_zorder=False)
    model = inspection.model
    poses = np.array(frame_poses(model, _shown_position(model).tolist()), float)
    # What overflows is left out.
    with np.errstate(all='ignore'):
        points = _draw_links(axes, inspection, poses, shapes)
    _fit(axes, points)
    figure.text(0.02, 0.955, _title(inspection), fontsize=13, weight='bold')
    figure.text(0.02, 0.925, CAPTION, fontsize=9, color='#555555')
    _list_findings(figure, inspection.findings, shapes)
    try:
        figure.savefig(file, dpi=130)
    except ValueError as error:
        raise ParameterError(f'{file.name}: {error}') from None
    return shapes


def _shown_position(model: RobotModel) -> Array:
    with np.errstate(invalid='ignore'):
        ordered = model.lower <= model.upper
        clipped = np.clip(np.zeros(model.size), model.lower, model.upper)
    return np.where(ordered & (np.abs(clipped) < 1e3), clipped, 0.0)


def _draw_links(axes: Any, inspection: Inspection, poses: Array, shapes: LinkShapes) -> Array:
    """Draw all links and their marks; the points (N, 3) that must be seen."""
    model = inspection.model
    _draw_bones(axes, model, poses)
    points = [poses[:, :, 3], *_draw_shapes(axes, model, poses, shapes)]
    size = float(np.ptp(np.concatenate(points), axis=0).max()) or 1.0
    marks = _marks(inspection.findings)
    middle = poses[:, :, 3].mean(axis=0)
    for link, pose in zip(model.links, poses, strict=True):
        mark = marks.get(link.name)
        center = _moved(np.array(link.inertia.center_of_mass), pose)
        # What is far outside is a mistake; it would hide the robot.
        near = float(np.linalg.norm(center - middle)) <= 2.0 * size
        anchor = center if near else pose[:, 3]
        color = COLORS[mark[0]] if mark else ELLIPSOID
        if link.inertia.mass > 0.0:
            axes.scatter(*anchor, color=color, s=14, zorder=5, depthshade=False)
        if near and link.inertia.mass > (0.0 if mark else NEGLIGIBLE * inspection.mass):
            points += _draw_ellipsoid(axes, Ellipsoid.of(link.inertia), pose, color, size)
        if mark:
            _mark(axes, anchor, *mark)
    return np.concatenate(points)


def _draw_shapes(
    axes: Any, model: RobotModel, poses: Array, shapes: LinkShapes
) -> Iterator[Array]:
    """Draw the shapes of the links; the corners (N, 3) of each."""
    for frame, pose in zip(model.frames, poses, strict=True):
        if frame.name in shapes.triangles:
            corners = _moved(shapes.triangles[frame.name], pose).reshape(-1, 3)
            axes.plot_trisurf(
                *corners.T, triangles=np.arange(len(corners)).reshape(-1, 3),
                color=SHAPE, alpha=0.35, edgecolor='none', zorder=1,
            )  # fmt: skip
            yield corners


def _draw_ellipsoid(
    axes: Any, ellipsoid: Ellipsoid, pose: Array, color: str, size: float
) -> Iterator[Array]:
    """Draw a faint surface and the principal sections; points (N, 3) of the surface.

    Nothing is drawn if it is larger than `size` of the robot [m].
    """
    if not ellipsoid.semi_axes.max() < size:
        return
    surface = _moved(ellipsoid.surface(), pose)
    axes.plot_surface(*np.moveaxis(surface, -1, 0), color=color, alpha=0.07, zorder=3, shade=False)
    for section in ellipsoid.sections():
        axes.plot(*_moved(section, pose).T, color=color, linewidth=0.9, alpha=0.8, zorder=4)
    yield surface.reshape(-1, 3)


def _moved(points: Array, pose: Array) -> Array:
    """Points (..., 3) of a frame in the base; `pose` is [R | p] (3, 4) of the frame."""
    moved: Array = points @ pose[:, :3].T + pose[:, 3]
    return moved


def _draw_bones(axes: Any, model: RobotModel, poses: Array) -> None:
    """A line from the origin of each link to that of the link that carries it, and joint axes."""
    first = {-1: 0}
    for index, frame in enumerate(model.frames):
        first.setdefault(frame.body, index)
    for index, frame in enumerate(model.frames[1:], 1):
        own = first[frame.body] == index
        carrier = model.joints[frame.body].parent if own else frame.body
        line = poses[[first[carrier], index], :, 3]
        axes.plot(*line.T, color=BONE, linewidth=2.2, zorder=2, solid_capstyle='round')
        if own:
            axis = poses[index, :, :3] @ np.array(model.joints[frame.body].axis)
            half = 0.03 * max(model.reach, 0.1) * axis
            ends = np.array([poses[index, :, 3] - half, poses[index, :, 3] + half])
            axes.plot(*ends.T, color='black', linewidth=4.0, zorder=4, solid_capstyle='butt')


def _marks(findings: tuple[Finding, ...]) -> dict[str, tuple[str, list[int]]]:
    """By link: the severity of its first finding, and the numbers of all of them."""
    marks: dict[str, tuple[str, list[int]]] = {}
    for number, finding in enumerate(findings[:MOST_LISTED], 1):
        marks.setdefault(finding.link, (finding.severity, []))[1].append(number)
    return marks


def _mark(axes: Any, anchor: Array, severity: str, numbers: list[int]) -> None:
    axes.text(
        *anchor, ', '.join(map(str, numbers)), color='white', fontsize=9, weight='bold', zorder=9,
        bbox={'boxstyle': 'round,pad=0.25', 'facecolor': COLORS[severity], 'edgecolor': 'white'},
    )  # fmt: skip


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


def _title(inspection: Inspection) -> str:
    model = inspection.model
    return (
        f'{model.name}: {model.size} joints, {inspection.mass:.4g} kg, reach {model.reach:.3g} m'
    )


def _list_findings(figure: Any, findings: tuple[Finding, ...], shapes: LinkShapes) -> None:
    height = 0.95
    lines = [
        (f'{number}  {finding.link}: {finding.problem} ({finding.value})', finding.severity)
        for number, finding in enumerate(findings[:MOST_LISTED], 1)
    ]
    if len(findings) > MOST_LISTED:
        lines.append((f'and {len(findings) - MOST_LISTED} more findings', 'info'))
    if not findings:
        lines.append(('no findings', 'info'))
    if shapes.missing:
        lines.append(
            (f'{len(shapes.missing)} meshes not drawn: {next(iter(shapes.missing))}', 'info')
        )
    for text, severity in lines:
        wrapped = textwrap.wrap(text, 58)[:4]
        figure.text(
            0.67, height, '\n'.join(wrapped), fontsize=8.5, color=COLORS[severity], va='top'
        )
        height -= 0.022 * len(wrapped) + 0.012
