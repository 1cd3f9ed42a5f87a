"""The generalised momentum, and what turns it beside the torques, in body frames."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.robot import RobotModel
from ..scalar import Scalar
from ..spatial import ZERO, Matrix, Vector, add, cross, dot, rotate, rotate_back, scale
from .joint_tree import joint_frames, joint_rates


def momentum_terms(
    model: RobotModel, q: Sequence[Scalar], v: Sequence[Scalar]
) -> list[list[Scalar]]:
    """Rows p = M(q) v [N m s or N s] and c = C(q, v)^T v [N m or N], shape (2, n).

    They give the equation of motion without accelerations, p_dot = tau + c - g(q), with C by
    Christoffel symbols. A joint with the axis S carries a subtree of the momentum H:
    p = S . H, whose derivative is S . H_dot + S_dot . H. The first term is what the drive and
    gravity do, so that c = S_dot . H, which is the gradient dT/dq of the kinetic energy, with
    which De Luca, Mattone, "Sensorless robot collision detection and hybrid force/motion control"
    (2005) begin. Rotors add their armature times the velocity of the joint to p, nothing to c.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        v: (n,) velocities [rad/s or m/s].
    """
    frames = joint_frames(model, q)
    rates = joint_rates(model, v)
    carriers = _carrier_twists(model, frames, rates)

    # Forward: the momentum of each body, about the origin of the body.
    momenta: list[tuple[Vector, Vector]] = []
    for joint, (omega, linear), rate in zip(model.joints, carriers, rates, strict=True):
        omega, linear = _carried(joint.kind, omega, linear, scale(rate, joint.axis))
        body = joint.inertia
        momenta.append(
            (
                add(scale(body.mass, linear), cross(omega, body.first_moment)),
                add(cross(body.first_moment, linear), rotate(body.rotational, omega)),
            )
        )

    # Backward, tips to base: momenta[i] is that of all that joint i carries.
    terms: list[list[Scalar]] = [[0.0] * model.size for _ in range(2)]
    for i, joint in reversed(list(enumerate(model.joints))):
        force, moment = momenta[i]
        omega, linear = carriers[i]
        turned = cross(omega, joint.axis)
        if joint.kind == 'prismatic':
            p, c = dot(joint.axis, force), dot(turned, force)
        else:
            p = dot(joint.axis, moment)
            c = dot(turned, moment) + dot(cross(linear, joint.axis), force)
        index, multiplier = joint.coordinate.index, joint.coordinate.multiplier
        terms[0][index] += multiplier * (p + joint.armature * rates[i])
        terms[1][index] += multiplier * c
        if joint.parent >= 0:
            rotation, translation = frames[i]
            force = rotate(rotation, force)
            moment = add(rotate(rotation, moment), cross(translation, force))
            before = momenta[joint.parent]
            momenta[joint.parent] = add(before[0], force), add(before[1], moment)
    return terms


def _carrier_twists(
    model: RobotModel, frames: Sequence[tuple[Matrix, Vector]], rates: Sequence[Scalar]
) -> list[tuple[Vector, Vector]]:
    """omega, and the velocity of the origin of each body, both as if its joint stood still.

    Base to tips, in the axes of the body. The rate of a joint does not move its own axis.
    """
    carriers: list[tuple[Vector, Vector]] = []
    twists = [(ZERO, ZERO)]
    for joint, (rotation, translation), rate in zip(model.joints, frames, rates, strict=True):
        omega, linear = twists[joint.parent + 1]
        linear = rotate_back(rotation, add(linear, cross(omega, translation)))
        carriers.append((rotate_back(rotation, omega), linear))
        twists.append(_carried(joint.kind, *carriers[-1], scale(rate, joint.axis)))
    return carriers


def _carried(kind: str, omega: Vector, linear: Vector, rate: Vector) -> tuple[Vector, Vector]:
    """The twist of a body, from that of its carrier and the rate of the joint (3,)."""
    if kind == 'prismatic':
        return omega, add(linear, rate)
    return add(omega, rate), linear
