"""Looks up one transform of tf2: the node listens to /tf only while it waits for that one."""

from __future__ import annotations

from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.task import Future
from rclpy.time import Time

from robot_dynamics_ros.core.errors import StateError

from ..endpoints import STEADY

try:
    from tf2_msgs.msg import TFMessage

    # The buffer in C++: tf2_ros.Buffer adds callbacks in Python to it, which are not needed here.
    from tf2_py import BufferCore, TransformException
except ImportError:  # optional: not needed for gravity in the frame of the root link
    TFMessage = Buffer = TransformException = None
else:

    class Buffer(BufferCore):
        """Frees its transforms at its end: CPython calls the finalizer of a subclass only."""


# Longest wait [s]: for discovery, and for a publisher that sends once a second.
LIMIT = 2.0
# As tf2_ros subscribes.
MOVING = QoSProfile(depth=100)
STATIC = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def available() -> bool:
    """Whether tf2 is installed."""
    return Buffer is not None


async def look_up(node: Node, target: str, source: str, stamp: Time) -> Any:
    """The transform from one frame to another.

    Args:
        node: listens to /tf and /tf_static while this waits.
        target: frame of the result.
        source: frame of what is transformed.
        stamp: time of the transform; 0 for the latest.

    Returns:
        geometry_msgs/Transform.

    Raises:
        StateError: within LIMIT there is no such transform.
    """
    lookup = _Lookup(target, source, stamp)
    # A group of its own: rclpy keeps an entry of every entity that a group has ever had.
    group = ReentrantCallbackGroup()
    subscriptions = [
        node.create_subscription(TFMessage, topic, take, qos, callback_group=group)
        for topic, take, qos in (
            ('/tf', lookup.take, MOVING),
            ('/tf_static', lookup.take_static, STATIC),
        )
    ]
    timer = node.create_timer(LIMIT, lookup.give_up, callback_group=group, clock=STEADY)
    try:
        return await lookup.transform
    finally:
        node.destroy_timer(timer)
        for subscription in subscriptions:
            node.destroy_subscription(subscription)


class _Lookup:
    """Collects transforms until they connect two frames.

    Attributes:
        transform: done with it, or with the reason why there is none.
    """

    def __init__(self, target: str, source: str, stamp: Time) -> None:
        self.transform: Future = Future()
        self._target, self._source, self._stamp = target, source, stamp
        self._buffer = Buffer()
        self._reason = 'nothing was received on /tf and /tf_static'

    def take(self, message: Any) -> None:
        """Take a message of /tf."""
        self._take(message, self._buffer.set_transform)

    def take_static(self, message: Any) -> None:
        """Take a message of /tf_static."""
        self._take(message, self._buffer.set_transform_static)

    def give_up(self) -> None:
        """End the wait with the reason why it has failed."""
        self._refuse(f'within {LIMIT:g} s: {self._reason}')

    def _take(self, message: Any, put: Any) -> None:
        if self.transform.done():
            return
        try:
            for transform in message.transforms:
                put(transform, 'robot_dynamics')
            self._look()
        except TransformException as error:
            self._reason = str(error)
            self._refuse_the_past()
        except Exception as error:
            # No message may end the node: the caller is told.
            self.transform.set_exception(error)

    def _look(self) -> None:
        found = self._buffer.lookup_transform_core(self._target, self._source, self._stamp)
        self.transform.set_result(found.transform)

    def _refuse_the_past(self) -> None:
        """End the wait if transforms have come that are later than the stamp: no others will."""
        try:
            latest = self._buffer.lookup_transform_core(self._target, self._source, Time())
        except TransformException:
            return
        if Time.from_msg(latest.header.stamp, clock_type=self._stamp.clock_type) > self._stamp:
            self._refuse(
                'at header.stamp: the node listens to /tf from the request on, and the first '
                'transform received is later; set the stamp to 0 for the latest'
            )

    def _refuse(self, reason: str) -> None:
        if not self.transform.done():
            self.transform.set_exception(
                StateError(
                    f'tf2 has no transform from {self._source!r} to {self._target!r} {reason}'
                )
            )
