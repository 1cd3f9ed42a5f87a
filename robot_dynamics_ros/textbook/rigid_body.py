"""The dynamics of one rigid body as 6 by 6 matrices, and the inertia of homogeneous solids.

Notes on Modern Robotics, chapter 8 (document 003), "dynamics of a single rigid body" and the
figure of common solids. Order as there: angular part first.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.spatial import Transform

from .screw import Array, adjoint, lie_bracket


def rotated_inertia(rotational: npt.ArrayLike, rotation: npt.ArrayLike) -> Array:
    """I_c = R_bc^T I_b R_bc, (3, 3) [kg m^2].

    Args:
        rotational: (3, 3) I_b.
        rotation: (3, 3) R_bc, the axes of c, seen from b, as columns.
    """
    R = np.asarray(rotation, dtype=float)
    return R.T @ np.asarray(rotational, dtype=float) @ R


def parallel_axes(rotational: npt.ArrayLike, mass: float, point: npt.ArrayLike) -> Array:
    """I_q = I_b + m (q^T q 1 - q q^T), (3, 3) [kg m^2]: about q, in parallel axes.

    Args:
        rotational: (3, 3) I_b, about the centre of mass.
        mass: m [kg].
        point: (3,) q, seen from the centre of mass [m].
    """
    q = np.asarray(point, dtype=float)
    return np.asarray(rotational, dtype=float) + mass * (q @ q * np.eye(3) - np.outer(q, q))


def spatial_inertia(mass: float, rotational: npt.ArrayLike) -> Array:
    """G_b = [[I_b, 0], [0, m 1]], (6, 6), in a frame at the centre of mass.

    Args:
        mass: m [kg].
        rotational: (3, 3) I_b, about the centre of mass [kg m^2].
    """
    corner = np.zeros((3, 3))
    return np.block([[np.asarray(rotational, dtype=float), corner], [corner, mass * np.eye(3)]])


def change_of_frame(inertia: Array, pose: Transform) -> Array:
    """G_a = Ad_T^T G_b Ad_T with T = T_ba, (6, 6): the kinetic energy is the same in both.

    Args:
        inertia: (6, 6) G_b.
        pose: T_ba, of the frame a, seen from b.
    """
    transform = adjoint(pose)
    return transform.T @ inertia @ transform


def body_wrench(inertia: Array, twist: npt.ArrayLike, twist_rate: npt.ArrayLike) -> Array:
    """F = G V_dot - ad_V^T (G V), (6,), in any frame fixed to the body."""
    momentum = inertia @ np.asarray(twist, dtype=float)
    return inertia @ np.asarray(twist_rate) - lie_bracket(twist).T @ momentum


def body_acceleration(inertia: Array, twist: npt.ArrayLike, wrench: npt.ArrayLike) -> Array:
    """V_dot = G^-1 (F + ad_V^T (G V)), (6,): forward dynamics of one body."""
    momentum = inertia @ np.asarray(twist, dtype=float)
    return np.linalg.solve(inertia, np.asarray(wrench) + lie_bracket(twist).T @ momentum)


# Rotational inertia (3, 3) [kg m^2] about the centre, in the principal axes.


def box(mass: float, x: float, y: float, z: float) -> Array:
    """Of a box with these edge lengths [m]: I_xx = m (y^2 + z^2) / 12."""
    return ellipsoid(5.0 * mass / 12.0, x, y, z)


def cylinder(mass: float, radius: float, length: float) -> Array:
    """Of a cylinder along z [m]: I_xx = m (3 r^2 + l^2) / 12 and I_zz = m r^2 / 2."""
    across = mass * (3.0 * radius**2 + length**2) / 12.0
    return np.diag([across, across, mass * radius**2 / 2.0])


def ellipsoid(mass: float, a: float, b: float, c: float) -> Array:
    """Of an ellipsoid with these half-axes along x, y, z [m]: I_xx = m (b^2 + c^2) / 5."""
    squares = np.square([a, b, c])
    return mass / 5.0 * np.diag(squares.sum() - squares)


def sphere(mass: float, radius: float) -> Array:
    """Of a full sphere [m]: I = 2 m r^2 / 5."""
    return ellipsoid(mass, radius, radius, radius)
