"""The mass matrix by the composite-rigid-body algorithm, in body frames, and its inverse."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

from ..errors import SingularMassMatrixError
from ..model.robot import RobotModel
from ..scalar import Rows, Scalar, Scalars, require_positive
from ..spatial import Inertia, Transform, dot, trace
from .kinematics import chain, generalized_matrix, joint_poses, zeros
from .record import quantity

# L, unit lower triangular, and the diagonal of D of a symmetric matrix L^T D L.
Factors = tuple[Rows, list[Scalar]]

# Of the largest inertia of a joint: 500 units of rounding. Measured: what rounding leaves of a
# pivot that should be zero stays below 6e-16 of it (chains of up to 31 joints, 1 mm to 100 m
# long); the smallest pivot of the example robots is 2.5e-4 of it, that of random trees whose
# sliders stand at 900 m is 4e-9.
SMALLEST_PIVOT = 500 * sys.float_info.epsilon


@quantity('n', 'n', unit='kg m^2, kg m or kg', of_base_inertias=True)
def mass_matrix(model: RobotModel, q: Scalars) -> Rows:
    """M(q), full and symmetric.

    Walker, Orin, "Efficient dynamic computer simulation of robotic mechanisms" (1982);
    Featherstone, "Rigid Body Dynamics Algorithms" (2008), table 6.2. Rotors add their armature to
    the diagonal.
    """
    poses = joint_poses(model, q)
    matrix = zeros(len(poses), len(poses))
    for i, composite in enumerate(composites(model, poses)):
        # The wrench of a unit acceleration of joint i; every joint below gives its part of it.
        wrench = composite @ model.joints[i].subspace
        for j in chain(model, i):
            matrix[i][j] = matrix[j][i] = model.joints[j].subspace.dot(wrench)
            wrench = poses[j] @ wrench
        matrix[i][i] += model.joints[i].armature
    return generalized_matrix(model, matrix)


def composites(model: RobotModel, poses: Sequence[Transform]) -> list[Inertia]:
    """All that each joint carries, as one body, in the frame of the joint."""
    bodies = [joint.inertia for joint in model.joints]
    for i, joint in reversed(list(enumerate(model.joints))):
        if joint.parent >= 0:
            bodies[joint.parent] += poses[i] @ bodies[i]
    return bodies


@quantity('n', 'n', unit='1/(kg m^2), 1/(kg m) or 1/kg')
def mass_matrix_inverse(model: RobotModel, q: Scalars) -> Rows:
    """M(q)^-1, full and symmetric.

    By the factors L^T D L of Featherstone, "Rigid Body Dynamics Algorithms" (2008), table 6.3.

    Raises:
        SingularMassMatrixError: M(q) is singular at this q, or at any.
    """
    return inverse(factorize(model, q))


def factorize(model: RobotModel, q: Scalars) -> Factors:
    """L, unit lower triangular, and the diagonal of D with M(q) = L^T D L.

    Featherstone, "Rigid Body Dynamics Algorithms" (2008), table 6.3: from the tips to the base,
    so that joints of different branches stay apart, and zeros between them stay zeros.

    Raises:
        SingularMassMatrixError: M(q) is singular at this q, or at any.
    """
    largest = largest_inertias(model, q)
    work = [row[: i + 1] for i, row in enumerate(mass_matrix(model, q))]
    for k in reversed(range(model.size)):
        require_pivot(model, q, k, work[k][k], largest[k])
        ratios = [entry / work[k][k] for entry in work[k][:k]]
        for i in range(k):
            for j in range(i + 1):
                work[i][j] -= ratios[i] * work[k][j]
        work[k][:k] = ratios
    diagonal = [work[i][i] for i in range(model.size)]
    for i in range(model.size):
        work[i][i] = 1.0
    return work, diagonal


def solve(factors: Factors, right: Scalars) -> list[Scalar]:
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


def require_pivot(
    model: RobotModel, q: Scalars, index: int, pivot: Scalar, largest: Scalar
) -> None:
    """Refuse a joint that moves no mass: at any q when a program is traced, at this q otherwise.

    A pivot is the inertia that a joint feels when the joints beyond it yield. Where M(q) is
    singular it is zero but for rounding, which is told from an inertia by comparison with the
    largest one that the joint could have: |pivot| > SMALLEST_PIVOT * largest is required; an
    implausible model may have negative ones.

    Args:
        model: the robot.
        q: (n,) the positions, which say what kind of scalar is computed with.
        index: of the joint in q.
        pivot: inertia that the joint feels [kg m^2 or kg].
        largest: of `largest_inertias`.

    Raises:
        SingularMassMatrixError: the pivot is the constant zero, or a float and too small.
    """
    name = model.joint_names[index]
    if isinstance(pivot, float) and pivot == 0.0:
        raise SingularMassMatrixError(
            f'joint {name!r} moves no mass, so that no torque determines its acceleration: give '
            'its link an inertial, or fix the joint'
        )
    smallest = SMALLEST_PIVOT * largest
    require_positive(
        q[index],
        pivot * pivot - smallest * smallest,
        f'the mass matrix is singular here: joint {name!r} moves no more than '
        f'{SMALLEST_PIVOT:.1e} of the inertia that it carries, so that no torque determines its '
        'acceleration: choose another position, or give its link or rotor an inertia',
    )


@quantity('n', unit='kg m^2 or kg', is_step=True)
def largest_inertias(model: RobotModel, q: Scalars) -> list[Scalar]:
    """Upper bounds of the diagonal of M(q) without armature.

    Of a joint that slides, the mass of the bodies that it carries. Of one that turns, with the arm
    stretched out so that the frame of a body is at the distance D: the integral of (|p| + D)^2 dm
    is at most 2 r^2, with r^2 the sum of the traces of the second moments and of m D^2. Where N
    joints slide among those that it carries, each by x_k with the mass m_k, the inertia is at most
    (1 + N) (2 r^2 + sum of m_k x_k^2). N joints with one coordinate: N times the sum of theirs.
    Constant where no joint slides and no body is an input.
    """
    masses = [_magnitude(joint.inertia.mass) for joint in model.joints]
    # Sums over the bodies that the joint carries: tr S, m D and m D^2.
    traces = [_magnitude(trace(joint.inertia.second_moment)) for joint in model.joints]
    levers: list[Scalar] = [0.0 for _ in model.joints]
    squares: list[Scalar] = [0.0 for _ in model.joints]
    travels: Rows = [[] for _ in model.joints]
    bounds: Rows = [[] for _ in range(model.size)]
    for i, joint in reversed(list(enumerate(model.joints))):
        S = joint.subspace
        turning = (1 + len(travels[i])) * (2.0 * (traces[i] + squares[i]) + sum(travels[i]))
        bound = dot(S.angular, S.angular) * turning + dot(S.linear, S.linear) * masses[i]
        bounds[joint.index].append(joint.coordinate.multiplier**2 * bound)
        if (parent := joint.parent) >= 0:
            d = math.hypot(*joint.placement.translation)
            traces[parent] += traces[i]
            squares[parent] += squares[i] + (2.0 * levers[i] + masses[i] * d) * d
            levers[parent] += levers[i] + masses[i] * d
            travels[parent] += travels[i]
            if joint.slides:
                x = joint.position(q)
                travels[parent].append(masses[i] * x * x)
            masses[parent] += masses[i]
    return [len(each) * sum(each) for each in bounds]


def _magnitude(x: Scalar) -> Scalar:
    """|x| of a number: an implausible body may have a negative one. Inputs are plausible."""
    return abs(x) if isinstance(x, float) else x
