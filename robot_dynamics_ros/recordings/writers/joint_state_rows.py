"""Serialized joint states of one layout, many at a time."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from rosbags.typesys import Stores, get_typestore

from robot_dynamics_ros.core.checks import Array

from .torque_samples import SECOND

JOINT_STATE, STRING = 'sensor_msgs/msg/JointState', 'std_msgs/msg/String'
FIELDS = ('position', 'velocity', 'effort')
STAMP = struct.Struct('<iI')

# They mark where the values of a message stand; no other bytes of it are like them.
MARKED_STAMP = (0x5EC0_57A7, 0x0A05_EC57)
MARKED_VALUES = {'position': -1.2345e-301, 'velocity': -2.3456e-302, 'effort': -3.4567e-303}


@lru_cache(maxsize=1)
def typestore() -> Any:
    """The message definitions of ROS 2."""
    return get_typestore(Stores.ROS2_KILTED)


class JointStateRows:
    """Makes messages of the same joints and fields, which differ in stamp and values only.

    rosbags serializes one message; the bytes of the others are copies of it with other numbers.
    """

    def __init__(self, joints: Sequence[str], fields: Sequence[str] = FIELDS) -> None:
        """Serialize the message whose values are replaced.

        Args:
            joints: names, in the order of the columns.
            fields: of `FIELDS` that have values; the others stay empty.
        """
        marked = {name: np.full(len(joints), MARKED_VALUES[name]) for name in fields}
        data = _serialized(joints, marked)
        self._template = np.frombuffer(data, np.uint8)
        self._stamp = data.index(STAMP.pack(*MARKED_STAMP))
        self._places = {name: data.index(values.tobytes()) for name, values in marked.items()}

    def serialized(self, stamps: npt.NDArray[np.int64], **values: Array) -> Iterator[bytes]:
        """The messages.

        Args:
            stamps: (N,) [ns].
            values: (N, n) of each field.
        """
        size = self._template.size
        rows = np.tile(self._template, (len(stamps), 1))
        seconds, rest = np.divmod(stamps, SECOND)
        self._put(rows, self._stamp, seconds[:, None].astype('<i4'))
        self._put(rows, self._stamp + 4, rest[:, None].astype('<u4'))
        for name, place in self._places.items():
            self._put(rows, place, np.ascontiguousarray(values[name], '<f8'))
        data = rows.tobytes()
        for first in range(0, len(data), size):
            yield data[first : first + size]

    @staticmethod
    def _put(rows: npt.NDArray[np.uint8], place: int, values: npt.NDArray[Any]) -> None:
        """Write rows of values into the bytes from a place on."""
        content = np.ascontiguousarray(values).view(np.uint8)
        rows[:, place : place + content.shape[1]] = content


def serialized_text(text: str) -> bytes:
    """A serialized std_msgs/String."""
    types = typestore()
    return bytes(types.serialize_cdr(types.types[STRING](data=text), STRING))


def _serialized(joints: Sequence[str], values: dict[str, Array]) -> bytes:
    types = typestore().types
    stamp = types['builtin_interfaces/msg/Time'](*MARKED_STAMP)
    header = types['std_msgs/msg/Header'](stamp=stamp, frame_id='')
    empty = {name: np.empty(0) for name in FIELDS}
    message = types[JOINT_STATE](header=header, name=list(joints), **(empty | values))
    return bytes(typestore().serialize_cdr(message, JOINT_STATE))
