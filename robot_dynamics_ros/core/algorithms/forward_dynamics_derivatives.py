"""Derivatives of forward dynamics in position, velocity and torque."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.robot import RobotModel
from ..scalar import Scalar
from ..spatial import Vector
from .crba import mass_matrix
from .derivatives import inverse_dynamics_derivatives
from .joint_space import Factors, Rows, factorize, inverse, solve
from .rnea import bias_torque


def forward_dynamics_derivatives(
    model: RobotModel,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    gravity: Vector,
) -> list[Rows]:
    """da/dq, da/dv and da/dtau = M^-1 of the acceleration that the torques give, (3, n, n).

    Where tau = ID(q, v, a) is held, da/dq = -M^-1 dID/dq and da/dv = -M^-1 dID/dv (Carpentier,
    Mansard, "Analytical derivatives of rigid body dynamics algorithms", 2018, section V).

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        v: (n,) velocities [rad/s or m/s].
        tau: (n,) torques and forces of the joints [N m or N].
        gravity: (3,) acceleration of free fall, in the base frame [m/s^2].

    Raises:
        SingularMassMatrixError: M(q) is singular at this q, or at any.
    """
    factors = factorize(model, q, mass_matrix(model, q))
    bias = bias_torque(model, q, v, gravity)
    a = solve(factors, [torque - needed for torque, needed in zip(tau, bias, strict=True)])
    in_q, in_v, _ = inverse_dynamics_derivatives(model, q, v, a, gravity)
    return [*(_solved_columns(factors, matrix) for matrix in (in_q, in_v)), inverse(factors)]


def _solved_columns(factors: Factors, matrix: Rows) -> Rows:
    """-M^-1 A."""
    columns = [
        solve(factors, [-entry for entry in column]) for column in zip(*matrix, strict=True)
    ]
    return [list(row) for row in zip(*columns, strict=True)]
