"""Inverse dynamics by the recursive Newton-Euler algorithm, in body frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..model.robot import RobotModel
from ..scalar import Scalar
from ..spatial import (
    ZERO,
    ZERO_MATRIX,
    Matrix,
    Vector,
    add,
    axial_of_product,
    cross,
    dot,
    rotate,
    rotate_back,
    scale,
)
from .joint_tree import joint_frames, joint_rates


def inverse_dynamics(
    model: RobotModel,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    gravity: Vector,
) -> list[Scalar]:
    """tau = M(q) a + C(q, v) v + g(q) [N m or N], shape (n,).

    Luh, Walker, Paul, "On-line computational scheme for mechanical manipulators" (1980). Points p
    of a body accelerate by a + U p with U = [alpha]x + [omega]x [omega]x, so that the wrench is a
    sum over the mass moments (Khalil, Dombre, "Modeling, Identification and Control of Robots",
    2002, section 9.6). Rotors add their armature times the acceleration of the joint.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        v: (n,) velocities [rad/s or m/s].
        a: (n,) accelerations [rad/s^2 or m/s^2].
        gravity: (3,) acceleration of free fall, in the base frame [m/s^2].
    """
    frames = joint_frames(model, q)
    accelerations = joint_rates(model, a)

    # Forward, base to tips: the wrench that moves each body.
    forces: list[Vector] = []
    moments: list[Vector] = []
    motions = body_motions(model, frames, v, a, gravity)
    for joint, (_, _, linear, spread) in zip(model.joints, motions, strict=True):
        # f = integral (a + U p) dm, n = integral p x (a + U p) dm, about the body's origin.
        body = joint.inertia
        forces.append(add(scale(body.mass, linear), rotate(spread, body.first_moment)))
        turning = axial_of_product(spread, body.second_moment)
        moments.append(add(cross(body.first_moment, linear), turning))

    # Backward, tips to base: each joint transmits the wrench of all that it carries.
    tau: list[Scalar] = [0.0] * model.size
    for i, joint in reversed(list(enumerate(model.joints))):
        load = forces[i] if joint.kind == 'prismatic' else moments[i]
        effort = dot(joint.axis, load) + joint.armature * accelerations[i]
        coordinate = joint.coordinate
        tau[coordinate.index] += coordinate.multiplier * effort
        if joint.parent >= 0:
            rotation, translation = frames[i]
            force = rotate(rotation, forces[i])
            moment = add(rotate(rotation, moments[i]), cross(translation, force))
            forces[joint.parent] = add(forces[joint.parent], force)
            moments[joint.parent] = add(moments[joint.parent], moment)
    return tau


def gravity_torque(model: RobotModel, q: Sequence[Scalar], gravity: Vector) -> list[Scalar]:
    """g(q) [N m or N], shape (n,): equivalent to inverse_dynamics(q, 0, 0)."""
    rest = [0.0] * model.size
    return inverse_dynamics(model, q, rest, rest, gravity)


def bias_torque(
    model: RobotModel, q: Sequence[Scalar], v: Sequence[Scalar], gravity: Vector
) -> list[Scalar]:
    """C(q, v) v + g(q) [N m or N], shape (n,): equivalent to inverse_dynamics(q, v, 0)."""
    return inverse_dynamics(model, q, v, [0.0] * model.size, gravity)


def torque_terms(
    model: RobotModel,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    gravity: Vector,
) -> list[list[Scalar]]:
    """The parts g(q), C(q, v) v and M(q) a of the torque [N m or N], shape (3, n)."""
    rest = [0.0] * model.size
    return [
        gravity_torque(model, q, gravity),
        bias_torque(model, q, v, ZERO),
        inverse_dynamics(model, q, rest, a, ZERO),
    ]


def body_motions(
    model: RobotModel,
    frames: Sequence[tuple[Matrix, Vector]],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    gravity: Vector,
) -> Iterator[tuple[Vector, Vector, Vector, Matrix]]:
    """omega, alpha, acceleration of the origin, and U of every body, in its own axes.

    Forward, base to tips. Gravity enters as an upward acceleration of the base.

    Args:
        model: the robot.
        frames: rotation and origin of every body in its parent body, see `joint_frames`.
        v: (n,) velocities [rad/s or m/s].
        a: (n,) accelerations [rad/s^2 or m/s^2].
        gravity: (3,) acceleration of free fall, in the base frame [m/s^2].
    """
    rates, accelerations = joint_rates(model, v), joint_rates(model, a)
    motions = [(ZERO, ZERO, scale(-1.0, gravity), ZERO_MATRIX)]
    for i, joint in enumerate(model.joints):
        rotation, translation = frames[i]
        omega, alpha, linear, spread = motions[joint.parent + 1]
        linear = rotate_back(rotation, add(linear, rotate(spread, translation)))
        omega, alpha = rotate_back(rotation, omega), rotate_back(rotation, alpha)
        rate, acceleration = scale(rates[i], joint.axis), scale(accelerations[i], joint.axis)
        if joint.kind == 'prismatic':
            linear = add(linear, add(acceleration, scale(2.0, cross(omega, rate))))
        else:
            alpha = add(alpha, add(acceleration, cross(omega, rate)))
            omega = add(omega, rate)
        motions.append((omega, alpha, linear, spreading(omega, alpha)))
        yield motions[-1]


def spreading(omega: Vector, alpha: Vector) -> Matrix:
    """U = [alpha]x + [omega]x [omega]x: points p of a body accelerate by U p about its origin."""
    x, y, z = omega
    xx, yy, zz = x * x, y * y, z * z
    xy, xz, yz = x * y, x * z, y * z
    return (
        (-(yy + zz), xy - alpha[2], xz + alpha[1]),
        (xy + alpha[2], -(xx + zz), yz - alpha[0]),
        (xz - alpha[1], yz + alpha[0], -(xx + yy)),
    )
