"""Derivatives of inverse and of forward dynamics, in the base frame."""

from __future__ import annotations

from ..model.robot import RobotModel
from ..scalar import Rows, Scalars
from ..spatial import Force, Motion, Vector, scale
from .coriolis import MovingTree, moving_tree
from .crba import Factors, factorize, inverse, solve
from .forward_dynamics import forward_dynamics
from .kinematics import chain, generalized_matrix, joint_rates, zeros
from .record import quantity


@quantity(3, 'n', 'n', unit='unit of tau per unit of q, v and a', of_base_inertias=True)
def inverse_dynamics_derivatives(
    model: RobotModel, q: Scalars, v: Scalars, a: Scalars, gravity: Vector
) -> list[Rows]:
    """dtau/dq, dtau/dv and dtau/da = M.

    Exact derivatives of `inverse_dynamics`.

    Singh, Russell, Wensing, "Efficient analytical derivatives of rigid-body dynamics using spatial
    vector algebra" (2022), algorithm 1. A motion of joint j rotates all that it carries: their
    acceleration changes by S_ddot, their velocity by S_dot, and the wrench on them rotates with
    them. dtau/dv is twice the Coriolis matrix of the Christoffel symbols, as the torque is
    quadratic in v.
    """
    tree = moving_tree(model, q, v)
    axes, axis_rates, bodies = tree.axes, tree.axis_rates, tree.bodies
    axis_accelerations, wrenches = _forward(model, tree, v, a, gravity)
    twice_rates = [rate * 2.0 for rate in axis_rates]
    in_q, in_v, in_a = (zeros(len(bodies), len(bodies)) for _ in range(3))

    # Backward, tips to base: bodies[i] is all that joint i carries, as one; wrenches[i] moves it.
    for i, joint in reversed(list(enumerate(model.joints))):
        body = bodies[i]
        momentum = body.inertia @ axes[i]
        column_v = (body.inertia @ axis_rates[i] + body.coriolis(axes[i])) * 2.0
        row = body.coriolis_transposed(axes[i]) * 2.0
        column_q = body.inertia @ axis_accelerations[i] + body.coriolis(twice_rates[i])
        in_q[i][i] = axes[i].dot(column_q)
        in_v[i][i] = axes[i].dot(column_v)
        in_a[i][i] = axes[i].dot(momentum) + joint.armature
        # The joint's own axis rotates with the wrench, the axis of an ancestor does not.
        column_q += axes[i].cross_force(wrenches[i])
        for j in chain(model, i)[1:]:
            in_q[j][i] = axes[j].dot(column_q)
            in_q[i][j] = axis_accelerations[j].dot(momentum) + axis_rates[j].dot(row)
            in_v[j][i] = axes[j].dot(column_v)
            in_v[i][j] = twice_rates[j].dot(momentum) + axes[j].dot(row)
            in_a[j][i] = in_a[i][j] = axes[j].dot(momentum)
        if joint.parent >= 0:
            bodies[joint.parent] += body
            wrenches[joint.parent] += wrenches[i]
    return [generalized_matrix(model, matrix) for matrix in (in_q, in_v, in_a)]


def _forward(
    model: RobotModel, tree: MovingTree, v: Scalars, a: Scalars, gravity: Vector
) -> tuple[list[Motion], list[Force]]:
    """Base to tips: S_ddot of every axis, and the wrench that moves every body."""
    # Gravity enters as an upward acceleration of the base.
    accelerations = [Motion(linear=scale(-1.0, gravity))]
    axis_accelerations, wrenches = [], []
    rates, qdd = joint_rates(model, v), joint_rates(model, a)
    for i, joint in enumerate(model.joints):
        axis, axis_rate, body = tree.axes[i], tree.axis_rates[i], tree.bodies[i]
        carried = accelerations[joint.parent + 1]
        axis_accelerations.append(carried.cross(axis) + tree.parents[i].cross(axis_rate))
        accelerations.append(carried + axis * qdd[i] + axis_rate * rates[i])
        wrenches.append(body.inertia @ accelerations[-1] + body.coriolis(tree.twists[i]))
    return axis_accelerations, wrenches


@quantity(3, 'n', 'n', unit='unit of a per unit of q, v and tau')
def forward_dynamics_derivatives(
    model: RobotModel, q: Scalars, v: Scalars, tau: Scalars, gravity: Vector
) -> list[Rows]:
    """da/dq, da/dv and da/dtau = M^-1.

    Exact derivatives of `forward_dynamics`. Where tau = ID(q, v, a) is held, da/dq = -M^-1 dID/dq
    and da/dv = -M^-1 dID/dv (Carpentier, Mansard, "Analytical derivatives of rigid body dynamics
    algorithms", 2018, section V).

    Raises:
        SingularMassMatrixError: M(q) is singular at this q, or at any.
    """
    factors = factorize(model, q)
    a = forward_dynamics(model, q, v, tau, gravity)
    in_q, in_v, _ = inverse_dynamics_derivatives(model, q, v, a, gravity)
    return [*(_solved_columns(factors, matrix) for matrix in (in_q, in_v)), inverse(factors)]


def _solved_columns(factors: Factors, matrix: Rows) -> Rows:
    """-M^-1 A."""
    columns = [
        solve(factors, [-entry for entry in column]) for column in zip(*matrix, strict=True)
    ]
    return [list(row) for row in zip(*columns, strict=True)]
