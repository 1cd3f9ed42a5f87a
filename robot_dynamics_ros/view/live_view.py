"""A running node: what it commands and why, and buttons that call its services.

It looks at the newest message of each topic a few times a second: the middleware drops the others,
and nothing of them is decoded.
"""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Inertia, Vector3, Vector3Stamped, WrenchStamped
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics_interfaces.msg import Contact, JointTorques
from robot_dynamics_interfaces.srv import SetGravity, SetPayload
from robot_dynamics_ros.control.reference import TIMEOUT
from robot_dynamics_ros.control.trajectory import Trajectory
from robot_dynamics_ros.core import RobotModel, StateError
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.ros.endpoints import LATCHED, PolledSubscription, nanoseconds
from robot_dynamics_ros.ros.reference import read_trajectory

from .panels import WINDOW, TorquePanel, block, lines, payload_inputs
from .scene import BLUE, GREEN, ORANGE, RED, Arm, RobotScene

GREY = (108, 117, 125)
STATES = {'TRACKING': GREEN, 'HOLDING': BLUE, 'SILENT': GREY}
TOUCHES = {Contact.KIND_PUSH: ('push', ORANGE), Contact.KIND_COLLISION: ('collision', RED)}
LEVELS = {DiagnosticStatus.WARN: ORANGE, DiagnosticStatus.ERROR: RED, DiagnosticStatus.STALE: GREY}
TERMS = ('gravity', 'coriolis', 'inertial', 'friction')
NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
# What has not come for so long is over [s]: /diagnostics come once a second.
OVER, OVER_DIAGNOSTICS = 0.5, 3.0
# Of the looks, one of so many shows what is read: plots, bars and words.
SLOWER = 3
# The longest arrow, as a share of the reach, and its force [N].
LENGTH, FORCE = 0.4, 100.0


class Listener:
    """The newest messages of a node of a full name, and its services."""

    def __init__(self, name: str) -> None:
        """Hear it; `close` ends that."""
        self.name, self._context = f'/{name.strip("/")}', Context()
        rclpy.init(args=[], context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self._node = node = Node(
            'robot_dynamics_view', context=self._context, start_parameter_services=False
        )
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(node)
        self._newest: dict[str, tuple[float, Any]] = {}
        self._topics = {
            topic: PolledSubscription(node, kind, f'{self.name}/{topic}', qos)
            for kind, topic, qos in (
                (JointTorques, 'torques', NEWEST),
                (WrenchStamped, 'external_wrench', NEWEST),
                (Contact, 'contact', LATCHED),
                (JointTrajectory, 'reference', NEWEST),
            )
        }
        self._topics['diagnostics'] = PolledSubscription(node, DiagnosticArray, '/diagnostics', 10)
        self._clients = {
            name: node.create_client(kind, f'{self.name}/{name}')
            for kind, name in (
                (SetBool, 'enable'), (SetPayload, 'set_payload'), (SetGravity, 'set_gravity')
            )
        }  # fmt: skip

    def look(self) -> None:
        """Take what has come."""
        if 'states' not in self._topics and (topic := self._topic_of_states()):
            self._topics['states'] = PolledSubscription(self._node, JointState, topic, NEWEST)
        for topic, subscription in self._topics.items():
            for message, _ in subscription.poll():
                if topic != 'diagnostics' or self.statuses(message):
                    self._newest[topic] = time.monotonic(), message
        self._executor.spin_once(timeout_sec=0.0)

    def _topic_of_states(self) -> str:
        """That which the node hears, whatever its name is; empty while there is no node."""
        space, _, name = self.name.rpartition('/')
        try:
            heard = self._node.get_subscriber_names_and_types_by_node(name, space or '/')
        except rclpy.node.NodeNameNonExistentError:
            return ''
        return next((one for one, kinds in heard if 'sensor_msgs/msg/JointState' in kinds), '')

    def statuses(self, message: DiagnosticArray) -> dict[str, DiagnosticStatus]:
        """Those of the node, by their names without its own."""
        own = f'{self.name}: '
        return {
            one.name.removeprefix(own): one for one in message.status if one.name.startswith(own)
        }

    def newest(self, topic: str, longest: float = OVER) -> Any:
        """The last message of a topic, if it came within that time [s]; else None."""
        moment, message = self._newest.get(topic, (-np.inf, None))
        return message if time.monotonic() <= moment + longest else None

    def call(self, service: str, answer: Any, **fields: Any) -> None:
        """Call a service; `answer` gets success and a message."""
        client = self._clients[service]
        if not client.service_is_ready():
            answer(False, f'there is no {client.srv_name}')
            return
        client.call_async(client.srv_type.Request(**fields)).add_done_callback(
            lambda future: answer(future.result().success, future.result().message)
        )

    def close(self) -> None:
        """Leave."""
        self._executor.shutdown()
        self._node.destroy_node()
        self._context.try_shutdown()


class LiveView:
    """The arm as it is, and what its node says.

    Attributes:
        scene, ghost: the robot, and where its reference is.
        panel: commanded torques, marks for measured ones; measured and model ones over time.
        state, conditions, terms, answer: HTML.
        buttons: by the service that they call, and `disable`.
        arrow: the external force on its link.
    """

    def __init__(
        self, server: Any, listener: Listener, model: RobotModel, urdf: str, folder: Path | None
    ) -> None:
        """Of a node and its robot; see `RobotScene`."""
        self._listener, self._model, self._touched, self._looks = listener, model, '', 0
        self.scene = RobotScene(server, model, urdf, folder)
        self.ghost = Arm(server, '/ghost', model, self.scene.shapes, ghost=True)
        self._reference: tuple[Any, Trajectory, float] | None = None
        self._samples: deque[tuple[float, Array, Array]] = deque()
        self.panel = TorquePanel(server, model, 'Measured / commanded', compares=True)
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
        values = others.copy()
        if message is not None:
            names = message.name if isinstance(message, JointState) else message.joint_names
            for name, value in zip(names, getattr(message, field), strict=False):
                if name in self._model.joint_names and np.isfinite(value):
                    values[self._model.joint_names.index(name)] = value
        return values

    def _show_force(self, known: bool) -> None:
        """Its arrow ends at the origin of the link on which it acts."""
        wrench, frames = self._listener.newest('external_wrench'), self._model.frames
        link = '' if wrench is None else wrench.header.frame_id
        poses = dict(zip((one.name for one in frames), self.scene.arm.poses, strict=True))
        pose = poses.get(link)
        self.arrow.visible = known and pose is not None
        if pose is not None:
            given = wrench.wrench.force
            force = pose[:, :3] @ np.array([given.x, given.y, given.z])
            arrow = LENGTH * self.scene.size * force / max(FORCE, float(np.linalg.norm(force)))
            self.arrow.points = np.array([[pose[:, 3] - arrow, pose[:, 3]]], np.float32)

    def _show_reference(self, states: Any) -> None:
        """Where it is at the stamp of the states."""
        message = self._listener.newest('reference', np.inf)
        self.ghost.root.visible = False
        if states is None or message is None or not message.points:
            return
        now = 1e-9 * nanoseconds(states.header.stamp)
        if self._reference is None or self._reference[0] is not message:
            start = 1e-9 * nanoseconds(message.header.stamp) or now
            try:
                trajectory = read_trajectory(message, message.joint_names, start, now)
            except StateError:
                return  # the node refuses it too, and reports it
            self._reference = message, trajectory, max(trajectory.end, now)
        _, trajectory, end = self._reference
        if now <= end + TIMEOUT:
            q = self.scene.arm.q.copy()
            for name, position in zip(message.joint_names, trajectory.at(now)[0], strict=True):
                if name in self._model.joint_names:
                    q[self._model.joint_names.index(name)] = position
            self.ghost.place(q)
            self.ghost.root.visible = True

    def _show_words(self, torques: Any) -> None:
        """State, target and event; conditions, latency and contact; the terms."""
        state, words = 'SILENT', 'no torque is commanded'
        if torques is not None:
            state, words = torques.state, f'{torques.event}, to {torques.target}'
            words += f' in {torques.fade_left:.1f} s' if torques.fade_left else ''
        self.state.content = block(
            f'<div style="background:rgb{STATES.get(state, ORANGE)};color:white;padding:8px 12px;'
            f'border-radius:6px"><b style="font-size:26px">{state}</b><br>{words}</div>', 14
        )  # fmt: skip
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
        self.scene.arm.paint(self._touched, None)
        self._touched = ''
        if contact is not None and contact.kind in TOUCHES:
            kind, color = TOUCHES[contact.kind]
            self._touched = contact.link
            self.scene.arm.paint(contact.link, color)
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
