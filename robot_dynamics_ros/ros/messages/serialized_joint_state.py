"""From serialized joint states to messages, without decoding anew what drivers repeat.

A driver sends the same frame and names each time, and making Python objects of them is most of
what rclpy does with a message. So rclpy decodes the first message. Of those that differ from it in
stamp and values only, only these are read.
"""

from __future__ import annotations

from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from robot_dynamics_ros.core.errors import StateError

from .cdr_walk import HEADER_SIZE
from .joint_state_layout import JointStateLayout, find_layout

# Bits of the last byte of the header: how many bytes at the end are padding.
PADDING = 0b11
# A driver sends messages of one or two layouts, and there may be several drivers.
MOST_LAYOUTS = 8


class SerializedJointStates:
    """Decodes the serialized joint states of one topic."""

    def __init__(self) -> None:
        """Know no layout yet."""
        self._layouts: list[JointStateLayout] = []

    def decode(self, data: bytes) -> JointState:
        """The message, as rclpy decodes it; valid until the next call.

        Args:
            data: as the middleware received it.

        Raises:
            StateError: rclpy cannot decode it.
        """
        for layout in self._layouts:
            if layout.fits(data):
                return layout.read(data)
        if not _holds_its_padding(data):
            raise StateError('it is not a serialized sensor_msgs/JointState: it ends too early')
        try:
            message: JointState = deserialize_message(data, JointState)
        except Exception as error:
            # rclpy documents no class of exception.
            raise StateError(f'it is not a serialized sensor_msgs/JointState: {error}') from error
        layout = find_layout(data, message)
        if layout is not None:
            self._layouts = [layout, *self._layouts[: MOST_LAYOUTS - 1]]
        return message


def _holds_its_padding(data: bytes) -> bool:
    """Whether it is as long as its header says that the padding at the end is.

    If it is not, rclpy reads beyond it, and the process crashes (rclpy 9.1, Fast CDR 2).
    """
    return len(data) >= HEADER_SIZE and len(data) - HEADER_SIZE >= data[HEADER_SIZE - 1] & PADDING
