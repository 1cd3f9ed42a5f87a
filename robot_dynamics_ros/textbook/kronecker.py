"""The Coriolis matrix by Kronecker products, with exact dM/dq.

Le, Nguyen, Nguyen, "Dynamic model with a new formulation of Coriolis/centrifugal matrix for robot
manipulators" (document 004), Journal of Computer Science and Cybernetics 36 (2020), 89-104.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.scalar import Scalar

from .christoffel import Tensor, mass_matrix_slopes


def derivative_by_vector(slopes: Tensor) -> Tensor:
    """dD/dx of definition 2, (p, q r): each entry d_ij becomes the row of its derivatives.

    Args:
        slopes: (p, q, r) derivatives d D_ij / d x_k.
    """
    return slopes.reshape(slopes.shape[0], -1)


def coriolis_matrix(
    model: RobotModel, q: Sequence[Scalar], v: Sequence[Scalar]
) -> list[list[Scalar]]:
    """C = (U + V - V^T) / 2, (n, n), with M_dot - 2 C = V^T - V skew-symmetric.

    Equations 52 to 55. Equivalent to coriolis.coriolis_matrix.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        v: (n,) velocities [rad/s or m/s].
    """
    U, V = coriolis_factors(mass_matrix_slopes(model, q), v)
    return (0.5 * (U + V - V.T)).tolist()


def coriolis_factors(slopes: Tensor, v: Sequence[Scalar]) -> tuple[Tensor, Tensor]:
    """U = dM/dq (1 (x) v), which is M_dot, and V = dM/dq (v (x) 1), both (n, n); equation 53.

    Args:
        slopes: (n, n, n) dM_ij/dq_k.
        v: (n,) velocities [rad/s or m/s].
    """
    identity, column = np.eye(len(slopes)), np.array(v).reshape(-1, 1)
    derivative = derivative_by_vector(slopes)
    return derivative @ np.kron(identity, column), derivative @ np.kron(column, identity)
