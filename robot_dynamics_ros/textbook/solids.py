"""Rotational inertia of homogeneous solids about their centre, in their principal axes.

Notes on Modern Robotics, chapter 8 (document 003), the figure of common solids. Each function
returns the (3, 3) matrix [kg m^2] that a URDF's <inertia> or `Inertia.at_center_of_mass` takes.
"""

from __future__ import annotations

from robot_dynamics_ros.core.scalar import Scalar
from robot_dynamics_ros.core.spatial import Matrix, symmetric


def box(mass: Scalar, x: Scalar, y: Scalar, z: Scalar) -> Matrix:
    """Of a box with these edge lengths [m]: I_xx = m (y^2 + z^2) / 12."""
    return _from_squares(mass / 12.0, x * x, y * y, z * z)


def cylinder(mass: Scalar, radius: Scalar, length: Scalar) -> Matrix:
    """Of a cylinder along z [m]: I_xx = m (3 r^2 + l^2) / 12 and I_zz = m r^2 / 2."""
    across = mass * (3.0 * radius * radius + length * length) / 12.0
    return symmetric(across, 0.0, 0.0, across, 0.0, mass * radius * radius / 2.0)


def ellipsoid(mass: Scalar, a: Scalar, b: Scalar, c: Scalar) -> Matrix:
    """Of an ellipsoid with these half-axes along x, y, z [m]: I_xx = m (b^2 + c^2) / 5."""
    return _from_squares(mass / 5.0, a * a, b * b, c * c)


def sphere(mass: Scalar, radius: Scalar) -> Matrix:
    """Of a full sphere [m]: I = 2 m r^2 / 5."""
    return ellipsoid(mass, radius, radius, radius)


def _from_squares(factor: Scalar, xx: Scalar, yy: Scalar, zz: Scalar) -> Matrix:
    return symmetric(factor * (yy + zz), 0.0, 0.0, factor * (xx + zz), 0.0, factor * (xx + yy))
