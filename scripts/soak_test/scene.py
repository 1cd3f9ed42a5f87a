"""What a fault can do and see. Faults run cycle by cycle: they yield once in each."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, TypeVar

import numpy as np
from controller import Controller
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from machine import SimulatedTime
from observer import NODE, Answer, Observer
from rcl_interfaces.srv import SetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from robot import Array, Robot
from std_msgs.msg import String
from std_srvs.srv import SetBool

from robot_dynamics_interfaces.srv import SetPayload
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference

T = TypeVar('T')
Steps = Generator[None, None, T]

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# What the node under test is given [s]: shorter than its defaults, so that more fits in.
STATE_TIMEOUT, FADE_TIME = 0.1, 0.3
# Of what takes a second (diagnostics), a cycle (services) or a fade [s].
DIAGNOSTICS_LIMIT = SERVICE_LIMIT = CHANGE_LIMIT = 10.0
# The executor takes as long as a cycle: it runs in one of so many, while an answer is due.
EVERY = 5
# The node agrees to some 1e-12; what it commands while it changes over is farther away than this.
TOLERANCE = 1e-6


class Expected:
    """Torques of one description, by Pinocchio."""

    def __init__(self, urdf: str) -> None:
        self._oracle = PinocchioReference(urdf, parse_urdf(urdf))

    def gravity(self, q: Array) -> Array:
        """g (n,) [N m]."""
        return self._oracle.gravity_torque(q)

    def bias(self, q: Array, v: Array) -> Array:
        """C v + g (n,) [N m]."""
        return self._oracle.bias_torque(q, v)


def close(torque: Array, expected: Array) -> bool:
    """Whether a torque is the expected one."""
    scale = max(1.0, float(np.abs(expected).max()))
    return bool(np.abs(torque - expected).max() <= TOLERANCE * scale)


class Scene:
    """The robot, the node under test and its observer.

    Attributes:
        urdf: the description in use.
        nominal: its torques.
        limits: (n,) effort limits of its joints [N m].
        period: of the cycles [s].
        clock: of the node and of us.
        controller: the process behind the commands.
    """

    def __init__(
        self,
        node: Node,
        robot: Robot,
        observer: Observer,
        clock: SimulatedTime,
        controller: Controller,
        *,
        urdf: str,
        limits: Array,
        rate: float,
    ) -> None:
        """Take part; rate of the cycles [Hz]."""
        self.node, self.robot, self.observer = node, robot, observer
        self.clock, self.controller = clock, controller
        self.urdf, self.limits, self.period = urdf, limits, 1.0 / rate
        self.nominal = Expected(urdf)
        self._description = node.create_publisher(String, 'robot_description', LATCHED)
        self._executor, self._due, self._cycle = SingleThreadedExecutor(), None, 0
        self._executor.add_node(node)
        self._clients = {
            name: node.create_client(kind, f'{NODE}/{name}')
            for name, kind in (
                ('set_parameters', SetParameters),
                ('change_state', ChangeState),
                ('enable', SetBool),
                ('set_payload', SetPayload),
            )
        }

    def spin(self) -> None:
        """Let the answer that is due come in, in a cycle."""
        self._cycle += 1
        if self._due is not None and self._cycle % EVERY == 0:
            self._executor.spin_once(timeout_sec=0.0)

    def close(self) -> None:
        """Let go of the node."""
        self._executor.shutdown()

    def now(self) -> int:
        """The time of the stamps [ns]."""
        return self.clock.now

    def describe(self, urdf: str) -> None:
        """Publish a description, as robot_state_publisher does."""
        self._description.publish(String(data=urdf))

    def seconds(self, duration: float) -> Steps[None]:
        """Let cycles pass [s]."""
        end = self.clock.seconds + duration
        while self.clock.seconds < end:
            yield

    def until(self, condition: Callable[[], bool], limit: float) -> Steps[bool]:
        """Let cycles pass until a condition holds; whether it did within the limit [s]."""
        end = self.clock.seconds + limit
        while not condition():
            if self.clock.seconds > end:
                return False
            yield
        return True

    def until_reported(
        self, since: int, concern: str, words: str, limit: float = DIAGNOSTICS_LIMIT
    ) -> Steps[bool]:
        """Until diagnostics report something that happened after a time [ns]; limit in [s]."""
        reported = self.observer.reported
        return (yield from self.until(lambda: reported(since, concern, words), limit))

    def until_commanded(
        self, torque: Callable[[Answer], Array], limit: float = CHANGE_LIMIT
    ) -> Steps[bool]:
        """Until the answer to a state sent from now on is as expected of that state.

        Args:
            torque: makes the expected torque (n,) [N m] from an `Answer`.
            limit: [s].
        """
        began = self.now()

        def reached_target() -> bool:
            answer = self.observer.answer
            if answer is None or answer.stamp < began:
                return False
            return close(answer.effort, torque(answer))

        return (yield from self.until(reached_target, limit))

    def recovered(self, limit: float = CHANGE_LIMIT) -> Steps[bool]:
        """Until the node commands the bias torque of the state again."""
        return (yield from self.until_commanded(lambda a: self.nominal.bias(a.q, a.v), limit))

    def silent(self, duration: float, limit: float) -> Steps[bool]:
        """Until no command has come for a time [s]; whether that was within the limit."""

        def ceased() -> bool:
            commands = self.observer.commands
            return bool(commands) and self.now() - commands[-1].time > duration * 1e9

        return (yield from self.until(ceased, limit))

    def rescue(self) -> Steps[None]:
        """What an operator would do with a node that does not command: enable, then activate."""
        self.robot.counted = False
        self.describe(self.urdf)
        yield from self.enable(True)
        yield from self.recovered()
        yield from self.change_state(Transition.TRANSITION_ACTIVATE)
        yield from self.recovered()

    def set(self, **values: Any) -> Steps[str]:
        """Set parameters; empty, or why they could not be set."""
        parameters = [Parameter(k, value=v).to_parameter_msg() for k, v in values.items()]
        request = SetParameters.Request(parameters=parameters)
        response = yield from self._answered('set_parameters', request)
        if response is None:
            return 'no answer of set_parameters'
        return '; '.join(r.reason or 'refused' for r in response.results if not r.successful)

    def enable(self, on: bool) -> Steps[str]:
        """Call `~/enable`; empty, or why that failed."""
        return (yield from self._done('enable', SetBool.Request(data=on)))

    def change_state(self, transition: int) -> Steps[str]:
        """Ask for a transition; empty, or why that failed."""
        request = ChangeState.Request(transition=Transition(id=transition))
        return (yield from self._done('change_state', request))

    def set_payload(self, request: SetPayload.Request) -> Steps[str]:
        """Set a payload; empty, or why that failed."""
        return (yield from self._done('set_payload', request))

    def _done(self, name: str, request: Any) -> Steps[str]:
        response = yield from self._answered(name, request)
        if response is None:
            return f'no answer of {name}'
        return '' if response.success else getattr(response, 'message', '') or f'{name} failed'

    def _answered(self, name: str, request: Any) -> Steps[Any]:
        """The response of a service; None if there is none in time."""
        client = self._clients[name]
        if not client.service_is_ready():
            return None
        self._due = client.call_async(request)
        future = self._due
        yield from self.until(future.done, SERVICE_LIMIT)
        self._due = None
        return future.result() if future.done() else None
