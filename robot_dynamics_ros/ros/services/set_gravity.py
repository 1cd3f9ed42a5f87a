"""`~/set_gravity`: gravity of a robot that is mounted at an angle, or moves on a base."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.time import Time

from robot_dynamics_ros.core.checks import STRONGEST_GRAVITY, checked_gravity
from robot_dynamics_ros.core.errors import ParameterError, StateError, UnknownNameError
from robot_dynamics_ros.core.model.gravity import rotated_gravity

from ..endpoints import until
from ..robot import RobotHolder

try:
    from tf2_msgs.msg import TFMessage

    # The buffer in C++: tf2_ros.Buffer adds callbacks in Python to it, which are not needed here.
    from tf2_py import BufferCore, TransformException
except ImportError:  # optional: not needed for gravity in the frame of the root link
    TFMessage = Buffer = TransformException = None
else:

    class Buffer(BufferCore):
        """Frees its transforms at its end: CPython calls the finalizer of a subclass only."""


# On Earth it is 9.76 to 9.84; the rest is for rounded components and measured ones [m/s^2].
WEAKEST, STRONGEST = 9.7, 9.9
# Longest wait for a transform [s]: for discovery, and for a publisher that sends once a second.
LIMIT = 2.0
# How often is looked whether it has come [s].
LOOK = 0.02
# As tf2_ros subscribes.
MOVING = QoSProfile(depth=100)
STATIC = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)


async def set_gravity(node: Node, holder: RobotHolder, request: Any, response: Any) -> None:
    """Rotate the vector into the frame of the root link, and set the parameter."""
    if not request.allow_any:
        _check_place(request.gravity.vector)
    gravity = await _in_root_link(node, holder, request.gravity)
    (result,) = node.set_parameters([Parameter('gravity', value=gravity)])
    if not result.successful:
        raise ParameterError(result.reason)
    given = ', '.join(f'{x:.6g}' for x in gravity)
    response.message = f'gravity is ({given}) m/s^2 in the frame of the root link'


async def _in_root_link(node: Node, holder: RobotHolder, message: Any) -> list[float]:
    vector, frame = message.vector, message.header.frame_id
    gravity = checked_gravity((vector.x, vector.y, vector.z)).tolist()
    root = _root(holder)
    if frame in ('', root):
        return gravity
    if Buffer is None:
        raise UnknownNameError(
            'frame', frame, (root,), 'tf2 is not installed, which other frames need'
        )
    transform = await look_up(node, root, frame, Time.from_msg(message.header.stamp))
    if _root(holder) != root:
        raise StateError(f'the root link is {_root(holder)!r} now, it was {root!r}: call again')
    rotation = transform.rotation
    return [*rotated_gravity((rotation.x, rotation.y, rotation.z, rotation.w), gravity)]


def _root(holder: RobotHolder) -> str:
    return holder.require().dynamics.model.frames[0].name


def _check_place(vector: Any) -> None:
    """Check that a gravity is one of a place on Earth: an empty request means zero."""
    size = math.hypot(vector.x, vector.y, vector.z)
    if size < WEAKEST or size > STRONGEST:
        remedy = 'set allow_any to true if you mean it'
        if size > STRONGEST_GRAVITY:
            remedy = (
                f'more than {STRONGEST_GRAVITY:g} m/s^2 is refused with allow_any too: check that '
                'it is in m/s^2'
            )
        raise ParameterError(
            f'gravity is ({vector.x:g}, {vector.y:g}, {vector.z:g}), {size:.4g} m/s^2 strong: '
            f'places on Earth have {WEAKEST:g} to {STRONGEST:g} m/s^2; {remedy}'
        )


async def look_up(node: Node, target: str, source: str, stamp: Time) -> Any:
    """The geometry_msgs/Transform of tf2 from a source frame to a target; stamp 0: the latest.

    The node listens to /tf and /tf_static while this waits.

    Raises:
        StateError: within LIMIT there is no such transform.
    """
    buffer, end = Buffer(), clock.monotonic() + LIMIT
    reason, found = 'nothing was received on /tf and /tf_static', None

    def take(message: Any, put: Callable[[Any, str], None]) -> None:
        nonlocal reason, found
        # No message may end the node.
        with suppress(Exception):
            for transform in message.transforms:
                put(transform, 'robot_dynamics')
        try:
            found = buffer.lookup_transform_core(target, source, stamp).transform
        except TransformException as error:
            reason = str(error)

    # A group of its own: rclpy keeps an entry of every entity that a group has ever had.
    group = ReentrantCallbackGroup()
    subscriptions = [
        node.create_subscription(TFMessage, topic, partial(take, put=put), qos,
                                 callback_group=group)
        for topic, put, qos in (
            ('/tf', buffer.set_transform, MOVING),
            ('/tf_static', buffer.set_transform_static, STATIC),
        )
    ]  # fmt: skip
    try:
        await until(node, lambda: found or clock.monotonic() >= end, LOOK)
    finally:
        for subscription in subscriptions:
            node.destroy_subscription(subscription)
    if found is None:
        missing = f'tf2 has no transform from {source!r} to {target!r} within {LIMIT:g} s'
        raise StateError(f'{missing}: {reason}')
    return found
