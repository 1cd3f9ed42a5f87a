"""Inertial parameters regrouped into fewer, with the same torques at every state.

A drive does not feel everything of what it carries: a mass on the axis of a revolute joint moves
as if it were fixed to the body before. Gautier, Khalil, "Direct calculation of minimum set of
inertial parameters of serial robots" (1990), derive the regrouping; in mass moments it is the
thin rod of mass m along the axis that has the body's mass, its first moment along the axis and its
second moment along the axis. Without mass a body costs an algorithm fewer products.
"""

from __future__ import annotations

from dataclasses import replace

from ..spatial import Inertia, add_matrices, dot, outer, rotate, scale, subtract
from .robot import RobotModel
from .tree import Joint


def regrouped(model: RobotModel, whole: int | None = None) -> RobotModel:
    """A robot with the same M(q), C(q, v), g(q) and derivatives; for algorithms alone.

    Its bodies are not physical. What the first joint does not feel is left out, so that energies
    and momenta are others.

    Args:
        model: the robot.
        whole: index of a joint whose body keeps what it has; None for none.
    """
    inertias = [joint.inertia for joint in model.joints]
    for i, joint in reversed(list(enumerate(model.joints))):
        if i == whole:
            continue
        part = _not_felt(joint, inertias[i])
        inertias[i] = _without(inertias[i], part)
        if joint.parent >= 0:
            place = joint.placement
            inertias[joint.parent] += place @ part
    joints = zip(model.joints, inertias, strict=True)
    return replace(model, joints=tuple(replace(joint, inertia=body) for joint, body in joints))


def _not_felt(joint: Joint, body: Inertia) -> Inertia:
    """The part of a body that may as well be fixed to the body before, at any position."""
    if joint.kind == 'prismatic':
        # It does not rotate against the body before, and the drive feels the force alone.
        return Inertia(second_moment=body.second_moment)
    axis = joint.axis
    first, second = dot(axis, body.first_moment), dot(axis, rotate(body.second_moment, axis))
    return Inertia(body.mass, scale(first, axis), outer(scale(second, axis), axis))


def _without(body: Inertia, part: Inertia) -> Inertia:
    """What is left of a body."""
    minus = tuple(scale(-1.0, row) for row in part.second_moment)
    return Inertia(
        body.mass - part.mass,
        subtract(body.first_moment, part.first_moment),
        add_matrices(body.second_moment, (minus[0], minus[1], minus[2])),
    )
