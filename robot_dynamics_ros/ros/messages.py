"""Values of messages: arrays, matrices, times."""

from __future__ import annotations

from array import array

from builtin_interfaces.msg import Duration, Time
from std_msgs.msg import Float64MultiArray, MultiArrayDimension

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError


def doubles(values: Array) -> array[float]:
    """The values as a float64[] field takes them without a check of each value."""
    return array('d', values.tobytes())


def matrix_message(matrix: Array) -> Float64MultiArray:
    """A matrix (m, n) as a message: row-major, with dimensions labelled row and column."""
    rows, columns = matrix.shape
    message = Float64MultiArray(data=doubles(matrix))
    message.layout.dim = [
        MultiArrayDimension(label='row', size=rows, stride=rows * columns),
        MultiArrayDimension(label='column', size=columns, stride=columns),
    ]
    return message


def nanoseconds(time: Time | Duration, field: str = 'header.stamp') -> int:
    """A time of a message [ns].

    Raises:
        StateError: it is negative; the error names the field.
    """
    total = int(time.sec) * 10**9 + int(time.nanosec)
    if total < 0:
        raise StateError(f'{field} is {1e-9 * total:g} s, it must not be negative')
    return total
