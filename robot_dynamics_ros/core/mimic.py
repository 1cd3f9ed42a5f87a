"""Mimic joints: which entry of q moves each joint of a description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .errors import TopologyError
from .model import Coordinate


@dataclass(frozen=True)
class Mimic:
    """`position = multiplier * position of driver + offset`."""

    driver: str
    multiplier: float = 1.0
    offset: float = 0.0


def assign_coordinates(
    names: Sequence[str], mimics: Mapping[str, Mimic]
) -> list[tuple[Coordinate, str | None]]:
    """The coordinate of each moving joint, and the independent joint that drives it, if another.

    Args:
        names: of all moving joints; those not in `mimics` get the entries of q in this order.
        mimics: of joints by name; each is driven by one of `names`, which may itself mimic.

    Raises:
        TopologyError: a joint mimics itself, directly or through others.
    """
    independent = {name: index for index, name in enumerate(n for n in names if n not in mimics)}
    coordinates: list[tuple[Coordinate, str | None]] = []
    for name in names:
        driver, multiplier, offset = name, 1.0, 0.0
        passed = {name}
        while driver in mimics:
            mimic = mimics[driver]
            # x = m (m' y + o') + o: the outer law is applied to the inner one.
            offset += multiplier * mimic.offset
            multiplier *= mimic.multiplier
            driver = mimic.driver
            if driver in passed:
                raise TopologyError(f'joint {name!r} mimics itself, through {driver!r}')
            passed.add(driver)
        coordinate = Coordinate(independent[driver], multiplier, offset)
        coordinates.append((coordinate, driver if driver != name else None))
    return coordinates
