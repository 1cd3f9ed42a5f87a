"""Messages from arrays."""

from __future__ import annotations

from array import array

from std_msgs.msg import Float64MultiArray, MultiArrayDimension

from robot_dynamics_ros.core.checks import Array


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
