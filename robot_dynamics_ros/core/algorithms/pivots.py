"""Pivots: the inertias that forward dynamics and M^-1 divide by, and when they are too small.

A pivot is the inertia that a joint feels when the joints beyond it yield. It is zero where M(q) is
singular, but what is computed then is rounding noise: it is told from an inertia by comparing it
with the largest one that the joint could have.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..checks import Array
from ..errors import SingularMassMatrixError
from ..model.robot import RobotModel
from ..model.tree import joint_position
from ..scalar import Scalar, require_positive
from ..spatial import trace

# Of the largest inertia of the joint: 500 units of rounding. Measured: what rounding leaves of a
# pivot that should be zero stays below 6e-16 of it (chains of up to 31 joints, 1 mm to 100 m
# long); the smallest pivot of the example robots is 2.5e-4 of it, that of random trees whose
# sliders stand at 900 m is 4e-9.
SMALLEST_PIVOT = 500 * sys.float_info.epsilon


def require_pivot(
    model: RobotModel, q: Sequence[Scalar], index: int, pivot: Scalar, largest: Scalar
) -> None:
    """Refuse a joint that moves no mass: at any q when a program is traced, at this q otherwise.

    |pivot| > SMALLEST_PIVOT * largest is required; an implausible model may have negative ones.

    Args:
        model: the robot.
        q: (n,) the positions, which say what kind of scalar is computed with.
        index: of the joint in q.
        pivot: inertia that the joint feels [kg m^2 or kg].
        largest: inertia from which the pivot was computed, of `largest_inertias`.

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


def largest_inertias(model: RobotModel, q: Sequence[Scalar]) -> list[Scalar]:
    """Upper bounds of the inertia that each joint moves, without armature [kg m^2 or kg].

    Of a joint that slides, the mass of the bodies that it carries. Of one that turns, with the arm
    stretched out so that the frame of a body is at the distance D: the integral of (|p| + D)^2 dm
    is at most 2 r^2, with r^2 the sum of the traces of the second moments and of m D^2. Where N
    joints slide among those that it carries, each by x_k with the mass m_k, the inertia is at most
    (1 + N) (2 r^2 + sum of m_k x_k^2). Constant where no joint slides and no body is an input.

    Returns:
        One per joint of `model.joints`.
    """
    masses = [_magnitude(joint.inertia.mass) for joint in model.joints]
    # Sums over the bodies that the joint carries: tr S, m D and m D^2.
    traces = [_magnitude(trace(joint.inertia.second_moment)) for joint in model.joints]
    levers: list[Scalar] = [0.0 for _ in model.joints]
    squares: list[Scalar] = [0.0 for _ in model.joints]
    travels: list[list[Scalar]] = [[] for _ in model.joints]
    for i, joint in reversed(list(enumerate(model.joints))):
        if (parent := joint.parent) >= 0:
            d = math.hypot(*joint.placement.translation)
            traces[parent] += traces[i]
            squares[parent] += squares[i] + (2.0 * levers[i] + masses[i] * d) * d
            levers[parent] += levers[i] + masses[i] * d
            travels[parent] += travels[i]
            if joint.kind == 'prismatic':
                x = joint_position(joint, q[joint.coordinate.index])
                travels[parent].append(masses[i] * x * x)
            masses[parent] += masses[i]
    return [
        masses[i]
        if joint.kind == 'prismatic'
        else (1 + len(travels[i])) * (2.0 * (traces[i] + squares[i]) + sum(travels[i]))
        for i, joint in enumerate(model.joints)
    ]


def _magnitude(x: Scalar) -> Scalar:
    """|x| of a number: an implausible body may have a negative one. Inputs are plausible."""
    return abs(x) if isinstance(x, float) else x


def rounding_of_inertias(model: RobotModel, q: npt.ArrayLike) -> Array:
    """What rounding may leave of a zero on the diagonal of M(q), (n,) [kg m^2 or kg].

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
    """
    positions = np.asarray(q, dtype=np.float64).tolist()
    return SMALLEST_PIVOT * np.array(largest_of_coordinates(model, positions), dtype=np.float64)


def largest_of_coordinates(model: RobotModel, q: Sequence[Scalar]) -> list[Scalar]:
    """Upper bounds of the diagonal of M(q) without armature, (n,) [kg m^2 or kg].

    A joint and those that mimic it, with multipliers c: N times the sum of c^2 times each bound,
    for N joints.
    """
    bounds: list[Scalar] = [0.0] * model.size
    counts = [0] * model.size
    for joint, largest in zip(model.joints, largest_inertias(model, q), strict=True):
        coordinate = joint.coordinate
        bounds[coordinate.index] += coordinate.multiplier**2 * largest
        counts[coordinate.index] += 1
    return [count * bound for count, bound in zip(counts, bounds, strict=True)]
