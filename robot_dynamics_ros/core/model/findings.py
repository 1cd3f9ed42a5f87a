"""Findings: what is implausible, though usable, in the description of a robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from ..spatial import Matrix

# Public descriptions print six digits or fewer: a plate whose inertia just meets the triangle
# inequality may miss it by that much.
PRINTED_PRECISION = 1e-6
# [m]: nothing is farther from its link than this and than the robot reaches.
FAR = 1.0

Severity = Literal['error', 'warning', 'info']


class Rule(NamedTuple):
    """What is implausible, in words that follow the name of a link; what to do; how bad it is."""

    problem: str
    advice: str
    severity: Severity = 'warning'


# The codes are stable names, for those who ignore some findings; the words may change.
RULES: Mapping[str, Rule] = {
    'inertia_without_mass': Rule(
        'it has a rotational inertia but no mass', 'give it a mass, or remove the inertia'
    ),
    'inertia_not_positive': Rule(
        'its rotational inertia is not positive definite',
        'recompute the inertia from the mass and the shape',
        'error',
    ),
    'triangle_inequality': Rule(
        'its rotational inertia breaks the triangle inequality',
        'no body has such an inertia: look for a wrong unit, frame or sign',
        'error',
    ),
    'large_angle': Rule(
        'an origin is turned by more than a whole turn',
        'angles are in rad: divide degrees by 57.2958',
    ),
    'massless_body': Rule(
        'its joint moves no mass before the next joint',
        'harmless inside a chain, or give the link a mass',
    ),
    'heavy_payload': Rule('its payload is as heavy as the robot', 'check that the mass is in kg'),
    'far_payload': Rule(
        'the centre of mass of its payload is farther away than the robot reaches',
        'check that com is in m, in the frame of the link',
    ),
    'large_payload_inertia': Rule(
        'the radius of gyration of its payload is larger than the reach of the robot',
        'check that the inertia is in kg m^2, and the mass in kg',
    ),
    'orphaned_mimic': Rule(
        'its joint mimics one that is fixed or not there, so it counts as independent',
        'name a moving joint, or remove the mimic element',
    ),
}


@dataclass(frozen=True)
class Finding:
    """One implausible property of a link or its joint.

    Attributes:
        link: name of the link.
        code: its stable name, a key of `RULES`, or of the same table of another room.
        problem: what is wrong, in words.
        value: the numbers that show it, with units.
        advice: what to do about it.
        severity: error: physically impossible; warning: probably wrong; info: worth knowing.
        joints: names of the joints that it is about; empty if it is about the link alone.
    """

    link: str
    code: str
    problem: str
    value: str
    advice: str
    severity: Severity = 'warning'
    joints: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        code: str,
        link: str,
        value: str,
        joints: tuple[str, ...] = (),
        severity: Severity | None = None,
        *,
        rules: Mapping[str, Rule] = RULES,
    ) -> Finding:
        """A finding with the words of a rule, and its severity if none is given."""
        problem, advice, usual = rules[code]
        return cls(link, code, problem, value, advice, severity or usual, joints)

    def __str__(self) -> str:
        """One line for a log."""
        return f'link {self.link!r}: {self.problem} ({self.value}); {self.advice}'


def examine_inertial(link: str, mass: float, rotational: Matrix) -> list[Finding]:
    """Findings about one link's mass [kg] and rotational inertia at its centre of mass [kg m^2].

    The principal moments of a real body are positive, and none exceeds the sum of the other two.
    """
    moments = np.linalg.eigvalsh(np.array(rotational))
    value = f'principal moments {", ".join(f"{moment:.3g}" for moment in moments)} kg m^2'
    if mass == 0.0:
        return [Finding.of('inertia_without_mass', link, value)] if moments.any() else []
    if moments[0] <= 0.0:
        # A point or a thin rod is an idealisation, a negative moment is a mistake.
        idealised = moments[0] >= -PRINTED_PRECISION * moments[2]
        severity: Severity = 'warning' if idealised else 'error'
        return [Finding.of('inertia_not_positive', link, value, severity=severity)]
    if moments[0] + moments[1] < moments[2] * (1.0 - PRINTED_PRECISION):
        return [Finding.of('triangle_inequality', link, value)]
    return []


def counted(number: int, thing: str) -> str:
    """A number of things, such as `1 gap` or `1,200 gaps`; the plural ends in s."""
    return f'{number:,} {thing}' if number == 1 else f'{number:,} {thing}s'


def listed(names: Sequence[str], most: int = 6) -> str:
    """At most that many of the names, for a line of a log."""
    more = f' and {len(names) - most} more' if len(names) > most else ''
    return ', '.join(names[:most]) + more
