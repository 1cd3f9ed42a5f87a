"""The description of the robot: parameter or latched topic robot_description."""

from __future__ import annotations

import copy
from collections.abc import Callable

from rclpy.node import Node
from std_msgs.msg import String

from ..endpoints import LATCHED, OVERRIDABLE, TopicCounters
from .robot_holder import RobotHolder


class DescriptionTopic:
    """Keeps the last description, for the next transition configure.

    Attributes:
        counters: of the descriptions.
    """

    def __init__(self, node: Node, holder: RobotHolder, start: Callable[[], None]) -> None:
        """Subscribe.

        Args:
            node: that subscribes.
            holder: of the configured robot.
            start: called when a description is received and no robot is configured.
        """
        self._node = node
        self._holder = holder
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
        """The URDF to configure; empty if there is none yet."""
        return str(self._node.get_parameter('robot_description').value or self._received)

    def unused(self) -> str:
        """What to do for the text to be used; empty if the configured robot is of this text."""
        robot = self._holder.current
        if robot is None or robot.compiled.text == self.text():
            return ''
        return (
            'a new robot_description has come, and the robot of the one before is used: '
            'deactivate, clean up and configure the node to use the new one'
        )

    def _on_description(self, message: String) -> None:
        if not message.data.strip():
            self.counters.reject('the text is empty: the description before is kept')
            return
        parameter = self._node.get_parameter('robot_description').value
        if parameter and message.data != parameter:
            self.counters.reject(
                'parameter robot_description (description:= of the launch file) is used, the text '
                'on the topic is another one: leave the parameter empty to use the topic'
            )
            return
        repeated = message.data == self._received
        self._received = message.data
        self.counters.use()
        if self._holder.current is None:
            self._start()
        elif not repeated and (unused := self.unused()):
            self._node.get_logger().warning(unused)
