"""The stable names of all findings about a robot."""

from __future__ import annotations

from collections.abc import Iterable

from robot_dynamics_ros.core.errors import UnknownNameError
from robot_dynamics_ros.core.model.findings import FINDING_CODES

# What a description contains, and what shows once torques are computed.
CODES = {
    **FINDING_CODES,
    'no_moving_joint': 'no joint of the robot moves',
    'no_effort_limit': 'a joint has no effort limit: the node does not command it',
    'gravity_exceeds_effort': 'a joint cannot hold the arm at some poses',
    'indefinite_mass_matrix': 'the kinetic energy can be negative',
    'mesh_not_drawn': 'a picture lacks a mesh: its file is not found, or cannot be read',
    'disagreement': 'Pinocchio computes other values',
    'not_compared': 'Pinocchio refuses the description, so that nothing is compared',
}


def checked_codes(codes: Iterable[str]) -> frozenset[str]:
    """The codes as a set.

    Raises:
        UnknownNameError: no finding has one of them.
    """
    wanted = frozenset(codes)
    for code in sorted(wanted - CODES.keys()):
        raise UnknownNameError('code of a finding', code, tuple(CODES))
    return wanted
