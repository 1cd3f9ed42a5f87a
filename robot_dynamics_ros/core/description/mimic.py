"""Mimic joints: which entry of q moves each joint of a description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..errors import TopologyError
from ..model.tree import Coordinate


@dataclass(frozen=True)
class Mimic:
    """`position = multiplier * position of the mimicked joint + offset`."""

    mimicked: str
    multiplier: float = 1.0
    offset: float = 0.0


def assign_coordinates(
    names: Sequence[str], mimics: Mapping[str, Mimic]
) -> list[tuple[Coordinate, str | None]]:
    """The coordinate of each moving joint, and the independent joint that it mimics, if another.

    Args:
        names: of all moving joints; those not in `mimics` get the entries of q in this order.
        mimics: of joints by name; each mimics one of `names`, which may itself mimic another.

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
                raise TopologyError(f'joint {name!r} mimics itself, through {mimicked!r}')
            passed.add(mimicked)
        coordinate = Coordinate(independent[mimicked], multiplier, offset)
        coordinates.append((coordinate, mimicked if mimicked != name else None))
    return coordinates
