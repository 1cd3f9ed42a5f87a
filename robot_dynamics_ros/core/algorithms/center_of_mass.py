"""The centre of mass of the moving bodies and its Jacobian, from moments in body frames."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import InertiaError
from ..model.robot import RobotModel
from ..scalar import Scalar
from ..spatial import ZERO, Matrix, Vector, add, cross, rotate, scale
from .base_frame import body_poses
from .joint_tree import joint_frames


def center_of_mass(model: RobotModel, q: Sequence[Scalar]) -> list[Scalar]:
    """c = sum of m_i c_i / sum of m_i [m], base axes, shape (3,).

    Links that are fixed to the base are left out, as in `potential_energy`.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].

    Raises:
        InertiaError: no moving body has a mass.
    """
    frames = joint_frames(model, q)
    masses, moments = _carried_moments(model, frames)
    per_mass = 1.0 / _total_mass(model)
    total = ZERO
    for i, joint in enumerate(model.joints):
        if joint.parent < 0:
            rotation, translation = frames[i]
            total = add(total, rotate(rotation, moments[i]))
            total = add(total, scale(masses[i], translation))
    return [*scale(per_mass, total)]


def center_of_mass_jacobian(model: RobotModel, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """J(q) with c_dot = J v, base axes, shape (3, n).

    A joint moves all that it carries as one body: its column is z x (c_i - p_i) m_i / m, with the
    mass m_i and the centre c_i of what it carries, or z m_i / m where it slides (Sugihara,
    Nakamura, Inoue, "Realtime humanoid motion generation through ZMP manipulation based on
    inverted pendulum control", 2002).

    Args:
        model: the robot.
        q: (n,) positions [rad or m].

    Raises:
        InertiaError: no moving body has a mass.
    """
    masses, moments = _carried_moments(model, joint_frames(model, q))
    per_mass = 1.0 / _total_mass(model)
    matrix: list[list[Scalar]] = [[0.0] * model.size for _ in range(3)]
    for i, (joint, (rotation, _)) in enumerate(
        zip(model.joints, body_poses(model, q), strict=True)
    ):
        if joint.kind == 'prismatic':
            moved = scale(masses[i], joint.axis)
        else:
            moved = cross(joint.axis, moments[i])
        column = scale(per_mass * joint.coordinate.multiplier, rotate(rotation, moved))
        for row, entry in zip(matrix, column, strict=True):
            row[joint.coordinate.index] += entry
    return matrix


def _carried_moments(
    model: RobotModel, frames: Sequence[tuple[Matrix, Vector]]
) -> tuple[list[Scalar], list[Vector]]:
    """Tips to base: mass, and first moment in the joint frame, of all that each joint carries."""
    masses = [joint.inertia.mass for joint in model.joints]
    moments = [joint.inertia.first_moment for joint in model.joints]
    for i, joint in reversed(list(enumerate(model.joints))):
        if joint.parent >= 0:
            rotation, translation = frames[i]
            moment = add(rotate(rotation, moments[i]), scale(masses[i], translation))
            masses[joint.parent] += masses[i]
            moments[joint.parent] = add(moments[joint.parent], moment)
    return masses, moments


def _total_mass(model: RobotModel) -> Scalar:
    mass: Scalar = 0.0
    for joint in model.joints:
        mass += joint.inertia.mass
    if isinstance(mass, float) and mass == 0.0:
        raise InertiaError(
            f'robot {model.name!r} has no centre of mass: no moving link has a mass, give them '
            'inertials'
        )
    return mass
