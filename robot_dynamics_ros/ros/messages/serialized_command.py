"""From a command to the serialized message for `~/commands`."""

from __future__ import annotations

import numpy as np
from rclpy.serialization import serialize_message
from std_msgs.msg import Float64MultiArray

from robot_dynamics_ros.core.checks import Array

from .arrays import doubles


class SerializedCommand:
    """Encodes commands of one size: rclpy serializes one, the others differ in values only."""

    def __init__(self, size: int) -> None:
        """Find where the values stand.

        Args:
            size: number of values.
        """
        # No other bytes of the message look like these.
        values = np.sqrt(2.0 + np.arange(size))
        data = serialize_message(Float64MultiArray(data=doubles(values)))
        self._before, found, self._after = data.partition(values.tobytes())
        self._plain = bool(found)

    def encode(self, values: Array) -> bytes | Float64MultiArray:
        """The message with these values (k,), for `publish`.

        Returns:
            Serialized; not serialized where the middleware does not store the values as they are
            in memory.
        """
        if not self._plain:
            return Float64MultiArray(data=doubles(values))
        return self._before + values.tobytes() + self._after
