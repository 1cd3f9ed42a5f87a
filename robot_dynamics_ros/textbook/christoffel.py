"""The velocity terms from dM/dq: Lagrange's formulation, with exact derivatives.

M is the sum over the link Jacobians (`lagrange`), and its derivatives are those of dual numbers.
Nothing here is shared with the recursive algorithms. Index order as in the sources: m_ijk and
h_ijk have i for the row, j for the column, k for the coordinate.

Sources: lecture notes "Lagrange equations" (document 000), 4.3.6 and 4.3.7; "Dynamics (Lagrangian
formulation)" (document 001), equations 40 to 46; notes on Modern Robotics, chapter 8 (document
003), Gamma_ijk.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from robot_dynamics_ros.core.dual import along, independent, slope_of
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.scalar import Scalar

from .lagrange import mass_matrix

# float64 entries for floats, objects for other scalars.
Tensor = np.ndarray


def mass_matrix_slopes(model: RobotModel, q: Sequence[Scalar]) -> Tensor:
    """m_ijk = dM_ij/dq_k, exact, (n, n, n).

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
    """
    flat = np.zeros(model.size)
    rows = mass_matrix(model, independent(q))
    return np.array([[slope_of(entry, flat) for entry in row] for row in rows])


def mass_matrix_rate(model: RobotModel, q: Sequence[Scalar], v: Sequence[Scalar]) -> Tensor:
    """M_dot = dM/dt, exact, (n, n): the derivative of M along v.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        v: (n,) velocities [rad/s or m/s].
    """
    rows = mass_matrix(model, along(q, v))
    return np.array([[slope_of(entry) for entry in row] for row in rows])


def velocity_torque(slopes: Tensor, v: Sequence[Scalar]) -> Tensor:
    """V = M_dot v - [v^T dM/dq_i v] / 2 [N m or N], (n,), with M_dot = sum of dM/dq_k v_k.

    000, 4.3.6; n(q, v) of 001, equation 39; 004, equation 46.

    Args:
        slopes: (n, n, n) m_ijk.
        v: (n,) velocities [rad/s or m/s].
    """
    speed = np.array(v)
    energy_gradient = 0.5 * speed @ (speed @ slopes)
    return (slopes @ speed) @ speed - energy_gradient


def velocity_coefficients(slopes: Tensor) -> Tensor:
    """h_ijk = m_ijk - m_jki / 2, (n, n, n) (001, equation 41): V_i = sum of h_ijk v_k v_j.

    Args:
        slopes: (n, n, n) m_ijk.
    """
    return slopes - 0.5 * slopes.transpose(2, 0, 1)


def christoffel_symbols(slopes: Tensor) -> Tensor:
    """c_ijk = (m_ijk + m_ikj - m_jki) / 2, (n, n, n), of the first kind.

    001, equation 46; b_ijk of 000, 4.3.7; Gamma_ijk of 003.

    Args:
        slopes: (n, n, n) m_ijk.
    """
    return 0.5 * (slopes + slopes.transpose(0, 2, 1) - slopes.transpose(2, 0, 1))


def coriolis_matrix(
    model: RobotModel, q: Sequence[Scalar], v: Sequence[Scalar]
) -> list[list[Scalar]]:
    """C_ij = sum of c_ijk v_k, (n, n) (001, equation 45).

    Equivalent to coriolis.coriolis_matrix.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        v: (n,) velocities [rad/s or m/s].
    """
    symbols = christoffel_symbols(mass_matrix_slopes(model, q))
    return (symbols @ np.array(v)).tolist()


def centrifugal_and_coriolis(slopes: Tensor) -> tuple[Tensor, Tensor]:
    """C(q) (n, n) and B(q) (n, n (n - 1) / 2) with V = C(q) [v^2] + B(q) [v v].

    000, 4.3.7: C_ij = b_ijj takes the squares, B the products of `velocity_products`, in the
    order of its columns 2 b_i12, 2 b_i13, ..., 2 b_i23, ...

    Args:
        slopes: (n, n, n) m_ijk.
    """
    b = christoffel_symbols(slopes)
    first, second = np.triu_indices(len(b), k=1)
    return np.einsum('ijj->ij', b), 2.0 * b[:, first, second]


def velocity_products(v: Sequence[Scalar]) -> list[Scalar]:
    """[v1 v2, v1 v3, ..., v2 v3, ...], what B(q) multiplies."""
    return [a * b for a, b in combinations(v, 2)]
