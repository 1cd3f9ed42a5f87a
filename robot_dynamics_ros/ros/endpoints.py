"""What endpoints share: quality of service, a clock for timers, counts, values of messages."""

from __future__ import annotations

import math
import time as clock
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from builtin_interfaces.msg import Duration, Time
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import DurabilityPolicy, QoSProfile
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
        ignored: number of messages that name other joints only.
        ignored_joints: the joints of the last of these.
    """

    topic: str
    used: int = 0
    rejected: int = 0
    last_reason: str = ''
    last_rejected: bool = False
    late: int = 0
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
        """Know nothing of this publisher yet."""
        self._publisher = publisher
        self._any = False
        self._asked = -math.inf

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
    over: Future[None] = Future()
    timer = node.create_timer(
        period, lambda: over.done() or (holds() and over.set_result(None)), clock=STEADY
    )
    try:
        await over
    finally:
        node.destroy_timer(timer)


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
