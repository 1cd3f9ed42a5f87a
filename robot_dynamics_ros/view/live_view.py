"""A running node: what it commands and why, and buttons that call its services."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Inertia, Vector3, Vector3Stamped
from sensor_msgs.msg import JointState

from robot_dynamics_interfaces.msg import Contact
from robot_dynamics_ros.control.feedforward import TERMS
from robot_dynamics_ros.control.reference import TIMEOUT
from robot_dynamics_ros.control.trajectory import Trajectory
from robot_dynamics_ros.core import RobotModel, StateError
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.link_geometry import Color
from robot_dynamics_ros.ros.endpoints import nanoseconds
from robot_dynamics_ros.ros.listener import Listener
from robot_dynamics_ros.ros.reference import read_trajectory

from .panels import WINDOW, TorquePanel, block, lines, payload_inputs
from .scene import BLUE, GREEN, ORANGE, RED, Arm, RobotScene

GREY = (108, 117, 125)
STATES = {'TRACKING': GREEN, 'HOLDING': BLUE, 'SILENT': GREY}
TOUCHES = {Contact.KIND_PUSH: ('push', ORANGE), Contact.KIND_COLLISION: ('collision', RED)}
LEVELS = {DiagnosticStatus.WARN: ORANGE, DiagnosticStatus.ERROR: RED, DiagnosticStatus.STALE: GREY}
# /diagnostics come once a second [s].
OVER_DIAGNOSTICS = 3.0
# Of the looks, one of so many shows what is read: plots, bars and words.
SLOWER = 3
# The longest arrow, as a share of the reach, and its force [N].
LENGTH, FORCE = 0.4, 100.0


class LiveView:
    """The arm as it is, and what its node says.

    Attributes:
        scene: the robot.
        ghost: where its reference is.
        panel: commanded torques, marks for measured ones; measured and model ones over time.
        state: HTML, as are conditions, terms and answer.
        buttons: by the service that they call, and `disable`.
        arrow: the external force on its link.
    """

    def __init__(
        self, server: Any, listener: Listener, model: RobotModel, urdf: str, folder: Path | None
    ) -> None:
        """Of a node and its robot; see `RobotScene`."""
        self._listener, self._model, self._looks = listener, model, 0
        self._touched: tuple[str, Color | None] | None = None
        self.scene = RobotScene(server, model, urdf, folder)
        self.ghost = Arm(server, '/ghost', model, self.scene.shapes, ghost=True)
        self._reference: tuple[Any, Trajectory, float] | None = None
        self._samples: deque[tuple[float, Array, Array]] = deque()
        self.panel = TorquePanel(server, model, 'Torques', compares=True)
        self.panel.remark.content = block(
            'measured (orange) / commanded (bar); below: sum of terms'
        )
        gui, size = server.gui, self.scene.size
        self.state, self.conditions = gui.add_html(''), gui.add_html('')
        with gui.add_folder(listener.name):
            enable = gui.add_button('enable', color='green')
            disable = gui.add_button('disable', color='red')
            self.answer = gui.add_html('')
        with gui.add_folder('Payload'):
            self.at, self.mass, self.centre = payload_inputs(gui, model)
            payload = gui.add_button('set payload')
        with gui.add_folder('Gravity'):
            self.gravity = gui.add_vector3('[m/s^2]', STANDARD_GRAVITY, step=0.01)
            gravity = gui.add_button('set gravity')
        with gui.add_folder('Terms [N m or N]'):
            self.terms = gui.add_html('')
        self.buttons = {
            'enable': enable, 'disable': disable, 'set_payload': payload, 'set_gravity': gravity
        }  # fmt: skip
        for name, button in self.buttons.items():
            button.on_click(lambda event, name=name: self._call(name))
        self.arrow = server.scene.add_arrows(
            '/external_force', np.zeros((1, 2, 3)), RED, shaft_radius=0.012 * size,
            head_radius=0.03 * size, head_length=0.06 * size, visible=False,
        )  # fmt: skip

    def _call(self, button: str) -> None:
        fields: dict[str, Any] = {'data': button == 'enable'}
        if button == 'set_payload':
            inertia = Inertia(m=float(self.mass.value), com=_vector(self.centre.value))
            fields = {'frame': self.at.value, 'inertia': inertia}
        elif button == 'set_gravity':
            fields = {'gravity': Vector3Stamped(vector=_vector(self.gravity.value))}

        def answer(success: bool, message: str) -> None:
            row = GREEN if success else RED, button, message or ('done' if success else 'refused')
            self.answer.content = lines([row])

        self._listener.call(button.replace('disable', 'enable'), answer, **fields)

    def update(self) -> None:
        """Look at the node, and show what it says."""
        self._listener.look()
        self._looks += 1
        states, torques = (self._listener.newest(topic) for topic in ('states', 'torques'))
        unknown = np.full(self._model.size, np.nan)
        if states is not None:
            self.scene.arm.place(self._of(states, 'position', self.scene.arm.q))
        measured = self._of(states, 'effort', unknown)
        model = sum(self._of(torques, term, unknown) for term in TERMS)
        self._samples.append((time.monotonic(), measured, model))
        while self._samples[-1][0] > self._samples[0][0] + WINDOW:
            self._samples.popleft()
        self._show_force(states is not None)
        self._show_reference(states)
        if self._looks % SLOWER == 0:
            saturated = () if torques is None else torques.saturated
            self.panel.show(self._of(torques, 'effort', unknown), measured, saturated)
            times, *curves = map(np.array, zip(*self._samples, strict=True))
            self.panel.plot(times - times[-1], *curves)
            self._show_words(torques)

    def _of(self, message: Any, field: str, others: Array) -> Array:
        """A field (n,) of a message, by the names of joints; `others` where it says nothing."""
        if message is None:
            return others
        names = message.name if isinstance(message, JointState) else message.joint_names
        return self._by_name(names, getattr(message, field), others)

    def _by_name(self, names: Sequence[str], values: Sequence[float], others: Array) -> Array:
        whole = others.copy()
        for name, value in zip(names, values, strict=False):
            if name in self._model.joint_names and np.isfinite(value):
                whole[self._model.joint_names.index(name)] = value
        return whole

    def _show_force(self, known: bool) -> None:
        """Its arrow ends at the origin of the link on which it acts."""
        wrench, arm = self._listener.newest('external_wrench'), self.scene.arm
        shown = known and wrench is not None and wrench.header.frame_id in arm.names
        if shown:
            pose = arm.poses[[*arm.names].index(wrench.header.frame_id)]
            given = wrench.wrench.force
            force = pose[:, :3] @ np.array([given.x, given.y, given.z])
            arrow = LENGTH * self.scene.size * force / max(FORCE, float(np.linalg.norm(force)))
            self.arrow.points = np.array([[pose[:, 3] - arrow, pose[:, 3]]], np.float32)
        self.arrow.visible = shown

    def _show_reference(self, states: Any) -> None:
        """Where it is at the stamp of the states."""
        message, shown = self._listener.newest('reference', np.inf), False
        if states is not None and message is not None and message.points:
            now = 1e-9 * nanoseconds(states.header.stamp)
            if self._reference is None or self._reference[0] is not message:
                start = 1e-9 * nanoseconds(message.header.stamp) or now
                with suppress(StateError):  # the node refuses it too, and reports it
                    trajectory = read_trajectory(message, message.joint_names, start, now)
                    self._reference = message, trajectory, max(trajectory.end, now)
            if self._reference is not None and now <= self._reference[2] + TIMEOUT:
                positions = self._reference[1].at(now)[0]
                self.ghost.place(self._by_name(message.joint_names, positions, self.scene.arm.q))
                shown = True
        self.ghost.root.visible = shown

    def _show_words(self, torques: Any) -> None:
        """State, target and event; conditions, latency and contact; the terms."""
        state, words = 'SILENT', 'no torque is commanded'
        if torques is not None:
            state, words = torques.state, f'{torques.event}, to {torques.target}'
            words += f' in {torques.fade_left:.1f} s' if torques.fade_left else ''
        card = f'<b style="font-size:26px">{escape(state)}</b><br>{escape(words)}'
        color = STATES.get(state, ORANGE)
        style = f'background:rgb{color};color:white;padding:8px 12px;border-radius:6px'
        self.state.content = block(f'<div style="{style}">{card}</div>', 14)
        rows = [] if torques is None or not torques.fault else [(RED, 'fault', torques.fault)]
        diagnostics = self._listener.newest('diagnostics', OVER_DIAGNOSTICS)
        if diagnostics is None:
            rows.append((GREY, self._listener.name, 'is not heard: does it run?'))
        else:
            found = self._listener.statuses(diagnostics)
            rows += [
                (LEVELS[one.level], name, one.message)
                for name, one in found.items()
                if one.level in LEVELS
            ]
            figures = {each.key: each.value for one in found.values() for each in one.values}
            keys = [key for key in ('terms', 'rate [Hz]', 'latency p99 [ms]') if key in figures]
            rows += [(GREEN, key, figures[key]) for key in keys]
        contact = self._listener.newest('contact', np.inf)
        kind, color = TOUCHES.get(0 if contact is None else contact.kind, ('', None))
        touched = (contact.link, color) if kind else None
        if touched != self._touched:
            if self._touched is not None:
                self.scene.arm.paint(self._touched[0], None)
            if touched is not None:
                self.scene.arm.paint(*touched)
            self._touched = touched
        if color is not None:
            rows.append((color, kind, contact.link))
        self.conditions.content = lines(rows)
        parts = {} if torques is None else {term: getattr(torques, term) for term in TERMS}
        self.terms.content = lines(
            (
                (BLUE, name, ', '.join(f'{term} {part[row]:.2f}' for term, part in parts.items()))
                for row, name in enumerate(torques.joint_names if parts else ())
            ),
            'none',
        )


def _vector(values: Any) -> Vector3:
    x, y, z = map(float, values)
    return Vector3(x=x, y=y, z=z)
