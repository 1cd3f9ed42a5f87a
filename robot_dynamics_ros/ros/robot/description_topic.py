"""The description of the robot: parameter or latched topic robot_description, and its change."""

from __future__ import annotations

import copy
from collections.abc import Callable

from rclpy.node import Node
from std_msgs.msg import String

from robot_dynamics_ros.core.errors import RobotDynamicsError

from ..endpoints.defaults import LATCHED, OVERRIDABLE
from ..endpoints.topic_counters import TopicCounters
from .robot_factory import RobotFactory, check_same_joints
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
        if robot is None:
            self._received = message.data
            self.counters.use()
            self._start()
        elif message.data == robot.compiled.text:
            self.counters.use()
        elif self._node.get_parameter('robot_description').value:
            self.counters.reject(
                'parameter robot_description is set and is used instead of the topic: leave it '
                'empty to use the topic'
            )
        else:
            self._replace_robot(message.data)

    def _replace_robot(self, text: str) -> None:
        """Compile and check the new robot while the current one goes on answering states."""
        current = self._holder.require()
        try:
            payloads = current.dynamics.model.payloads
            robot = self._factory.from_description(text, payloads[0] if payloads else None)
            check_same_joints(robot, current)
            self._holder.replace(robot)
        except RobotDynamicsError as error:
            self.counters.reject(f'{error} (the current robot is kept)')
        else:
            self._received = text
            self.counters.use()
            self._node.get_logger().info('robot_description has changed: the new robot is used')
