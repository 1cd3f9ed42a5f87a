"""A robot in a scene: shapes of its links, boxes of equal inertia, centres of mass, findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics_ros.core import Finding, RobotDynamics, RobotModel, quaternion
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.spatial import Inertia
from robot_dynamics_ros.inspection.audit import NEGLIGIBLE
from robot_dynamics_ros.inspection.ellipsoids import equal_box
from robot_dynamics_ros.inspection.inspection import found
from robot_dynamics_ros.link_geometry import Color, Shape, link_shapes

GREEN, BLUE, ORANGE, RED = (46, 139, 87), (58, 106, 165), (224, 122, 0), (193, 18, 31)
SEVERITIES = {'error': RED, 'warning': ORANGE, 'info': BLUE, 'note': BLUE}
FAINT = 0.25  # opacity


class Arm:
    """Nodes of a scene: one for each body, below it those of its links, and their shapes.

    Attributes:
        root: the node above all.
        q: positions (n,) [rad or m].
        poses: [R | p] (frames, 3, 4) of the links there [1; m].
        parts: the shapes of each link, with their colours.
    """

    def __init__(
        self, server: Any, root: str, model: RobotModel, shapes: Mapping[str, Sequence[Shape]],
        *, ghost: bool = False,
    ) -> None:  # fmt: skip
        """At zero, or as near as the limits allow; a ghost is translucent, and not shown yet."""
        scene, self._server, self.dynamics = server.scene, server, RobotDynamics(model)
        usable = model.lower <= model.upper
        limits = np.where(usable, model.lower, -np.inf), np.where(usable, model.upper, np.inf)
        self.q = np.clip(np.zeros(model.size), *limits)
        self.poses = poses = self.dynamics.frame_poses(self.q)
        self.root = scene.add_frame(root, show_axes=False, visible=not ghost)
        self.names: dict[str, str] = {}
        self.parts: dict[str, list[tuple[Any, Color]]] = {}
        self._nodes: dict[int, tuple[int, Any]] = {}
        for index, frame in enumerate(model.frames):
            body = f'{root}/{frame.body + 1}'
            if frame.body not in self._nodes:
                self._nodes[frame.body] = index, scene.add_frame(body, show_axes=False)
            R, p = np.hsplit(poses[self._nodes[frame.body][0]], [3])
            fixed = R.T @ (poses[index] - np.hstack([np.zeros((3, 3)), p]))
            self.names[frame.name] = name = f'{body}/{index}'
            scene.add_frame(name, show_axes=False, wxyz=wxyz(fixed[:, :3]), position=fixed[:, 3])
            self.parts[frame.name] = [
                (
                    scene.add_mesh_simple(
                        f'{name}/{number}', np.array(one.mesh.vertices), np.array(one.mesh.faces),
                        color=BLUE if ghost else one.color, opacity=FAINT if ghost else None,
                        flat_shading=one.flat, side='double',
                    ),
                    one.color,
                )
                for number, one in enumerate(shapes.get(frame.name, ()))
            ]  # fmt: skip
        self.place(self.q)

    def place(self, q: Array) -> None:
        """Move it to positions q (n,)."""
        self.q, self.poses = q, self.dynamics.frame_poses(q)
        with self._server.atomic():
            for index, node in self._nodes.values():
                node.wxyz = wxyz(self.poses[index, :, :3])
                node.position = self.poses[index, :, 3]

    def paint(self, link: str, color: Color | None) -> None:
        """Give a link a colour; None for its own."""
        for part, own in self.parts.get(link, ()):
            part.color = color or own


class RobotScene:
    """A robot on a floor, from the text of a URDF in a folder, with what was found about it.

    Attributes:
        arm: what moves.
        shapes: of each link.
        bodies: boxes of equal inertia and centres of mass, by link.
        findings: those that are given, and one for each reason why meshes are not drawn.
        size: a length to draw by [m].
    """

    def __init__(
        self, server: Any, model: RobotModel, urdf: str, folder: Path | None,
        findings: Sequence[Finding] = (),
    ) -> None:  # fmt: skip
        """Draw it; without a folder, meshes are those of packages of ROS."""
        self.shapes, missing = link_shapes(urdf, folder)
        self.findings = [*findings, *(_not_drawn(*each) for each in missing.items())]
        self.size = size = max(model.reach, 0.1)
        scene, self._server = server.scene, server
        scene.add_grid(
            '/floor', width=4.0 * size, height=4.0 * size, cell_size=0.25 * size,
            section_size=size, cell_color=(225, 228, 232), section_color=(200, 205, 212),
        )  # fmt: skip
        server.initial_camera.position = tuple(size * np.array([1.0, -1.0, 0.75]))
        server.initial_camera.look_at = (0.0, 0.0, 0.25 * size)
        self.arm = Arm(server, '/robot', model, self.shapes)
        self.bodies: list[tuple[str, Any]] = []
        for link in model.links:
            marks = [one for one in self.findings if one.link == link.name]
            if link.inertia.mass > (0.0 if marks else NEGLIGIBLE * model.mass):
                self._add_body(link.name, link.inertia, marks)
        self._center = scene.add_icosphere('/center_of_mass', 0.025 * size, RED)
        self._massive = any(joint.inertia.mass for joint in model.joints)
        self.show_bodies(False)

    def _add_body(self, link: str, inertia: Inertia, marks: Sequence[Finding]) -> None:
        """Its centre of mass, its box, and the codes of its findings."""
        scene, name = self._server.scene, self.arm.names[link]
        color = SEVERITIES[marks[0].severity] if marks else BLUE
        center, sides, axes = equal_box(inertia)
        # What is far outside or huge is a mistake; it would hide the robot.
        center = center * min(1.0, self.size / (float(np.linalg.norm(center)) or 1.0))
        shown = tuple(np.clip(sides, 1e-3 * self.size, self.size).tolist())
        place = {'position': center, 'wxyz': _turn(axes)}
        self.bodies += [
            (link, scene.add_icosphere(f'{name}/mass', 0.012 * self.size, color, **place)),
            (link, scene.add_box(f'{name}/box', color, shown, opacity=0.5, **place)),
        ]
        if serious := [one.code for one in marks if one.severity != 'info']:
            scene.add_label(f'{name}/finding', ', '.join(serious), position=center)

    def show_bodies(self, on: bool) -> None:
        """Show boxes and centres of mass through the shapes; always of links without a shape."""
        for link, handle in self.bodies:
            handle.visible = on or link not in self.shapes
        self._center.visible = on and self._massive
        if on and self._massive:
            self._center.position = self.arm.dynamics.center_of_mass(self.arm.q)
        for part, _ in (one for parts in self.arm.parts.values() for one in parts):
            part.opacity = FAINT if on else None


def draw_ellipsoid(handle: Any, center: Array, lengths: Array, axes: Array, size: float) -> None:
    """Give a unit ball semi-axes (3,) along columns (3, 3); the longest is drawn as a size [m]."""
    # What is flat would not be seen.
    shown = size * np.maximum(lengths / (lengths.max() or 1.0), 0.02)
    handle.position, handle.wxyz, handle.scale = center, _turn(axes), tuple(shown.tolist())


def wxyz(rotation: Array) -> Array:
    """The quaternion of a rotation (3, 3) in the order of viser."""
    return np.roll(quaternion(rotation), 1)


def _turn(axes: Array) -> Array:
    """That of orthonormal columns, of which one may be reversed."""
    return wxyz(axes * [1.0, 1.0, np.linalg.det(axes)])


def _not_drawn(reason: str, meshes: Sequence[tuple[str, str]]) -> Finding:
    problem = f'{len(set(meshes))} meshes are not drawn: {reason}'
    return replace(found('mesh_not_drawn', *meshes[0]), problem=problem)
