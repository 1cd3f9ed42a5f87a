"""The ten inertial parameters of each body, in which the torque is linear."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..checks import checked_vector
from ..errors import ParameterError, StateError
from ..spatial import Inertia, symmetric
from .tree import Joint

PARAMETERS = ('m', 'mx', 'my', 'mz', 'Ixx', 'Ixy', 'Iyy', 'Ixz', 'Iyz', 'Izz')


def parameters_of(body: Inertia) -> list[float]:
    """`PARAMETERS` of a body (10,): mass, first moment, rotational inertia about the origin."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.rotational
    return [body.mass, *body.first_moment, xx, xy, yy, xz, yz, zz]


def body_of(parameters: Sequence[Any]) -> Inertia:
    """The body of `PARAMETERS` (10,), which may be impossible."""
    m, x, y, z, xx, xy, yy, xz, yz, zz = parameters
    return Inertia.about_origin(m, (x, y, z), symmetric(xx, xy, xz, yy, yz, zz))


def checked_parameters(pi: Any, joints: Sequence[Joint]) -> list[list[float]]:
    """`PARAMETERS` of each body, ten per joint.

    Raises:
        ParameterError: pi is not a vector of 10 finite numbers per joint.
    """
    labels = [f'{parameter} of {joint.name}' for joint in joints for parameter in PARAMETERS]
    try:
        rows: list[list[float]] = checked_vector('pi', pi, labels).reshape(-1, 10).tolist()
    except StateError as error:
        raise ParameterError(str(error)) from None
    return rows


def with_parameters(
    joints: Sequence[Joint], bare: Sequence[Joint], rows: Iterable[Sequence[float]]
) -> tuple[Joint, ...]:
    """The joints without payloads, such that their bodies with the payloads have the parameters.

    A body whose parameters are those that it has stays the same to the last bit.

    Args:
        joints: of a robot with its payloads.
        bare: the same without payloads.
        rows: `PARAMETERS` of each body with its payloads.
    """
    changed = []
    for loaded, joint, row in zip(joints, bare, rows, strict=True):
        if row != parameters_of(loaded.inertia):
            payload = np.subtract(parameters_of(loaded.inertia), parameters_of(joint.inertia))
            joint = replace(joint, inertia=body_of(np.subtract(row, payload).tolist()))
        changed.append(joint)
    return tuple(changed)
