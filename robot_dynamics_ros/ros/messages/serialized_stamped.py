"""From a stamp and numbers to a serialized message whose other fields stay."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from rclpy.serialization import serialize_message

from robot_dynamics_ros.core.checks import Array

# What no other bytes of a message look like.
MARK = Time(sec=0x12345678, nanosec=0x09ABCDEF)


class SerializedStamped:
    """Encodes messages of one kind: rclpy serializes one, the others differ in stamp and values.

    That takes a tenth of the time of making and serializing each message.
    """

    def __init__(self, make: Callable[[Time, Array], Any], size: int) -> None:
        """Find where stamp and values stand.

        Args:
            make: the message from stamp and values (k,), which follow each other in memory.
            size: number of values, k.
        """
        self._make = make
        values = np.sqrt(2.0 + np.arange(size))
        data = serialize_message(make(MARK, values))
        mark = struct.pack('=iI', MARK.sec, MARK.nanosec)
        self._head, stamped, rest = data.partition(mark)
        self._middle, valued, self._tail = rest.partition(values.tobytes())
        self._plain = bool(stamped and valued)

    def encode(self, stamp: Time, values: Array) -> Any:
        """The message with this stamp and these values (k,), for `publish`.

        Returns:
            Serialized; not serialized where the middleware does not store the values as they are
            in memory.
        """
        if not self._plain:
            return self._make(stamp, values)
        time = struct.pack('=iI', stamp.sec, stamp.nanosec)
        return b''.join((self._head, time, self._middle, values.tobytes(), self._tail))
