"""Whether somebody else publishes commands for the robot that we command."""

from __future__ import annotations

from rclpy.node import Node

from ..endpoints.defaults import STEADY
from ..robot.robot_in_use import RobotInUse

PERIOD = 0.5


class CommandPublishers:
    """Watches the topic of the commands.

    Attributes:
        topic: its resolved name.
        others: how many other publishers it has.
    """

    def __init__(self, node: Node, topic: str, in_use: RobotInUse) -> None:
        """Watch a topic, given by its resolved name."""
        self._node = node
        self.topic = topic
        self._in_use = in_use
        self.others = 0
        node.create_timer(PERIOD, self.look, clock=STEADY)

    def look(self) -> None:
        """Count, warn if there are more than before, and tell the guard."""
        rule = self._node.get_parameter('exclusive_commands').value
        before = self.others
        # Ours is one of them.
        others = max(self._node.count_publishers(self.topic) - 1, 0)
        self.others = 0 if rule == 'ignore' else others
        if self.others > before:
            names = ', '.join(
                f'{info.node_namespace.rstrip("/")}/{info.node_name}'
                for info in self._node.get_publishers_info_by_topic(self.topic)
            )
            self._node.get_logger().warning(
                f'{self.others} other publisher(s) on {self.topic}: {names} (with us) command '
                'the same joints'
            )
        with self._in_use.lock:
            commanded = self._in_use.present
            if commanded is not None:
                commanded.guard.start_inhibited = rule == 'refuse' and self.others > 0
