"""Whether a body can exist: whether any distribution of mass has its moments."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..checks import Array
from ..errors import InertiaError
from ..spatial import Inertia
from .findings import PRINTED_PRECISION
from .tree import Joint

# Rounding of the central inertia, relative to the inertia about the joint frame: the difference of
# two numbers that are up to some thousand times as large.
ROUNDING = 1e-12


def require_physical(joints: Iterable[Joint]) -> None:
    """Refuse bodies that no distribution of mass has.

    That is: the pseudo-inertia [[S, m c], [m c^T, m]] of a body, with S its second moment, is not
    positive semidefinite (Wensing, Kim, Slotine, "Linear matrix inequalities for physically
    consistent inertial parameter identification", 2018). With mass it is if the mass is positive
    and so is the second moment about the centre of mass: then the principal moments obey the
    triangle inequality. Misses within the printed precision of descriptions are rounding.

    Raises:
        InertiaError: one of them is.
    """
    for joint in joints:
        if obstacle := impossible(joint.inertia):
            raise InertiaError(
                f'no body has the inertial parameters of joint {joint.name!r}: {obstacle}; '
                'correct them, or pass physical=False to use them as they are'
            )


def impossible(body: Inertia) -> str:
    """Why no distribution of mass has these moments, in words; empty if one has."""
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
    # The principal moments, in ascending order, are sums of two of these.
    moments = central[0] + central[1], central[0] + central[2], central[1] + central[2]
    printed = ', '.join(f'{moment:.4g}' for moment in moments)
    return (
        f'the principal moments about the centre of mass are {printed} kg m^2, each must be at '
        'least 0 and at most the sum of the other two'
    )
