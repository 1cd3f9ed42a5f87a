"""The description of the robot: parameter or latched topic robot_description, and its change."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.node import Node
from std_msgs.msg import String

from robot_dynamics_ros.core.errors import RobotDynamicsError

from ..endpoints.defaults import LATCHED, OVERRIDABLE
from ..endpoints.topic_counters import TopicCounters
from .background_work import BackgroundWork
from .commanded_robot import CommandedRobot
from .compilation import CompiledRobot
from .robot_factory import RobotFactory, check_replacement
from .robot_holder import RobotHolder


class DescriptionTopic:
    """Keeps the last description; where a robot is configured, replaces it by the new one.

    Attributes:
        counters: of the descriptions.
    """

    def __init__(
        self, node: Node, holder: RobotHolder, factory: RobotFactory, start: Callable[[], None]
    ) -> None:
        """Subscribe.

        Args:
            node: that subscribes.
            holder: of the configured robot.
            factory: makes the robot of another description.
            start: called when a description is received and no robot is configured.
        """
        self._node = node
        self._holder = holder
        self._factory = factory
        self._start = start
        self._work = BackgroundWork(node)
        self._received = ''
        self.counters = TopicCounters('robot_description', node.get_logger())
        node.create_subscription(
            String,
            'robot_description',
            self._on_description,
            # rclpy writes the overrides into the profile that it is given.
            copy.copy(LATCHED),
            qos_overriding_options=OVERRIDABLE,
        )

    def text(self) -> str:
        """The URDF to use; empty if there is none yet."""
        return str(self._node.get_parameter('robot_description').value or self._received)

    def _on_description(self, message: String) -> None:
        if not message.data.strip():
            self.counters.reject('the text is empty: the description before is kept')
            return
        robot = self._holder.current
        used = self._node.get_parameter('robot_description').value
        if used and message.data != used:
            self.counters.reject(
                'parameter robot_description (description:= of the launch file) is used, the text '
                'on the topic is another one: leave the parameter empty to use the topic'
            )
        elif robot is None:
            self._received = message.data
            self.counters.use()
            self._start()
        elif message.data == robot.compiled.text:
            self._work.drop()
            self.counters.use()
        else:
            self._replace_robot(message.data)

    def _replace_robot(self, text: str) -> None:
        """Compile and check the new robot in another process; the current one is commanded on."""
        robot = self._holder.require()
        payloads = robot.dynamics.model.payloads
        try:
            work = self._factory.compilation(text, payloads[0] if payloads else None)
        except RobotDynamicsError as error:
            self._reject(error)
        else:
            self._work.start(work, partial(self._finish, text, robot))

    def _finish(self, text: str, robot: CommandedRobot, outcome: Any) -> None:
        """Use what was compiled to replace this robot, or say why not."""
        current = self._holder.current
        if current is None:
            # The node was cleaned up meanwhile: the description is for the next configuration.
            self._received = text
            self.counters.use()
            self._start()
        elif current is not robot:
            # Its payload is another one, or it was configured again with other parameters.
            self._replace_robot(text)
        elif isinstance(outcome, Exception):
            self._reject(outcome)
        else:
            self._use(text, outcome, current)

    def _use(self, text: str, compiled: CompiledRobot, current: CommandedRobot) -> None:
        try:
            robot = self._factory.from_compiled(compiled)
            check_replacement(robot, current)
            self._holder.replace(robot)
        except RobotDynamicsError as error:
            self._reject(error)
            return
        self._received = text
        self.counters.use()
        self._factory.log(robot)
        self._node.get_logger().info('robot_description has changed: the new robot is used')

    def _reject(self, error: Exception) -> None:
        expected = isinstance(error, RobotDynamicsError)
        reason = str(error) if expected else f'{type(error).__name__}: {error}'
        self.counters.reject(f'{reason} (the current robot is kept)')
