"""What endpoints share: quality of service, polling, counts of messages, values of messages."""

from __future__ import annotations

import copy
import math
import time as clock
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from builtin_interfaces.msg import Duration, Time
from rclpy.callback_groups import CallbackGroup, ReentrantCallbackGroup
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import DurabilityPolicy, QoSCompatibility, QoSProfile, qos_check_compatible
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.task import Future

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

# Makes parameters such as qos_overrides./joint_states.subscription.reliability.
OVERRIDABLE = QoSOverridingOptions.with_default_policies()
# The last message is kept for subscribers that come later.
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# For timers that must run while simulated time stands still.
STEADY = Clock(clock_type=ClockType.STEADY_TIME)
# Shortest time between two questions whether a topic has subscribers [s].
SUBSCRIBERS_PERIOD = 0.1
# Shortest time between two warnings for the same reason [s].
WARNING_PERIOD = 5.0


class PolledGroup(CallbackGroup):
    """A callback group that no executor serves: its subscriptions are read with `poll`."""

    def can_execute(self, entity: Any) -> bool:
        """Return False: no executor runs this."""
        return False

    beginning_execution = can_execute

    def ending_execution(self, entity: Any) -> None:
        """Do nothing: no execution begins."""


class PolledSubscription:
    """A subscription whose messages wait in the middleware's queue until one thread polls them.

    An executor prepares a wait for every entity of the node, wakes, and dispatches, for each
    message: at 1 kHz that takes three times the processor time of waiting for one subscription
    alone. rclpy has no public wait for one subscription: this class uses its implementation, as
    `rclpy.wait_for_message` does.

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
            topic: its name.
            qos: quality of service, or the depth of the queue.
            raw: leave the messages serialized.
            overriding: which policies parameters of the node may override; None for none.
        """
        self._node, self._type, self._raw, self._context = node, message_type, raw, node.context
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
        reasons = []
        for publisher in self._node.get_publishers_info_by_topic(self.topic):
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


@dataclass
class TopicCounters:
    """Counters of one topic, which the table of conditions reads.

    Attributes:
        topic: name of the topic.
        used: number of messages that were used.
        rejected: number of messages that could not be used.
        last_reason: why the last of these was rejected.
        last_rejected: whether the last message that was not ignored was rejected.
        late: number of messages that were too old when the node came to read them.
        unordered: number of messages whose number in their publisher is not larger than that of
            the message before of the same joints: they are of another publisher.
        ignored: number of messages that name other joints only.
        ignored_joints: the joints of the last of these.
    """

    topic: str
    used: int = 0
    rejected: int = 0
    last_reason: str = ''
    last_rejected: bool = False
    late: int = 0
    unordered: int = 0
    ignored: int = 0
    ignored_joints: Sequence[str] = ()

    def use(self) -> None:
        """Count a message that was used."""
        self.used += 1
        self.last_rejected = False

    def ignore(self, joints: Sequence[str]) -> None:
        """Count a message that names other joints only."""
        self.ignored += 1
        self.ignored_joints = joints

    def reject(self, reason: object) -> None:
        """Count a message that cannot be used."""
        self.rejected += 1
        self.last_rejected = True
        self.last_reason = str(reason)


class SubscriberCheck:
    """Whether a topic has subscribers: asking for each message takes longer than to publish."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher, self._any, self._asked = publisher, False, -math.inf

    @property
    def any(self) -> bool:
        """Whether there was a subscriber when the middleware was asked last."""
        now = clock.monotonic()
        if now - self._asked >= SUBSCRIBERS_PERIOD:
            self._asked = now
            self._any = self._publisher.get_subscription_count() > 0
        return self._any


async def until(node: Node, holds: Callable[[], object], period: float) -> None:
    """Wait, in a coroutine of a node, until something holds, which is asked once a period [s]."""
    # A group of its own: rclpy keeps an entry of every entity that a group has ever had.
    over: Future[None] = Future()  # Jazzy's cannot be subscripted while it runs
    group = ReentrantCallbackGroup()

    def look() -> None:
        if not over.done() and holds():
            over.set_result(None)

    timer = node.create_timer(period, look, callback_group=group, clock=STEADY)
    try:
        await over
    finally:
        node.destroy_timer(timer)


def names_of(endpoints: Sequence[Any]) -> list[str]:
    """The full names of the nodes of some endpoints, one for each endpoint."""
    return [f'{each.node_namespace.rstrip("/")}/{each.node_name}' for each in endpoints]


def doubles(values: Array) -> array[float]:
    """The values as a float64[] field takes them without a check of each value."""
    return array('d', values.tobytes())


def nanoseconds(time: Time | Duration, field: str = 'header.stamp') -> int:
    """A time of a message [ns].

    Raises:
        StateError: it is negative; the error names the field.
    """
    total = int(time.sec) * 10**9 + int(time.nanosec)
    if total < 0:
        raise StateError(f'{field} is {1e-9 * total:g} s, it must not be negative')
    return total
