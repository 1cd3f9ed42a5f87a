"""A description: what its joints hold at a pose, with a payload, and under gravity."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics_ros.core import RobotDynamics, RobotModel, mounted_gravity
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.model.sampling import position_range
from robot_dynamics_ros.inspection import inspect_robot
from robot_dynamics_ros.inspection.ellipsoids import largest_force, mobility

from .panels import TorquePanel, block, lines, payload_inputs
from .scene import BLUE, FAINT, GREEN, ORANGE, SEVERITIES, RobotScene, draw_ellipsoid

STEEL = 7850.0  # [kg/m^3]: a payload is drawn as a ball of it
HUGE = 1e9  # [N or 1/kg]: no number of an arm
LENGTH = 0.3  # of arrows and ellipsoids, as a share of the reach


class ModelView:
    """Sliders of joints, payload and gravity; what follows is computed by `RobotDynamics`.

    Attributes:
        scene: the robot.
        panel: gravity torques against effort limits.
        joints: sliders, in the order of q [rad or m].
        at, mass, centre: of the payload.
        roll: of the base [deg].
        pitch: of the base [deg].
        bodies, ellipsoids: whether they are shown.
        changed: whether something has to be drawn anew.
    """

    def __init__(
        self, server: Any, model: RobotModel, urdf: str, folder: Path | None = None,
        gravity: Sequence[float] = STANDARD_GRAVITY,
    ) -> None:  # fmt: skip
        """Of a robot from the text of a URDF in a folder; gravity (3,) in root axes [m/s^2]."""
        self._model, self._gravity, self.changed = model, gravity, True
        findings = inspect_robot(model, gravity=gravity, urdf=urdf).findings
        self.scene = RobotScene(server, model, urdf, folder, findings)
        self.panel = TorquePanel(server, model, 'Gravity torque', compares=False)
        gui, size = server.gui, self.scene.size
        gui.add_html(block(f'<b>{model.size} joints, {model.mass:.4g} kg</b>', 14))
        with gui.add_folder('Joints'):
            self.joints = []
            for joint, at in zip(model.independent_joints, self.scene.arm.q.tolist(), strict=True):
                lower, upper = position_range(joint)
                step = min(0.001, (upper - lower) / 100.0)
                # Inwards to a multiple: 3.141 is read, 3.14159265 is not.
                lower, upper = (float(np.trunc(x / step) * step) for x in (lower, upper))
                at = min(max(at, lower), upper)
                self.joints.append(gui.add_slider(joint.name, lower, upper, step, at))
        with gui.add_folder('Payload'):
            self.at, self.mass, self.centre = payload_inputs(gui, model)
        with gui.add_folder('The base is turned by'):
            self.roll, self.pitch = (
                gui.add_slider(f'{name} [deg]', -180, 180, 1, 0) for name in ('roll', 'pitch')
            )
        with gui.add_folder('Show'):
            self.bodies = gui.add_checkbox('boxes of equal inertia, centres of mass', False)
            self.ellipsoids = gui.add_checkbox('ellipsoids of mobility and force', False)
            self.lengths = gui.add_html('')
        with gui.add_folder('Findings'):
            rows = [(SEVERITIES[one.severity], one.code, str(one)) for one in self.scene.findings]
            self.findings = gui.add_html(lines(rows, 'nothing is implausible'))
        for handle in (
            *self.joints, self.at, self.mass, self.centre, self.roll, self.pitch, self.bodies,
            self.ellipsoids,
        ):  # fmt: skip
            handle.on_update(self._on_update)
        add = server.scene.add_icosphere
        self.load = add('/payload', 1.0, ORANGE)
        self.mobility = add('/mobility', 1.0, GREEN, opacity=FAINT)
        self.force = add('/force', 1.0, BLUE, opacity=FAINT)
        self.down = server.scene.add_arrows(
            '/gravity', np.zeros((1, 2, 3)), GREEN, shaft_radius=0.008 * size,
            head_radius=0.02 * size, head_length=0.05 * size,
        )  # fmt: skip
        self._bare: RobotDynamics | None = None

    def _on_update(self, event: Any) -> None:
        self.changed = True

    def dynamics(self) -> RobotDynamics:
        """Those of the robot with the payload, under the gravity that is chosen."""
        if self._bare is None or self._bare.payload_frame != self.at.value:
            self._bare = RobotDynamics(self._model, payload_frame=self.at.value)
        turned = np.radians([self.roll.value, self.pitch.value, 0.0]).tolist()
        dynamics = self._bare.with_gravity(mounted_gravity(turned, self._gravity))
        if not self.mass.value:
            return dynamics
        return dynamics.with_payload(self.at.value, self.mass.value, self.centre.value)

    def update(self) -> None:
        """Show what the inputs say, if one has changed."""
        if not self.changed:
            return
        self.changed = False
        q, dynamics = np.array([slider.value for slider in self.joints]), self.dynamics()
        self.scene.arm.place(q)
        self.scene.show_bodies(self.bodies.value)
        self.panel.show(dynamics.gravity_torque(q))
        margin = float(dynamics.payload_margin(q, self.at.value))
        more = f'{margin:.3g} kg more' if np.isfinite(margin) else 'any mass'
        holds = f'can carry {more}' if margin >= 0.0 else 'carries too much'
        self.panel.remark.content = block(f'<b>{escape(self.at.value)}</b> {holds} here', 14)
        R, p = dynamics.frame_pose(q, self.at.value)
        self.load.visible = self.mass.value > 0.0
        self.load.position = p + R @ np.array(self.centre.value)
        self.load.scale = float(np.cbrt(0.75 / np.pi * self.mass.value / STEEL)) or 1.0
        length = LENGTH * self.scene.size
        start = np.array([-2.0, 0.0, 2.5]) * length
        down = dynamics.gravity / (np.linalg.norm(dynamics.gravity) or 1.0)
        self.down.points = np.array([[start, start + length * down]], np.float32)
        self.mobility.visible = self.force.visible = self.ellipsoids.value
        self.lengths.visible = self.ellipsoids.value
        if self.ellipsoids.value:
            rows = []
            for handle, color, what, (lengths, axes), unit in (
                (self.mobility, GREEN, 'mobility', mobility(dynamics, q, self.at.value), '1/kg'),
                (self.force, BLUE, 'force', largest_force(dynamics, q, self.at.value), 'N'),
            ):
                draw_ellipsoid(handle, p, lengths, axes, length)
                ends = (
                    f'{x:.3g} {unit}' if x < HUGE else 'no limit'
                    for x in np.sort(lengths)[[0, -1]]
                )
                rows.append((color, what, ' to '.join(ends)))
            self.lengths.content = lines(rows)
