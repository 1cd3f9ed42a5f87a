"""Mimic joints: which entry of q moves each joint of a description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .errors import TopologyError
from .model.tree import Coordinate


@dataclass(frozen=True)
class Mimic:
    """The law of a mimic joint: position = multiplier * position of another joint + offset.

    Attributes:
        mimicked: name of the other joint, which may be a mimic joint too.
        multiplier: ratio of the positions.
        offset: [rad or m].
    """

    mimicked: str
    multiplier: float = 1.0
    offset: float = 0.0


def assign_coordinates(
    names: Sequence[str], mimics: Mapping[str, Mimic]
) -> list[tuple[Coordinate, str | None]]:
    """The coordinate of each moving joint, and the name of the independent joint that it mimics.

    That name is None for an independent joint.

    Args:
        names: of all moving joints; those not in `mimics` get the entries of q in this order.
        mimics: laws by the name of the mimic joint; each mimics one of `names`.

    Raises:
        TopologyError: a joint mimics itself, directly or through others.
    """
    independent = {name: index for index, name in enumerate(n for n in names if n not in mimics)}
    coordinates: list[tuple[Coordinate, str | None]] = []
    for name in names:
        mimicked, multiplier, offset = name, 1.0, 0.0
        passed = {name}
        while mimicked in mimics:
            mimic = mimics[mimicked]
            # x = m (m' y + o') + o: the outer law is applied to the inner one.
            offset += multiplier * mimic.offset
            multiplier *= mimic.multiplier
            mimicked = mimic.mimicked
            if mimicked in passed:
                raise TopologyError(
                    f'joint {name!r} mimics itself, through {mimicked!r}: one of the joints must '
                    'not mimic another'
                )
            passed.add(mimicked)
        coordinate = Coordinate(independent[mimicked], multiplier, offset)
        coordinates.append((coordinate, mimicked if mimicked != name else None))
    return coordinates
