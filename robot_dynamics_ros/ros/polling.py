"""A subscription that a thread reads itself, without the executor.

An executor prepares a wait for every entity of the node, wakes, and dispatches, for each message:
at 1 kHz that takes three times the processor time of waiting for one subscription alone.

rclpy has no public wait for one subscription: this is the one place that uses its implementation,
as `rclpy.wait_for_message` does.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.qos import QoSCompatibility, QoSProfile, qos_check_compatible
from rclpy.qos_overriding_options import QoSOverridingOptions


class PolledGroup(CallbackGroup):
    """A callback group that no executor serves: its subscriptions are read with `poll`.

    Their events are not served either: the executor would wake for every message to look for one.
    """

    def can_execute(self, entity: Any) -> bool:
        """Return False: no executor runs this."""
        return False

    def beginning_execution(self, entity: Any) -> bool:
        """Return False: no executor runs this."""
        return False

    def ending_execution(self, entity: Any) -> None:
        """Do nothing: no execution begins."""


class PolledSubscription:
    """A subscription whose messages wait in the middleware's queue until they are polled.

    One thread may wait and poll.

    Attributes:
        topic: resolved name.
    """

    def __init__(
        self,
        node: Node,
        message_type: type,
        topic: str,
        qos: QoSProfile | int,
        *,
        raw: bool = False,
        overriding: QoSOverridingOptions | None = None,
    ) -> None:
        """Subscribe.

        Args:
            node: that subscribes.
            message_type: of the messages.
            topic: name of the topic.
            qos: quality of service, or the depth of the queue.
            raw: leave the messages serialized.
            overriding: which policies parameters of the node may override; None for none.
        """
        self._node = node
        self._raw = raw
        self._type = message_type
        self._context = node.context
        self._wait_set: Any = None
        self._subscription = node.create_subscription(
            message_type,
            topic,
            lambda message: None,
            # rclpy writes the overrides into the profile that it is given.
            copy.copy(qos),
            callback_group=PolledGroup(),
            qos_overriding_options=overriding,
            raw=raw,
        )
        self.topic = self._subscription.topic_name

    def incompatible_publishers(self) -> str:
        """Publishers whose messages cannot be received, with the reason; empty if there are none.

        Found by comparing their quality of service: the event that would report it is not served.
        """
        publishers = self._node.get_publishers_info_by_topic(self.topic)
        reasons = []
        for publisher in publishers:
            verdict, reason = qos_check_compatible(
                publisher.qos_profile, self._subscription.qos_profile
            )
            if verdict == QoSCompatibility.ERROR:
                reasons.append(f'{publisher.node_name}: {reason}')
        return '; '.join(reasons)

    @property
    def usable(self) -> bool:
        """Whether messages can still be received: not after shutdown."""
        return bool(self._context.ok())

    def wait(self, timeout: float) -> bool:
        """Whether a message is waiting, or is received within the timeout [s]."""
        with self._context.handle, self._subscription.handle:
            if self._wait_set is None:
                # Kept, as making one takes longer than waiting.
                sizes = 1, 0, 0, 0, 0, 0
                self._wait_set = rclpy_implementation.WaitSet(*sizes, self._context.handle)
            self._wait_set.clear_entities()
            self._wait_set.add_subscription(self._subscription.handle)
            self._wait_set.wait(int(timeout * 1e9))
            return bool(self._wait_set.get_ready_entities('subscription'))

    def poll(self) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Yield each message received since the last call with its MessageInfo, oldest first."""
        handle = self._subscription.handle
        with handle:
            while (taken := handle.take_message(self._type, self._raw)) is not None:
                yield taken
