"""The dynamics of a robot as its tool feels it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .checks import Array

# Eigenvalues of M^-1 and of J M^-1 J^T below these shares of the largest are taken for as large:
# in a direction that the joints cannot give, the tool is very heavy instead of infinitely so.
NEARLY_MASSLESS = 1e-12
NEARLY_IMMOBILE = 1e-8


@dataclass(frozen=True)
class TaskSpace:
    """F = Lambda x_ddot + coriolis + gravity, with x_dot = J v; every entry is finite.

    Attributes:
        inertia: Lambda = (J M^-1 J^T)^-1, (m, m).
        coriolis: Lambda (J M^-1 C v - J_dot v), (m,).
        gravity: J_bar^T g, (m,).
        inverse: J_bar = M^-1 J^T Lambda, (n, m): the dynamically consistent inverse of J; torques
            (1 - J^T J_bar^T) tau do not move the tool.
        singular: whether Lambda does not exist (nearly) and stands for a damped one.
    """

    inertia: Array
    coriolis: Array
    gravity: Array
    inverse: Array
    singular: bool


def project(
    J: Array, J_dot: Array, M: Array, velocity_torque: Array, gravity_torque: Array, v: Array
) -> TaskSpace:
    """Khatib, "A unified approach for motion and force control of robot manipulators" (1987).

    Args:
        J: (m, n) rows of a Jacobian.
        J_dot: (m, n) its time derivative.
        M: (n, n) mass matrix.
        velocity_torque: C v (n,).
        gravity_torque: g (n,).
        v: (n,).
    """
    mobility, massless = _inverse(M, NEARLY_MASSLESS)
    spread = mobility @ J.T
    inertia, immobile = _inverse(J @ spread, NEARLY_IMMOBILE)
    inverse = spread @ inertia
    return TaskSpace(
        inertia=inertia,
        coriolis=inverse.T @ velocity_torque - inertia @ (J_dot @ v),
        gravity=inverse.T @ gravity_torque,
        inverse=inverse,
        singular=massless or immobile,
    )


def _inverse(matrix: Array, least: float) -> tuple[Array, bool]:
    """Of a symmetric matrix, with eigenvalues raised to that share of the largest one."""
    values, vectors = np.linalg.eigh(matrix)
    floor = max(least * float(values[-1]), np.finfo(float).tiny)
    inverse: Array = (vectors / np.maximum(values, floor)) @ vectors.T
    return 0.5 * (inverse + inverse.T), bool(values[0] < floor)
