"""Whether anything subscribes to a topic, for publishers at the rate of the states."""

from __future__ import annotations

from rclpy.node import Node
from rclpy.publisher import Publisher

from .defaults import STEADY

# [s]
PERIOD = 0.1


class SubscriberCheck:
    """Asks the middleware ten times a second: asking for each state takes longer than to publish.

    Attributes:
        any: whether there was a subscriber when it was asked last.
    """

    def __init__(self, node: Node, publisher: Publisher) -> None:
        """Ask on a timer of the node."""
        self._publisher = publisher
        self.any = False
        node.create_timer(PERIOD, self.update, clock=STEADY)

    def update(self) -> None:
        """Ask now."""
        self.any = self._publisher.get_subscription_count() > 0
