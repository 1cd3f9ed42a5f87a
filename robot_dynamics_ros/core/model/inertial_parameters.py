"""The ten inertial parameters of each body, in which the torque is linear.

Which of them a body can have: those whose pseudo-inertia [[S, m c], [m c^T, m]], with S its second
moment, is positive semidefinite (Wensing, Kim, Slotine, "Linear matrix inequalities for physically
consistent inertial parameter identification", 2018).

Which of them a drive feels: a mass on the axis of a revolute joint moves as if it were fixed to
the body before. Gautier, Khalil, "Direct calculation of minimum set of inertial parameters of
serial robots" (1990), derive how they are regrouped into fewer with the same torques; in mass
moments it is the thin rod of mass m along the axis that has the body's mass, its first moment and
its second moment along the axis. Without mass a body costs an algorithm fewer products.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..checks import Array
from ..scalar import Scalar
from ..spatial import (
    Inertia,
    dot,
    outer,
    rotate,
    scale,
    subtract,
    subtract_matrices,
    symmetric,
)
from .findings import PRINTED_PRECISION
from .tree import Joint

PARAMETERS = ('m', 'mx', 'my', 'mz', 'Ixx', 'Ixy', 'Iyy', 'Ixz', 'Iyz', 'Izz')
# Rounding of the central inertia, relative to the inertia about the joint frame: the difference of
# two numbers that are up to some thousand times as large.
ROUNDING = 1e-12


def parameters_of(body: Inertia) -> list[float]:
    """`PARAMETERS` of a body (10,): mass, first moment, rotational inertia about the origin."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.rotational
    return [body.mass, *body.first_moment, xx, xy, yy, xz, yz, zz]


def body_of(parameters: Sequence[Any]) -> Inertia:
    """The body of `PARAMETERS` (10,), which may be impossible."""
    m, x, y, z, xx, xy, yy, xz, yz, zz = parameters
    return Inertia.about_origin(m, (x, y, z), symmetric(xx, xy, xz, yy, yz, zz))


def with_load(
    joints: Sequence[Joint], body: int, parameters: Sequence[Scalar]
) -> tuple[Joint, ...]:
    """The joints, with something that has these inertial parameters added to one body.

    Args:
        joints: of a robot.
        body: index of the joint that carries it.
        parameters: (10,) see `PARAMETERS`; any scalars.
    """
    result = list(joints)
    result[body] = replace(joints[body], inertia=joints[body].inertia + body_of(parameters))
    return tuple(result)


def impossible(body: Inertia) -> str:
    """Why no distribution of mass has these moments, in words; empty if one has.

    With mass the pseudo-inertia is positive semidefinite if the mass is positive and so is the
    second moment about the centre of mass: then the principal moments obey the triangle
    inequality. Misses within the printed precision of descriptions are rounding.
    """
    second: Array = np.array(body.second_moment, dtype=np.float64)
    if body.mass < 0.0:
        return f'the mass is {body.mass:.4g} kg, it must not be negative'
    if body.mass == 0.0 and any(body.first_moment):
        printed = ', '.join(f'{entry:.4g}' for entry in body.first_moment)
        return f'the mass is 0 kg, and m c is {printed} kg m, it must be zero then'
    center = np.array(body.center_of_mass, dtype=np.float64)
    central = np.linalg.eigvalsh(second - body.mass * np.outer(center, center))
    allowed = PRINTED_PRECISION * abs(central[2]) + ROUNDING * abs(np.trace(second))
    if central[0] >= -allowed:
        return ''
    moments = np.linalg.eigvalsh(np.array(body.rotational_at_center_of_mass))
    printed = ', '.join(f'{moment:.4g}' for moment in moments)
    return (
        f'the principal moments about the centre of mass are {printed} kg m^2, each must be at '
        'least 0 and at most the sum of the other two'
    )


def base_inertias(joints: Sequence[Joint], whole: int | None = None) -> tuple[Joint, ...]:
    """Joints with the same M(q), C(q, v), g(q) and derivatives; for algorithms alone.

    Their bodies are not physical. What the first joint does not feel is left out, so that energies
    and momenta are others.

    Args:
        joints: of a robot.
        whole: index of a joint whose body keeps what it has; None for none.
    """
    inertias = [joint.inertia for joint in joints]
    for i, joint in reversed(list(enumerate(joints))):
        if i == whole:
            continue
        part = _unidentifiable(joint, inertias[i])
        inertias[i] = _without(inertias[i], part)
        if joint.parent >= 0:
            inertias[joint.parent] += joint.placement @ part
    pairs = zip(joints, inertias, strict=True)
    return tuple(replace(joint, inertia=body) for joint, body in pairs)


def _unidentifiable(joint: Joint, body: Inertia) -> Inertia:
    """The part of a body that may as well be fixed to the body before, at any position."""
    if joint.slides:
        # It does not rotate against the body before, and the drive feels the force alone.
        return Inertia(second_moment=body.second_moment)
    axis = joint.axis
    first, second = dot(axis, body.first_moment), dot(axis, rotate(body.second_moment, axis))
    return Inertia(body.mass, scale(first, axis), outer(scale(second, axis), axis))


def _without(body: Inertia, part: Inertia) -> Inertia:
    """What is left of a body."""
    return Inertia(
        body.mass - part.mass,
        subtract(body.first_moment, part.first_moment),
        subtract_matrices(body.second_moment, part.second_moment),
    )
