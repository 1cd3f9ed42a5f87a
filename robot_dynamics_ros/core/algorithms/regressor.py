"""Inverse dynamics as a linear map of the inertial parameters, in body frames."""

from __future__ import annotations

from ..model.robot import RobotModel
from ..scalar import Rows, Scalars
from ..spatial import IDENTITY, ZERO, Force, Matrix, Motion, Vector, add, cross, rotate, symmetric
from .kinematics import generalized_rows, joint_poses, joint_rates, zeros
from .record import quantity
from .rnea import BodyMotion, body_motions

# Ixx, Ixy, Iyy, Ixz, Iyz, Izz.
_UNIT_INERTIAS: tuple[Matrix, ...] = (
    symmetric(1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    symmetric(0.0, 1.0, 0.0, 0.0, 0.0, 0.0),
    symmetric(0.0, 0.0, 0.0, 1.0, 0.0, 0.0),
    symmetric(0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    symmetric(0.0, 0.0, 0.0, 0.0, 1.0, 0.0),
    symmetric(0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
)


@quantity('n', '10 bodies', unit='N m or N per unit of pi', of_inertia=False)
def regressor(model: RobotModel, q: Scalars, v: Scalars, a: Scalars, gravity: Vector) -> Rows:
    """Y with tau = Y pi, without armature.

    pi is `RobotModel.inertial_parameters`, tau the result of `inverse_dynamics`. The torque of the
    rotors, armature times acceleration, is not in pi: add it to Y pi.

    Atkeson, An, Hollerbach, "Estimation of inertial parameters of manipulator loads and links"
    (1986).
    """
    poses = joint_poses(model, q)
    rates, qdd = joint_rates(model, v), joint_rates(model, a)
    # Y transposed, with one column per joint.
    columns = zeros(10 * len(poses), len(poses))
    # Of each body, the index and the motion subspace, seen from it, of all that carry it.
    ancestors: list[list[tuple[int, Motion]]] = [[]]
    for i, motion in enumerate(body_motions(model, poses, rates, rates, qdd, gravity)):
        joint = model.joints[i]
        seen = [(j, axis.seen_from(poses[i])) for j, axis in ancestors[joint.parent + 1]]
        ancestors.append([(i, joint.subspace), *seen])
        for k, wrench in enumerate(_unit_wrenches(motion)):
            for j, axis in ancestors[-1]:
                columns[10 * i + k][j] = axis.dot(wrench)
    return [list(row) for row in zip(*generalized_rows(model, columns), strict=True)]


def _unit_wrenches(motion: BodyMotion) -> list[Force]:
    """What a unit of each parameter needs, about the origin of the body."""
    omega, alpha, linear = motion.omega, motion.alpha, motion.linear
    wrenches = [Force(ZERO, linear)]
    columns: list[Vector] = list(zip(*motion.U, strict=True))
    wrenches += [Force(cross(e, linear), U) for e, U in zip(IDENTITY, columns, strict=True)]
    for inertia in _UNIT_INERTIAS:
        moment = add(rotate(inertia, alpha), cross(omega, rotate(inertia, omega)))
        wrenches.append(Force(moment))
    return wrenches
