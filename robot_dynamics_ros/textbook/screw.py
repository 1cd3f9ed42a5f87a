"""Screws: twists and wrenches, their matrices, and the exponential.

Notes on Modern Robotics, chapter 8 (document 003), and Lynch, Park, "Modern Robotics" (2017),
chapters 3 and 8. As there, and only here and in what builds on this, the angular part comes
first: a twist V is (omega, v), a wrench F (moment, force), both (6,); F^T V is a power.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.scalar import Scalar, cos, sin
from robot_dynamics_ros.core.spatial import (
    ZERO,
    Transform,
    Vector,
    add,
    cross,
    dot,
    rotate_back,
    rotation_about,
    scale,
    subtract,
    transpose,
)

Array = npt.NDArray[np.float64]


def cross_matrix(a: npt.ArrayLike) -> Array:
    """[a], (3, 3), with [a] b = a x b."""
    x, y, z = np.asarray(a, dtype=float)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def adjoint(pose: Transform) -> Array:
    """Ad_T = [[R, 0], [[p] R, R]], (6, 6): of T_ab, V_a = Ad_T V_b and F_b = Ad_T^T F_a."""
    R = np.array(pose.rotation, dtype=float)
    return np.block([[R, np.zeros((3, 3))], [cross_matrix(pose.translation) @ R, R]])


def lie_bracket(twist: npt.ArrayLike) -> Array:
    """ad_V = [[[omega], 0], [[v], [omega]]], (6, 6) (003, definition 8.3)."""
    omega, v = np.asarray(twist, dtype=float).reshape(2, 3)
    W = cross_matrix(omega)
    return np.block([[W, np.zeros((3, 3))], [cross_matrix(v), W]])


def inverse(pose: Transform) -> Transform:
    """T^-1: T_ba from T_ab."""
    moved = scale(-1.0, rotate_back(pose.rotation, pose.translation))
    return Transform(transpose(pose.rotation), moved)


def exponential(axis: tuple[Vector, Vector], angle: Scalar) -> Transform:
    """e^([S] theta), the motion along a screw axis, over any scalar.

    The translation is written without theta sin and cos of which cancel: with h = omega . v it is
    h theta omega + sin (v - h omega) + (1 - cos) omega x v.

    Args:
        axis: (omega, v) with omega a unit vector, or exactly zero and v a unit vector.
        angle: theta [rad], or the distance [m] where omega is zero.
    """
    omega, v = axis
    if omega == ZERO:
        return Transform(translation=scale(angle, v))
    along = scale(dot(omega, v), omega)
    swept = add(scale(sin(angle), subtract(v, along)), scale(1.0 - cos(angle), cross(omega, v)))
    return Transform(rotation_about(omega, angle), add(scale(angle, along), swept))
