"""Linear equations with the mass matrix, whose zeros between branches stay zeros."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.robot import RobotModel
from ..scalar import Scalar
from ..spatial import Vector
from .crba import mass_matrix
from .pivots import largest_of_coordinates, require_pivot
from .rnea import bias_torque

Rows = list[list[Scalar]]
# L, unit lower triangular, and the diagonal of D of a symmetric matrix L^T D L.
Factors = tuple[Rows, list[Scalar]]


def mass_matrix_inverse(model: RobotModel, q: Sequence[Scalar]) -> Rows:
    """M(q)^-1 = L^-1 D^-1 L^-T, shape (n, n), full and symmetric.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].

    Raises:
        SingularMassMatrixError: M(q) is singular at this q, or at any.
    """
    return inverse(factorize(model, q, mass_matrix(model, q)))


def solved_forward_dynamics(
    model: RobotModel,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    gravity: Vector,
) -> list[Scalar]:
    """The acceleration a (n,) of M(q) a = tau - bias(q, v) [rad/s^2 or m/s^2].

    Walker, Orin, "Efficient dynamic computer simulation of robotic mechanisms" (1982), method 3.

    Raises:
        SingularMassMatrixError: M(q) is singular at this q, or at any.
    """
    factors = factorize(model, q, mass_matrix(model, q))
    bias = bias_torque(model, q, v, gravity)
    return solve(factors, [torque - needed for torque, needed in zip(tau, bias, strict=True)])


def factorize(
    model: RobotModel, q: Sequence[Scalar], matrix: Sequence[Sequence[Scalar]]
) -> Factors:
    """L, unit lower triangular, and the diagonal of D with M(q) = L^T D L.

    Featherstone, "Rigid Body Dynamics Algorithms" (2008), table 6.3: from the tips to the base,
    so that joints of different branches stay apart.
    """
    n = model.size
    largest = largest_of_coordinates(model, q)
    work = [list(row[: i + 1]) for i, row in enumerate(matrix)]
    for k in reversed(range(n)):
        require_pivot(model, q, k, work[k][k], largest[k])
        ratios = [entry / work[k][k] for entry in work[k][:k]]
        for i in range(k):
            for j in range(i + 1):
                work[i][j] -= ratios[i] * work[k][j]
        work[k][:k] = ratios
    diagonal = [work[i][i] for i in range(n)]
    for i in range(n):
        work[i][i] = 1.0
    return work, diagonal


def solve(factors: Factors, right: Sequence[Scalar]) -> list[Scalar]:
    """x (n,) with L^T D L x = right.

    Args:
        factors: L and the diagonal of D, see `factorize`.
        right: (n,).
    """
    lower, diagonal = factors
    reciprocals = [1.0 / pivot for pivot in diagonal]
    x = list(right)
    for i in reversed(range(len(x))):
        for j in range(i):
            x[j] -= lower[i][j] * x[i]
    for i in range(len(x)):
        x[i] = x[i] * reciprocals[i]
        for j in range(i):
            x[i] -= lower[i][j] * x[j]
    return x


def inverse(factors: Factors) -> Rows:
    """(L^T D L)^-1 = L^-1 D^-1 L^-T, shape (n, n), full and symmetric.

    Args:
        factors: L and the diagonal of D, see `factorize`.
    """
    lower, diagonal = factors
    reciprocals = [1.0 / pivot for pivot in diagonal]
    n = len(diagonal)
    # Z = L^-1, row by row, from L Z = 1.
    z: Rows = [[0.0] * n for _ in range(n)]
    for i in range(n):
        z[i][i] = 1.0
        for k in range(i):
            for j in range(k + 1):
                z[i][j] -= lower[i][k] * z[k][j]
    scaled = [[z[i][k] * reciprocals[k] for k in range(i + 1)] for i in range(n)]
    result: Rows = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            entry: Scalar = 0.0
            for k in range(j + 1):
                entry += scaled[i][k] * z[j][k]
            result[i][j] = result[j][i] = entry
    return result
