"""Screws: twists and wrenches, adjoints, Lie brackets and the exponential, over any scalar.

Notes on Modern Robotics, chapter 8 (document 003), and Lynch, Park, "Modern Robotics" (2017),
chapters 3 and 8. As there, and only here and in what builds on this, the angular part comes
first: a twist is (omega, v), a wrench (moment, force).
"""

from __future__ import annotations

from robot_dynamics_ros.core.scalar import Scalar, cos, sin
from robot_dynamics_ros.core.spatial import (
    ZERO,
    Transform,
    Vector,
    add,
    cross,
    dot,
    rotate,
    rotate_back,
    rotation_about,
    scale,
    subtract,
    transpose,
)

Twist = tuple[Vector, Vector]
Wrench = tuple[Vector, Vector]

NO_WRENCH: Wrench = (ZERO, ZERO)


def add_screws(a: Twist, b: Twist) -> Twist:
    """a + b, of two twists or of two wrenches."""
    return add(a[0], b[0]), add(a[1], b[1])


def scale_screw(factor: Scalar, a: Twist) -> Twist:
    """factor * a, of a twist or a wrench."""
    return scale(factor, a[0]), scale(factor, a[1])


def pairing(twist: Twist, wrench: Wrench) -> Scalar:
    """F^T V, the power of a wrench along a twist."""
    return dot(twist[0], wrench[0]) + dot(twist[1], wrench[1])


def inverse(pose: Transform) -> Transform:
    """T^-1: T_ba from T_ab."""
    back = scale(-1.0, rotate_back(pose.rotation, pose.translation))
    return Transform(transpose(pose.rotation), back)


def adjoint(pose: Transform, twist: Twist) -> Twist:
    """Ad_T V with Ad_T = [[R, 0], [[p] R, R]]: of T_ab, V_a from V_b."""
    omega = rotate(pose.rotation, twist[0])
    return omega, add(cross(pose.translation, omega), rotate(pose.rotation, twist[1]))


def adjoint_transposed(pose: Transform, wrench: Wrench) -> Wrench:
    """Ad_T^T F: of T_ab, F_b from F_a."""
    moment = subtract(wrench[0], cross(pose.translation, wrench[1]))
    return rotate_back(pose.rotation, moment), rotate_back(pose.rotation, wrench[1])


def lie_bracket(a: Twist, b: Twist) -> Twist:
    """ad_A B with ad_A = [[[omega], 0], [[v], [omega]]] (003, definition 8.3)."""
    return cross(a[0], b[0]), add(cross(a[1], b[0]), cross(a[0], b[1]))


def lie_bracket_transposed(a: Twist, wrench: Wrench) -> Wrench:
    """ad_A^T F."""
    moment = add(cross(a[0], wrench[0]), cross(a[1], wrench[1]))
    return scale(-1.0, moment), scale(-1.0, cross(a[0], wrench[1]))


def exponential(axis: Twist, angle: Scalar) -> Transform:
    """e^([S] theta), the motion along a screw axis.

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
