"""The Coriolis matrix that is consistent with the Christoffel symbols, in the base frame."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.robot import RobotModel
from ..scalar import Scalar
from .base_frame import coriolis, coriolis_transposed, inertial, moving_tree, power
from .joint_tree import accumulate, ancestors


def coriolis_matrix(
    model: RobotModel, q: Sequence[Scalar], v: Sequence[Scalar]
) -> list[list[Scalar]]:
    """C(q, v), shape (n, n), with C v the velocity torque and M_dot - 2 C skew-symmetric.

    Echeandia, Wensing, "Numerical methods to compute the Coriolis matrix and Christoffel symbols
    for rigid-body systems" (2021), algorithm 1. Its matrix B is written in mass moments: a
    particle that moves with J v has the Coriolis matrix m J^T J_dot, and the sum over a body
    with J = [-[p]x, 1] is B = [[tr(K) 1 - K, 0], [-[f]x, 0]], with K = integral p_dot p^T dm and
    the momentum f.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        v: (n,) velocities [rad/s or m/s].
    """
    tree = moving_tree(model, q, v)
    axes, axis_rates, bodies = tree.axes, tree.axis_rates, tree.bodies
    matrix: list[list[Scalar]] = [[0.0] * model.size for _ in range(model.size)]

    # Backward, tips to base: bodies[i] is all that joint i carries, as one.
    for i, joint in reversed(list(enumerate(model.joints))):
        body = bodies[i]
        column = inertial(body.inertia, axis_rates[i]) + coriolis(body, axes[i])
        row = coriolis_transposed(body, axes[i])
        row_rate = inertial(body.inertia, axes[i])
        accumulate(matrix, joint, joint, power(axes[i], column))
        for j in ancestors(model, i):
            ancestor = model.joints[j]
            accumulate(matrix, ancestor, joint, power(axes[j], column))
            entry = power(axis_rates[j], row_rate) + power(axes[j], row)
            accumulate(matrix, joint, ancestor, entry)
        if joint.parent >= 0:
            bodies[joint.parent] += body
    return matrix
