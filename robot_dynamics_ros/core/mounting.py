"""Gravity as the base sees it, for a robot that hangs from a wall or a ceiling."""

from __future__ import annotations

from collections.abc import Sequence

from .checks import checked_gravity, checked_vector
from .dynamics import STANDARD_GRAVITY
from .spatial import Vector, rotate_back, rotation_from_rpy


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
