"""Where stamp and values stand in serialized joint states that agree in everything else."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from struct import Struct

from sensor_msgs.msg import JointState

from .cdr_walk import HEADER_SIZE, CdrWalk

# Plain CDR in the byte order of this machine.
NATIVE = bytes([0, sys.byteorder == 'little'])
STAMP = Struct('=iI')
STAMP_PLACE = slice(HEADER_SIZE, HEADER_SIZE + STAMP.size)
VALUES = ('position', 'velocity', 'effort')


class JointStateLayout:
    """Reads stamp and values of serialized messages into a message that has the rest."""

    def __init__(
        self, data: bytes, message: JointState, mask: bytes, places: Mapping[str, slice]
    ) -> None:
        """Start with a message that rclpy has decoded.

        Args:
            data: the serialized message.
            message: the same message; it takes the stamps and values of those that follow.
            mask: 255 for each byte that must not differ; 0 for stamp, values and padding.
            places: bytes of the values, by the name of the field.
        """
        self._size = len(data)
        # AND of integers: the fastest way to compare all but some bytes.
        self._mask = int.from_bytes(mask, 'little')
        self._expected = int.from_bytes(data, 'little') & self._mask
        self._message, self._stamp = message, message.header.stamp
        self._values = [
            (memoryview(getattr(message, name)).cast('B'), place)
            for name, place in places.items()
            if place.stop > place.start
        ]

    def fits(self, data: bytes) -> bool:
        """Whether a serialized message differs in stamp, values and padding only."""
        return (
            len(data) == self._size
            and int.from_bytes(data, 'little') & self._mask == self._expected
        )

    def read(self, data: bytes) -> JointState:
        """The message that a serialized one which fits stands for; valid until the next call."""
        self._stamp.sec, self._stamp.nanosec = STAMP.unpack(data[STAMP_PLACE])
        for target, place in self._values:
            target[:] = data[place]
        return self._message


def find_layout(data: bytes, message: JointState) -> JointStateLayout | None:
    """The layout of a serialized message.

    Args:
        data: the serialized message.
        message: what rclpy has decoded from it.

    Returns:
        None where the bytes at the places found are not the stamp and the values of `message`: it
        is not plain CDR, or in another byte order.
    """
    if data[:2] != NATIVE:
        return None
    walk = CdrWalk(data)
    walk.skip(STAMP.size)
    try:
        walk.keep_text()
        for _ in range(walk.keep_count()):
            walk.keep_text()
        places = {name: walk.skip_doubles() for name in VALUES}
    except ValueError:
        return None
    stamp = message.header.stamp
    agrees = data[STAMP_PLACE] == STAMP.pack(stamp.sec, stamp.nanosec) and all(
        data[place] == getattr(message, name).tobytes() for name, place in places.items()
    )
    return JointStateLayout(data, message, bytes(walk.mask), places) if agrees else None
