"""A body by mass, centre and inertia about the centre, and the ten parameters that are linear.

theta = (m, c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the centre of mass) is what people know of a
payload, and what intervals are wanted of; the torque is linear in pi = (m, m c, I about the origin
of the frame), I_O = I_C + m (c^T c 1 - c c^T).
"""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array

# Row and column of each of the six entries of an inertia, in the order of `PARAMETERS`.
ROWS, COLUMNS = np.array([0, 0, 1, 0, 1, 2]), np.array([0, 1, 1, 2, 2, 2])


def linear_parameters(theta: Array) -> Array:
    """pi (10,) of theta (10,)."""
    mass, center = theta[0], theta[1:4]
    pi = np.empty(10)
    pi[0], pi[1:4] = mass, mass * center
    pi[4:] = theta[4:] + mass * _spread(center, center)
    return pi


def slopes(theta: Array) -> Array:
    """The derivatives of pi by theta, (10, 10)."""
    mass, center = theta[0], theta[1:4]
    result = np.zeros((10, 10))
    result[0, 0] = 1.0
    result[1:4, 0] = center
    result[4:, 0] = _spread(center, center)
    for axis, unit in enumerate(np.eye(3)):
        result[1 + axis, 1 + axis] = mass
        result[4:, 1 + axis] = 2.0 * mass * _spread(center, unit)
    result[4:, 4:] = np.eye(6)
    return result


def tensor(entries: Array) -> Array:
    """The symmetric matrix (3, 3) of six entries."""
    result = np.empty((3, 3))
    result[ROWS, COLUMNS] = result[COLUMNS, ROWS] = entries
    return result


def second_moment(entries: Array) -> Array:
    """S (3, 3) with I = trace(S) 1 - S, of the six entries of I."""
    inertia = tensor(entries)
    return np.asarray(0.5 * np.trace(inertia) * np.eye(3) - inertia)


def inertia_of(second: Array) -> Array:
    """The six entries of I = trace(S) 1 - S."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = second.tolist()
    return np.array([yy + zz, -xy, xx + zz, -xz, -yz, xx + yy])


def _spread(a: Array, b: Array) -> Array:
    """Six entries of a^T b 1 - (a b^T + b a^T) / 2."""
    (u, v, w), (x, y, z) = a.tolist(), b.tolist()
    ux, vy, wz = u * x, v * y, w * z
    mixed = -0.5 * (u * y + v * x), -0.5 * (u * z + w * x), -0.5 * (v * z + w * y)
    return np.array([vy + wz, mixed[0], ux + wz, mixed[1], mixed[2], ux + vy])
