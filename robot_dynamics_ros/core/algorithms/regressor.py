"""Inverse dynamics as a linear map of the inertial parameters, in body frames."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.robot import RobotModel
from ..scalar import Scalar
from ..spatial import (
    ZERO,
    Matrix,
    Vector,
    add,
    cross,
    dot,
    rotate,
    rotate_back,
    symmetric,
)
from .joint_tree import joint_frames
from .rnea import body_motions

_UNITS: tuple[Vector, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_UNIT_INERTIAS: tuple[Matrix, ...] = (
    symmetric(1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    symmetric(0.0, 1.0, 0.0, 0.0, 0.0, 0.0),
    symmetric(0.0, 0.0, 0.0, 1.0, 0.0, 0.0),
    symmetric(0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    symmetric(0.0, 0.0, 0.0, 0.0, 1.0, 0.0),
    symmetric(0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
)


def regressor(
    model: RobotModel,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    gravity: Vector,
) -> list[list[Scalar]]:
    """Y(q, v, a) with tau = Y pi, shape (n, 10 bodies); pi are `RobotModel.inertial_parameters`.

    The torque of the rotors, armature times acceleration, is not in pi: add it to Y pi.

    Atkeson, An, Hollerbach, "Estimation of inertial parameters of manipulator loads and links"
    (1986).

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        v: (n,) velocities [rad/s or m/s].
        a: (n,) accelerations [rad/s^2 or m/s^2].
        gravity: (3,) acceleration of free fall, in the base frame [m/s^2].
    """
    frames = joint_frames(model, q)
    Y: list[list[Scalar]] = [[0.0] * (10 * len(model.joints)) for _ in range(model.size)]
    # Of each body, the joints that carry it: index, and their twist seen from it.
    carriers: list[list[tuple[int, Vector, Vector]]] = [[]]
    for i, motion in enumerate(body_motions(model, frames, v, a, gravity)):
        joint, (rotation, translation) = model.joints[i], frames[i]
        slides = joint.kind == 'prismatic'
        seen = [(i, ZERO, joint.axis) if slides else (i, joint.axis, ZERO)]
        for j, angular, linear_rate in carriers[joint.parent + 1]:
            carried = add(linear_rate, cross(angular, translation))
            seen.append((j, rotate_back(rotation, angular), rotate_back(rotation, carried)))
        carriers.append(seen)
        wrenches = _unit_wrenches(*motion)
        for j, angular, linear_rate in seen:
            coordinate = model.joints[j].coordinate
            row = Y[coordinate.index]
            for k, (force, moment) in enumerate(wrenches):
                torque = dot(linear_rate, force) + dot(angular, moment)
                row[10 * i + k] += coordinate.multiplier * torque
    return Y


def _unit_wrenches(
    omega: Vector, alpha: Vector, linear: Vector, spread: Matrix
) -> list[tuple[Vector, Vector]]:
    """Force, and moment about the origin, that a unit of each parameter needs."""
    wrenches = [(linear, ZERO)]
    columns = zip(*spread, strict=True)
    wrenches += [
        (column, cross(unit, linear)) for unit, column in zip(_UNITS, columns, strict=True)
    ]
    for inertia in _UNIT_INERTIAS:
        moment = add(rotate(inertia, alpha), cross(omega, rotate(inertia, omega)))
        wrenches.append((ZERO, moment))
    return wrenches
