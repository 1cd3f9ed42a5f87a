"""The description of the robot: the parameter, or the latched topic; and its change."""

from __future__ import annotations

import copy
from collections.abc import Callable

from rclpy.node import Node
from std_msgs.msg import String

from robot_dynamics_ros.core.errors import RobotDynamicsError

from ..endpoints.defaults import LATCHED, OVERRIDABLE
from ..endpoints.topic_counters import TopicCounters
from .robot_in_use import RobotInUse
from .robot_maker import RobotMaker, require_same_joints


class DescriptionTopic:
    """Keeps the last description, and goes over to it where a robot is in use.

    Attributes:
        counters: of the descriptions.
    """

    def __init__(
        self, node: Node, in_use: RobotInUse, maker: RobotMaker, on_first: Callable[[], None]
    ) -> None:
        """Subscribe.

        Args:
            node: that hears.
            in_use: the robot in use.
            maker: of another.
            on_first: called when a description comes and no robot is in use.
        """
        self._node = node
        self._in_use = in_use
        self._maker = maker
        self._on_first = on_first
        self._described = ''
        self.counters = TopicCounters('robot_description', node.get_logger())
        node.create_subscription(
            String,
            'robot_description',
            self._hear,
            # rclpy writes the overrides into the profile that it is given.
            copy.copy(LATCHED),
            qos_overriding_options=OVERRIDABLE,
        )

    def text(self) -> str:
        """The URDF to use; empty if there is none yet."""
        return str(self._node.get_parameter('robot_description').value or self._described)

    def _hear(self, message: String) -> None:
        if not message.data.strip():
            self.counters.refuse('it is empty; the one before is kept')
            return
        present = self._in_use.present
        if present is None:
            self._described = message.data
            self.counters.use()
            self._on_first()
        elif message.data == present.robot.text:
            self.counters.use()
        elif self._node.get_parameter('robot_description').value:
            self.counters.refuse('the parameter robot_description is set, and goes first')
        else:
            self._go_over(message.data)

    def _go_over(self, text: str) -> None:
        """Compile and check the new robot beside the old one, which runs on meanwhile."""
        present = self._in_use.commanded()
        try:
            loads = present.robot.dynamics.model.payloads
            commanded = self._maker.make(text, loads[0] if loads else None)
            require_same_joints(commanded, present)
            self._in_use.exchange(commanded)
        except RobotDynamicsError as error:
            self.counters.refuse(f'{error} (the robot in use is kept)')
        else:
            self._described = text
            self.counters.use()
            self._node.get_logger().info('robot_description has changed: the new one is in use')
