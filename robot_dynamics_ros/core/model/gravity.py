"""Gravity in the axes of the base, for a robot on a wall or a ceiling."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..checks import checked_gravity, checked_vector
from ..errors import StateError
from ..spatial import Vector, add, cross, rotate_back, rotation_from_rpy, scale

# On Earth, in the base frame of a robot that stands upright [m/s^2].
STANDARD_GRAVITY = (0.0, 0.0, -9.81)


def mounted_gravity(rpy: Sequence[float], gravity: Sequence[float] = STANDARD_GRAVITY) -> Vector:
    """Gravity in the axes of a base that is mounted at an angle (3,) [m/s^2].

    >>> dynamics.gravity = mounted_gravity((math.pi, 0.0, 0.0))  # from the ceiling

    Args:
        rpy: (3,) roll, pitch and yaw of the base in the world, as in a URDF origin [rad].
        gravity: (3,) in the world [m/s^2].

    Raises:
        StateError: one of them is not three finite numbers, or gravity is too strong to be meant.
    """
    roll, pitch, yaw = checked_vector('rpy', rpy, ('roll', 'pitch', 'yaw')).tolist()
    x, y, z = checked_gravity(gravity).tolist()
    return rotate_back(rotation_from_rpy(roll, pitch, yaw), (x, y, z))


def rotated_gravity(quaternion: Sequence[float], gravity: Sequence[float]) -> Vector:
    """Gravity in other axes (3,) [m/s^2]: R(quaternion) gravity.

    Args:
        quaternion: (4,) x, y, z, w of the rotation that takes vectors from the axes of `gravity`
            to those of the result; it need not be normalised.
        gravity: (3,) [m/s^2].

    Raises:
        StateError: they are not finite numbers, or the quaternion is zero.
    """
    given = checked_vector('quaternion', quaternion, ('x', 'y', 'z', 'w'))
    largest = float(np.abs(given).max())
    if not largest:
        raise StateError('quaternion is 0, 0, 0, 0: a rotation needs one that is not zero')
    # Scaled first: the squares of very small or large entries would be zero or infinite.
    given /= largest
    *imaginary, real = (given / np.linalg.norm(given)).tolist()
    axis: Vector = (imaginary[0], imaginary[1], imaginary[2])
    x, y, z = checked_gravity(gravity).tolist()
    vector: Vector = (x, y, z)
    # Rodrigues: v + 2 w (u x v) + 2 u x (u x v).
    once = cross(axis, vector)
    return add(vector, add(scale(2.0 * real, once), scale(2.0, cross(axis, once))))
