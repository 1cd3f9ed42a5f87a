"""Serialized joint states decoded one by one by rosbags, for those that agree in too little."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
from rosbags.typesys import Stores, get_typestore

from robot_dynamics_ros.core.errors import RecordingError

from .state_rows import StateRows

JOINT_STATE = 'sensor_msgs/msg/JointState'
# [bytes]: of some thousand joints.
LARGEST_MESSAGE = 1 << 20
VALUES = ('position', 'velocity', 'effort')


def decoded_state(topic: str, data: bytes, *, ros1: bool) -> Any | None:
    """The message, as rosbags decodes it; None where its names and values do not fit each other.

    Args:
        topic: for messages.
        data: the serialized message.
        ros1: whether ROS 1 has serialized it.

    Raises:
        RecordingError: it is not a joint state, or too large for one.
    """
    if len(data) > LARGEST_MESSAGE:
        raise RecordingError(
            f'{topic}: a message has {len(data)} bytes, at most {LARGEST_MESSAGE} are '
            'allowed for the state of a robot'
        )
    store = _typestore(ros1=ros1)
    read = store.deserialize_ros1 if ros1 else store.deserialize_cdr
    try:
        message = read(data, JOINT_STATE)
    except Exception as error:
        # rosbags documents no class of exception.
        raise RecordingError(
            f'{topic}: a message is not a serialized {JOINT_STATE}: {error}'
        ) from error
    return message if _fits(message) else None


def decoded_rows(messages: Iterable[tuple[int, Any]]) -> list[StateRows]:
    """The states of decoded messages, grouped by names and by the values that are there.

    Args:
        messages: each with its place in the block, in ascending order.
    """
    groups: dict[tuple[Any, ...], list[tuple[int, Any]]] = {}
    for place, message in messages:
        key = tuple(message.name), message.velocity.size > 0, message.effort.size > 0
        groups.setdefault(key, []).append((place, message))
    return [_rows(*key, group) for key, group in groups.items()]


def _rows(
    names: tuple[str, ...], moving: bool, loaded: bool, group: list[tuple[int, Any]]
) -> StateRows:
    places = np.array([place for place, _ in group], np.intp)
    messages = [message for _, message in group]
    stamps = [each.header.stamp for each in messages]
    return StateRows(
        places,
        names,
        np.array([stamp.sec * 1_000_000_000 + stamp.nanosec for stamp in stamps], np.int64),
        np.array([each.position for each in messages]),
        np.array([each.velocity for each in messages]) if moving else None,
        np.array([each.effort for each in messages]) if loaded else None,
    )


def _fits(message: Any) -> bool:
    """Whether there are positions of joints, and other values of all of these or of none."""
    sizes = [len(getattr(message, field)) for field in VALUES]
    names = len(message.name)
    if not names or len(set(message.name)) < names or sizes[0] != names:
        return False
    return {*sizes} <= {0, names}


@cache
def _typestore(*, ros1: bool) -> Any:
    return get_typestore(Stores.ROS1_NOETIC if ros1 else Stores.LATEST)
