"""The spatial inertia of one rigid body, and its dynamics, as 6 by 6 matrices.

Notes on Modern Robotics, chapter 8 (document 003), "dynamics of a single rigid body". Order as
there: angular part first. It is the theory of one body, in NumPy; `algorithms` has that of whole
robots.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def cross_matrix(a: npt.ArrayLike) -> Array:
    """[a], (3, 3), with [a] b = a x b."""
    x, y, z = np.asarray(a, dtype=float)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def rotated_inertia(rotational: npt.ArrayLike, rotation: npt.ArrayLike) -> Array:
    """I_c = R_bc^T I_b R_bc, (3, 3) [kg m^2].

    Args:
        rotational: (3, 3) I_b.
        rotation: (3, 3) R_bc, the axes of c, seen from b, as columns.
    """
    R = np.asarray(rotation, dtype=float)
    rotated: Array = R.T @ np.asarray(rotational, dtype=float) @ R
    return rotated


def parallel_axes(rotational: npt.ArrayLike, mass: float, point: npt.ArrayLike) -> Array:
    """I_q = I_b + m (q^T q 1 - q q^T), (3, 3) [kg m^2]: about q, in parallel axes.

    Args:
        rotational: (3, 3) I_b, about the centre of mass.
        mass: m [kg].
        point: (3,) q, seen from the centre of mass [m].
    """
    q = np.asarray(point, dtype=float)
    shift: Array = mass * (q @ q * np.eye(3) - np.outer(q, q))
    return np.asarray(rotational, dtype=float) + shift


def adjoint_matrix(rotation: npt.ArrayLike, translation: npt.ArrayLike) -> Array:
    """Ad_T = [[R, 0], [[p] R, R]], (6, 6)."""
    R = np.asarray(rotation, dtype=float)
    return np.block([[R, np.zeros((3, 3))], [cross_matrix(translation) @ R, R]])


def lie_bracket_matrix(twist: npt.ArrayLike) -> Array:
    """ad_V = [[[omega], 0], [[v], [omega]]], (6, 6)."""
    omega, v = np.asarray(twist, dtype=float).reshape(2, 3)
    W = cross_matrix(omega)
    return np.block([[W, np.zeros((3, 3))], [cross_matrix(v), W]])


def spatial_inertia(mass: float, rotational: npt.ArrayLike) -> Array:
    """G_b = [[I_b, 0], [0, m 1]], (6, 6), in a frame at the centre of mass.

    Args:
        mass: m [kg].
        rotational: (3, 3) I_b, about the centre of mass [kg m^2].
    """
    corner = np.zeros((3, 3))
    return np.block([[np.asarray(rotational, dtype=float), corner], [corner, mass * np.eye(3)]])


def change_of_frame(inertia: Array, rotation: npt.ArrayLike, translation: npt.ArrayLike) -> Array:
    """G_a = Ad_T^T G_b Ad_T with T = T_ba, (6, 6): the kinetic energy is the same in both.

    Args:
        inertia: (6, 6) G_b.
        rotation: (3, 3) R_ba, the axes of a, seen from b, as columns.
        translation: (3,) origin of a, seen from b [m].
    """
    transform = adjoint_matrix(rotation, translation)
    return transform.T @ inertia @ transform


def body_wrench(inertia: Array, twist: npt.ArrayLike, twist_rate: npt.ArrayLike) -> Array:
    """F = G V_dot - ad_V^T (G V), (6,), in any frame fixed to the body."""
    momentum = inertia @ np.asarray(twist, dtype=float)
    force: Array = inertia @ np.asarray(twist_rate) - lie_bracket_matrix(twist).T @ momentum
    return force


def body_acceleration(inertia: Array, twist: npt.ArrayLike, wrench: npt.ArrayLike) -> Array:
    """V_dot = G^-1 (F + ad_V^T (G V)), (6,): forward dynamics of one body."""
    momentum = inertia @ np.asarray(twist, dtype=float)
    return np.linalg.solve(inertia, np.asarray(wrench) + lie_bracket_matrix(twist).T @ momentum)
