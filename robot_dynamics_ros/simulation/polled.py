"""Messages fetched when it suits the reader, not when they come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile


class PolledGroup(CallbackGroup):
    """A callback group that no executor may serve: its subscriptions are read with `poll`.

    An executor wakes, waits and dispatches for each message, which at 1 kHz takes a loop
    three times the processor time that its own work does.
    """

    def can_execute(self, entity: Any) -> bool:
        """Keep the executor's hands off."""
        return False

    def beginning_execution(self, entity: Any) -> bool:
        """Keep the executor's hands off."""
        return False

    def ending_execution(self, entity: Any) -> None:
        """Do nothing: nothing ever begins."""


class PolledSubscription:
    """A subscription whose messages wait in the middleware's queue until they are polled."""

    def __init__(
        self,
        node: Node,
        message_type: type,
        topic: str,
        qos: QoSProfile | int,
        *,
        raw: bool = False,
    ) -> None:
        """Subscribe; `raw` leaves the messages serialized."""
        self._raw = raw
        self._type = message_type
        self._subscription = node.create_subscription(
            message_type, topic, lambda message: None, qos, callback_group=PolledGroup(), raw=raw
        )

    def poll(self) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Yield what has come since the last time, oldest first: message and its MessageInfo."""
        handle = self._subscription.handle
        with handle:
            while (taken := handle.take_message(self._type, self._raw)) is not None:
                yield taken
