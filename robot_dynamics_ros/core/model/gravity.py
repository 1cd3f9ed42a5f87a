"""Gravity as the base sees it, for a robot that hangs from a wall or a ceiling."""

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
    """Gravity in the axes into which a quaternion turns those it is given in (3,) [m/s^2].

    Args:
        quaternion: (4,) x, y, z, w of the rotation; it need not be normalised.
        gravity: (3,) [m/s^2].

    Raises:
        StateError: they are not finite numbers, or the quaternion is zero.
    """
    turn = checked_vector('quaternion', quaternion, ('x', 'y', 'z', 'w'))
    largest = float(np.abs(turn).max())
    if not largest:
        raise StateError('quaternion is zero, it says no rotation')
    # First to a size whose squares are no zero and not infinite.
    turn /= largest
    *imaginary, real = (turn / np.linalg.norm(turn)).tolist()
    axis: Vector = (imaginary[0], imaginary[1], imaginary[2])
    x, y, z = checked_gravity(gravity).tolist()
    vector: Vector = (x, y, z)
    # Rodrigues: v + 2 w (u x v) + 2 u x (u x v).
    once = cross(axis, vector)
    return add(vector, add(scale(2.0 * real, once), scale(2.0, cross(axis, once))))
