"""Energies and momentum of the moving bodies."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.robot import RobotModel
from ..scalar import Scalar
from ..spatial import Matrix, Vector, add, axial, cross, dot, rotate, scale, transpose
from .base_frame import Pair, body_poses, moving_tree, power
from .joint_tree import joint_rates


def kinetic_energy(model: RobotModel, q: Sequence[Scalar], v: Sequence[Scalar]) -> Scalar:
    """T = v^T M(q) v / 2 [J]: half the power of the momentum of each body on its twist.

    Rotors add half their armature times the square of the rate of their joint.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        v: (n,) velocities [rad/s or m/s].
    """
    tree = moving_tree(model, q, v)
    twice: Scalar = 0.0
    for twist, body in zip(tree.twists, tree.bodies, strict=True):
        twice += power(twist, Pair(_angular_momentum(body.velocity_moment), body.momentum))
    for joint, rate in zip(model.joints, joint_rates(model, v), strict=True):
        twice += joint.armature * rate * rate
    return 0.5 * twice


def potential_energy(model: RobotModel, q: Sequence[Scalar], gravity: Vector) -> Scalar:
    """U = -sum of m gravity . c [J], with dU/dq = g(q); zero for mass at the base origin.

    Links that are fixed to the base are left out.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        gravity: (3,) acceleration of free fall, in the base frame [m/s^2].
    """
    energy: Scalar = 0.0
    for joint, (rotation, translation) in zip(model.joints, body_poses(model, q), strict=True):
        body = joint.inertia
        first = add(rotate(rotation, body.first_moment), scale(body.mass, translation))
        energy -= dot(gravity, first)
    return energy


def momentum(model: RobotModel, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """[linear; angular about the base origin] [kg m/s; kg m^2/s], base axes, shape (6,).

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        v: (n,) velocities [rad/s or m/s].
    """
    total = Pair()
    carried = [
        Pair(_angular_momentum(body.velocity_moment), body.momentum)
        for body in moving_tree(model, q, v).bodies
    ]
    for i, joint in reversed(list(enumerate(model.joints))):
        if joint.parent >= 0:
            carried[joint.parent] += carried[i]
        else:
            # The bodies of a branch are about the origin of its first joint.
            total += carried[i] + Pair(cross(joint.placement.translation, carried[i].linear))
    return [*total.linear, *total.angular]


def _angular_momentum(velocity_moment: Matrix) -> Vector:
    """Integral p x p_dot dm, from K^T = integral p p_dot^T dm."""
    return axial(transpose(velocity_moment))
