"""Detects other publishers on the command topic of the node."""

from __future__ import annotations

import time as clock

from rclpy.node import Node

from robot_dynamics_ros.control.supervisor import Inhibition

from ..endpoints import STEADY
from ..robot.robot_holder import RobotHolder
from .near_misses import UNKNOWN_NAME

PERIOD = 0.5
# Lease of a process that does not announce its end [s]: the default of Fast DDS, and that of
# config/fastdds.xml.
LEASE, SHORT_LEASE = 20, 3


class CommandPublishers:
    """Counts the publishers of the command topic, and tells the guard.

    Attributes:
        topic: resolved name of the command topic.
        others: number of its publishers besides the node.
    """

    def __init__(self, node: Node, topic: str, holder: RobotHolder) -> None:
        """Count now and then, on a timer; the topic is given by its resolved name."""
        self._node = node
        self.topic = topic
        self._holder = holder
        self.others = 0
        # The number that the log knows.
        self._warned = 0
        # Since when there have been others [s], on a monotonic clock.
        self._since = 0.0
        node.create_timer(PERIOD, self.update, clock=STEADY)

    def update(self) -> None:
        """Count, warn if there are more than before, and inhibit the start of commands."""
        before, now = self.others, clock.monotonic()
        # The publisher of the node itself is one of them.
        self.others = max(self._node.count_publishers(self.topic) - 1, 0)
        if self.others:
            # Its last command is what the controller keeps when it has left.
            self._holder.forget_commands(another=True)
        if self.others and not before:
            self._since = now
        names = self._names() if self.others > self._warned else []
        # An endpoint is discovered before the name of its node: the log waits one period for it.
        if names and (self.others == before or not _any_unknown(names)):
            self._node.get_logger().warning(
                f'{self.others} other publisher(s) on {self.topic}; publishers are '
                f'{", ".join(names)}: only one node may command the joints'
                f'{self._lease_text(names)}'
            )
            self._warned = self.others
        elif before and not self.others:
            self._node.get_logger().info(
                f'no other publisher on {self.topic} any more, after {now - self._since:.1f} s'
            )
        self._warned = min(self._warned, self.others)
        with self._holder.lock:
            robot = self._holder.current
            if robot is not None:
                inhibition = self._inhibition() if self.others else None
                robot.guard.supervisor.inhibitions.put('publishers', inhibition)

    def _names(self) -> list[str]:
        """The nodes that publish on the topic, this one among them."""
        return [
            f'{info.node_namespace.rstrip("/")}/{info.node_name}'
            for info in self._node.get_publishers_info_by_topic(self.topic)
        ]

    def _lease_text(self, names: list[str]) -> str:
        """For the log: how long a process that was killed is counted."""
        if names.count(self._node.get_fully_qualified_name()) > 1:
            other = (
                'the other has the name of this node, and may be waiting for this one to end: '
                'if both run, end one'
            )
        elif _any_unknown(names):
            other = 'the name of the other is not known yet'
        else:
            return ''
        return (
            f'; {other}: if it was killed, it is counted until its lease ends, {LEASE} s by '
            f'default of Fast DDS, {SHORT_LEASE} s if it ran with config/fastdds.xml'
        )

    def _inhibition(self) -> Inhibition:
        return Inhibition(
            f'another node publishes on {self.topic}',
            'as soon as no other node publishes commands',
        )


def _any_unknown(names: list[str]) -> bool:
    return any(UNKNOWN_NAME in name for name in names)
