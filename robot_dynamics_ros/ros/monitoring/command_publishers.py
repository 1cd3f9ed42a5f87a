"""Detects other publishers on the command topic of the node."""

from __future__ import annotations

from rclpy.node import Node

from ..endpoints.defaults import STEADY
from ..robot.robot_holder import RobotHolder

PERIOD = 0.5


class CommandPublishers:
    """Counts the publishers of the command topic, and tells the guard.

    Attributes:
        topic: resolved name of the command topic.
        others: number of its publishers besides the node; 0 if exclusive_commands is ignore.
    """

    def __init__(self, node: Node, topic: str, holder: RobotHolder) -> None:
        """Count now and then, on a timer; the topic is given by its resolved name."""
        self._node = node
        self.topic = topic
        self._holder = holder
        self.others = 0
        node.create_timer(PERIOD, self.update, clock=STEADY)

    def update(self) -> None:
        """Count, warn if there are more than before, and set `blocked` of the guard."""
        rule = self._node.get_parameter('exclusive_commands').value
        before = self.others
        # The publisher of the node itself is one of them.
        others = max(self._node.count_publishers(self.topic) - 1, 0)
        self.others = 0 if rule == 'ignore' else others
        if self.others > before:
            names = ', '.join(
                f'{info.node_namespace.rstrip("/")}/{info.node_name}'
                for info in self._node.get_publishers_info_by_topic(self.topic)
            )
            self._node.get_logger().warning(
                f'{self.others} other publisher(s) on {self.topic}; publishers are {names}: only '
                f'one node may command the joints (exclusive_commands={rule})'
            )
        with self._holder.lock:
            robot = self._holder.current
            if robot is not None:
                robot.guard.start_inhibited = rule == 'refuse' and self.others > 0
