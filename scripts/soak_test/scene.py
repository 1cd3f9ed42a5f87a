"""What a fault can do and see. Faults run cycle by cycle: they yield once in each."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from controller import Controller
from expected import Expected, close
from motion import Array
from observer import Answer, Observer
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from robot import Robot
from services import ACTIVATE, Services
from starvation import Starvation
from std_msgs.msg import String

T = TypeVar('T')
Steps = Generator[None, None, T]

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# What the node under test is given [s]: shorter than its defaults, so that more fits in.
STATE_TIMEOUT, FADE_TIME = 0.1, 0.3
# Diagnostics come once a second; a service may wait for a cycle.
DIAGNOSTICS_LIMIT, SERVICE_LIMIT = 3.0, 5.0
# A fade, and what a busy machine adds to it [s].
CHANGE_LIMIT = FADE_TIME + 2.0


class Scene:
    """The robot, the node under test and its observer.

    Attributes:
        urdf: the description in use.
        nominal: its torques.
        limits: (n,) effort limits of its joints [N m].
        period: of the cycles [s].
        starvation: of the node and of us.
        controller: the process behind the commands.
    """

    def __init__(
        self,
        node: Node,
        robot: Robot,
        observer: Observer,
        services: Services,
        starvation: Starvation,
        controller: Controller,
        *,
        urdf: str,
        limits: Array,
        rate: float,
    ) -> None:
        """Take part; rate of the cycles [Hz]."""
        self.node, self.robot, self.observer, self.services = node, robot, observer, services
        self.starvation, self.controller = starvation, controller
        self.urdf, self.limits, self.period = urdf, limits, 1.0 / rate
        self.nominal = Expected(urdf)
        self._description = node.create_publisher(String, 'robot_description', LATCHED)

    def now(self) -> int:
        """The time of the stamps [ns]."""
        return int(self.node.get_clock().now().nanoseconds)

    def describe(self, urdf: str) -> None:
        """Publish a description, as robot_state_publisher does."""
        self._description.publish(String(data=urdf))

    def seconds(self, duration: float) -> Steps[None]:
        """Let cycles pass [s]."""
        end = time.monotonic() + duration
        while time.monotonic() < end:
            yield

    def until(self, condition: Callable[[], bool], limit: float) -> Steps[bool]:
        """Let cycles pass until a condition holds; whether it did within the limit [s]."""
        end = time.monotonic() + limit
        while not condition():
            if time.monotonic() > end:
                return False
            yield
        return True

    def until_reported(self, since: int, concern: str, words: str) -> Steps[bool]:
        """Until diagnostics tell of something that happened after a time [ns]."""
        return (
            yield from self.until(
                lambda: self.observer.reported(since, concern, words), DIAGNOSTICS_LIMIT
            )
        )

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

    def rescue(self) -> Steps[None]:
        """What an operator would do with a node that does not command: enable, then activate."""
        self.robot.counted = False
        self.describe(self.urdf)
        yield from self.answered(self.services.enable(True))
        yield from self.recovered()
        yield from self.answered(self.services.change_state(ACTIVATE))
        yield from self.recovered()

    def answered(self, future: Any) -> Steps[Any]:
        """The result of a future; None if there is none, or none in time."""
        if future is None:
            return None
        yield from self.until(future.done, SERVICE_LIMIT)
        return future.result() if future.done() else None

    def set(self, **values: Any) -> Steps[str]:
        """Set parameters; empty, or why they could not be set."""
        response = yield from self.answered(self.services.set_parameters(**values))
        if response is None:
            return 'no answer of set_parameters'
        return '; '.join(r.reason or 'refused' for r in response.results if not r.successful)
