"""Findings: what is implausible, though usable, in the description of a robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np

from ..spatial import Matrix

# Public descriptions print six digits or fewer: a plate whose inertia just meets the triangle
# inequality may miss it by that much.
PRINTED_PRECISION = 1e-6

Severity = Literal['error', 'warning', 'info']

# Stable names, for those who ignore some findings; messages may change, these names do not.
FINDING_CODES: Mapping[str, str] = MappingProxyType(
    {
        'inertia_without_mass': 'a link has a rotational inertia, and no mass',
        'inertia_not_positive': 'a rotational inertia is not positive definite',
        'triangle_inequality': 'a principal moment is larger than the sum of the two others',
        'nearly_flat': 'a principal moment almost equals the sum of the two others',
        'inertia_too_large': 'a rotational inertia is larger than the shapes of the link can have',
        'inertia_about_link_frame': 'a rotational inertia seems to be about the link frame',
        'density': 'the density of a link is below that of foam, or above that of metals',
        'far_center_of_mass': 'a centre of mass is far outside the shapes of its link',
        'massless_body': 'a body that moves has no mass',
        'fixed_mass': 'links with mass are fixed to the base',
        'heavy_payload': 'a payload is as heavy as the robot',
        'reversed_limits': 'the lower position limit of a joint is above the upper one',
        'equal_limits': 'the position limits of a joint are equal',
        'missing_limits': 'a revolute or prismatic joint has no <limit>',
        'zero_effort_limit': 'the effort limit of a joint is zero',
        'negative_effort_limit': 'the effort limit of a joint is negative',
        'zero_velocity_limit': 'the velocity limit of a joint is zero',
        'negative_velocity_limit': 'the velocity limit of a joint is negative',
        'motionless_mimic': 'a joint mimics another one with the multiplier 0',
        'mimic_limits': 'the limits of a mimic joint narrow the range of the joint that it mimics',
        'orphaned_mimic': 'a joint mimics one that does not exist or does not move',
        'friction_left_out': 'damping or friction is described, which the dynamics leaves out',
    }
)


@dataclass(frozen=True)
class Finding:
    """One implausible property of a link or its joint.

    Attributes:
        link: name of the link.
        code: its stable name, one of `FINDING_CODES`, or of a check that is not of `core`.
        problem: what is wrong, in words.
        value: the numbers that show it, with units.
        advice: what to do about it.
        severity: error: physically impossible; warning: probably wrong; info: worth knowing.
        concerns: the inertia of the link, or anything else.
        joints: names of the joints that it is about; empty if it is about the link alone.
    """

    link: str
    code: str
    problem: str
    value: str
    advice: str
    severity: Severity = 'warning'
    concerns: Literal['inertia', 'other'] = 'inertia'
    joints: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One line for a log."""
        return f'link {self.link!r}: {self.problem} ({self.value}); {self.advice}'


def examine_inertial(link: str, mass: float, rotational: Matrix) -> list[Finding]:
    """Findings about one link's mass [kg] and rotational inertia at its centre of mass [kg m^2].

    The principal moments of a real body are positive, and none exceeds the sum of the other two.
    """
    moments = np.linalg.eigvalsh(np.array(rotational))
    printed = ', '.join(f'{moment:.3g}' for moment in moments) + ' kg m^2'
    if mass == 0.0 and not moments.any():
        return []
    if mass == 0.0:
        advice = 'give it a mass, or remove the inertia'
        problem = 'has a rotational inertia but no mass'
        return [Finding(link, 'inertia_without_mass', problem, printed, advice)]
    if moments[0] <= 0.0:
        advice = 'recompute the inertia from the mass and the shape'
        problem = 'its rotational inertia is not positive definite'
        # A point or a thin rod is an idealisation, a negative moment is a mistake.
        idealised = moments[0] >= -PRINTED_PRECISION * moments[2]
        severity: Severity = 'warning' if idealised else 'error'
        value = f'principal moments {printed}'
        return [Finding(link, 'inertia_not_positive', problem, value, advice, severity)]
    if moments[0] + moments[1] < moments[2] * (1.0 - PRINTED_PRECISION):
        advice = 'no body has such an inertia: look for a wrong unit, frame or sign'
        problem = 'its rotational inertia breaks the triangle inequality'
        value = f'principal moments {printed}'
        return [Finding(link, 'triangle_inequality', problem, value, advice, 'error')]
    return []


def massless_body(link: str, joint: str) -> Finding:
    """Finding about a moving body without mass, none of its links having one.

    Args:
        link: the first of its links.
        joint: that carries it.
    """
    return Finding(
        link,
        'massless_body',
        f'nothing that joint {joint!r} moves before the next joint has a mass',
        '0 kg',
        'harmless inside a chain; at a tip the mass matrix is singular: give the link a mass',
        joints=(joint,),
    )


def orphaned_mimic(link: str, joint: str, mimicked: str, mimicked_is_fixed: bool) -> Finding:
    """Finding about a joint that mimics one that does not exist or does not move.

    Args:
        link: the child of the joint.
        joint: that has the mimic element.
        mimicked: the joint that the element names.
        mimicked_is_fixed: whether that joint exists, and is fixed.
    """
    reason = (
        f'joint {mimicked!r}, which is fixed' if mimicked_is_fixed else 'a joint that is not there'
    )
    return Finding(
        link,
        'orphaned_mimic',
        f'its joint {joint!r} mimics {reason}, so it counts as independent',
        f'mimic joint={mimicked!r}',
        'name a moving joint, or remove the mimic element',
        concerns='other',
        joints=(joint,),
    )


def counted(number: int, thing: str) -> str:
    """A number of things, such as `1 gap` or `1,200 gaps`; the plural ends in s."""
    return f'{number:,} {thing}' if number == 1 else f'{number:,} {thing}s'


def listed(names: Sequence[str], most: int = 6) -> str:
    """At most that many of the names, for a line of a log."""
    more = f' and {len(names) - most} more' if len(names) > most else ''
    return ', '.join(names[:most]) + more
