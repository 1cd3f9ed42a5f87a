"""Inverse dynamics by the recursive Newton-Euler algorithm, in body frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..model.robot import RobotModel
from ..scalar import Rows, Scalar, Scalars
from ..spatial import (
    ZERO,
    ZERO_MATRIX,
    Force,
    Matrix,
    Transform,
    Vector,
    add,
    axial_of_product,
    cross,
    rotate,
    rotate_back,
    scale,
)
from .kinematics import generalized_forces, joint_poses, joint_rates
from .record import quantity


@quantity('n', unit='N m or N', of_base_inertias=True)
def inverse_dynamics(
    model: RobotModel, q: Scalars, v: Scalars, a: Scalars, gravity: Vector
) -> list[Scalar]:
    """tau = M(q) a + C(q, v) v + g(q).

    Luh, Walker, Paul, "On-line computational scheme for mechanical manipulators" (1980):
    `passivity_torque` with the reference v, in as many operations.
    """
    return passivity_torque(model, q, v, v, a, gravity)


@quantity('n', unit='N m or N', of_base_inertias=True)
def passivity_torque(
    model: RobotModel,
    q: Scalars,
    v: Scalars,
    v_reference: Scalars,
    a_reference: Scalars,
    gravity: Vector,
) -> list[Scalar]:
    """M(q) a_reference + C(q, v) v_reference + g(q).

    With C as `coriolis_matrix`, for passivity-based control (Slotine, Li, "On the adaptive control
    of robot manipulators", 1987; Niemeyer, Slotine, "Performance in adaptive manipulator control",
    1991), in one pass and without matrices. With the reference v_r, a_r: a particle that moves
    with J v has the mass matrix m J^T J and, by Christoffel symbols, the Coriolis matrix m J^T
    J_dot. So it takes the force of its reference acceleration J a_r + J_dot v_r: the rate of its
    reference velocity J v_r.

    Of points p of a body, it is a + U p with U = [alpha]x + [omega_r]x [omega]x, so that the
    wrench is a sum over the mass moments (Khalil, Dombre, "Modeling, Identification and Control of
    Robots", 2002, section 9.6): fewer operations than with spatial inertias. Rotors add their
    armature times the acceleration of the joint.
    """
    poses, rates, qdd = (
        joint_poses(model, q),
        joint_rates(model, v),
        joint_rates(model, a_reference),
    )
    rates_r = rates if v_reference is v else joint_rates(model, v_reference)

    # Forward, base to tips: the wrench that moves each body.
    wrenches = []
    motions = body_motions(model, poses, rates, rates_r, qdd, gravity)
    for joint, motion in zip(model.joints, motions, strict=True):
        # f = integral (a + U p) dm, n = integral p x (a + U p) dm, about the body's origin.
        body, U = joint.inertia, motion.U
        force = add(scale(body.mass, motion.linear), rotate(U, body.first_moment))
        turning = axial_of_product(U, body.second_moment)
        wrenches.append(Force(add(cross(body.first_moment, motion.linear), turning), force))

    # Backward, tips to base: each joint transmits the wrench of all that it carries.
    tau: list[Scalar] = [0.0] * len(poses)
    for i, joint in reversed(list(enumerate(model.joints))):
        tau[i] = joint.subspace.dot(wrenches[i]) + joint.armature * qdd[i]
        if joint.parent >= 0:
            wrenches[joint.parent] += poses[i] @ wrenches[i]
    return generalized_forces(model, tau)


@quantity('n', unit='N m or N', of_base_inertias=True)
def gravity_torque(model: RobotModel, q: Scalars, gravity: Vector) -> list[Scalar]:
    """g(q), the torque that holds the robot still.

    Equivalent to inverse_dynamics(q, 0, 0).
    """
    rest = [0.0] * model.size
    return inverse_dynamics(model, q, rest, rest, gravity)


@quantity('n', unit='N m or N', of_base_inertias=True)
def bias_torque(model: RobotModel, q: Scalars, v: Scalars, gravity: Vector) -> list[Scalar]:
    """C(q, v) v + g(q), the torque that gives no acceleration.

    Equivalent to inverse_dynamics(q, v, 0).
    """
    return inverse_dynamics(model, q, v, [0.0] * model.size, gravity)


@quantity(3, 'n', unit='N m or N', of_base_inertias=True)
def torque_terms(model: RobotModel, q: Scalars, v: Scalars, a: Scalars, gravity: Vector) -> Rows:
    """Rows g(q), C(q, v) v and M(q) a, whose sum is tau."""
    rest = [0.0] * model.size
    return [
        gravity_torque(model, q, gravity),
        bias_torque(model, q, v, ZERO),
        inverse_dynamics(model, q, rest, a, ZERO),
    ]


class BodyMotion(NamedTuple):
    """How the points of a body accelerate, about its origin and in its axes.

    Attributes:
        omega: (3,) angular velocity [rad/s].
        omega_reference: (3,) omega_r, that of the reference velocities [rad/s].
        alpha: (3,) rate of omega_r [rad/s^2].
        linear: (3,) a, the acceleration of the origin, with gravity [m/s^2].
        U: (3, 3) U: a point p accelerates by a + U p [1/s^2].
    """

    omega: Vector = ZERO
    omega_reference: Vector = ZERO
    alpha: Vector = ZERO
    linear: Vector = ZERO
    U: Matrix = ZERO_MATRIX


def body_motions(
    model: RobotModel,
    poses: Sequence[Transform],
    rates: Scalars,
    rates_r: Scalars,
    qdd: Scalars,
    gravity: Vector,
) -> Iterator[BodyMotion]:
    """The motion of every body, from the base to the tips; see `passivity_torque`.

    Rates, reference rates and reference accelerations are those of all joints. Gravity enters as
    an upward acceleration of the base.
    """
    plain = rates_r is rates
    motions = [BodyMotion(linear=scale(-1.0, gravity))]
    for i, (joint, pose) in enumerate(zip(model.joints, poses, strict=True)):
        parent, R = motions[joint.parent + 1], pose.rotation
        omega, alpha = rotate_back(R, parent.omega), rotate_back(R, parent.alpha)
        omega_r = omega if plain else rotate_back(R, parent.omega_reference)
        start = add(parent.linear, rotate(parent.U, pose.translation))
        # The axis of the joint turns with its parent, and what slides is turned.
        S = joint.subspace
        rate, acceleration = S * rates[i], S * qdd[i]
        rate_r = rate if plain else S * rates_r[i]
        turned = add(cross(omega, rate_r.linear), cross(omega_r, rate.linear))
        linear = add(rotate_back(R, start), add(acceleration.linear, turned))
        alpha = add(alpha, add(acceleration.angular, cross(omega, rate_r.angular)))
        omega = add(omega, rate.angular)
        omega_r = omega if plain else add(omega_r, rate_r.angular)
        motions.append(BodyMotion(omega, omega_r, alpha, linear, spreading(omega, omega_r, alpha)))
        yield motions[-1]


def spreading(omega: Vector, omega_r: Vector, alpha: Vector) -> Matrix:
    """U = [alpha]x + [omega_r]x [omega]x, with [omega_r]x [omega]x = omega omega_r^T - trace."""
    (x, y, z), (u, v, w) = omega, omega_r
    xx, yy, zz = x * u, y * v, z * w
    return (
        (-(yy + zz), x * v - alpha[2], x * w + alpha[1]),
        (y * u + alpha[2], -(xx + zz), y * w - alpha[0]),
        (z * u - alpha[1], z * v + alpha[0], -(xx + yy)),
    )
