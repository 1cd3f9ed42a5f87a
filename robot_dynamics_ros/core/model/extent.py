"""The size of shapes: the box that encloses them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..spatial import Vector


@dataclass(frozen=True)
class Extent:
    """The box, along the axes of a frame, that encloses some shapes.

    Attributes:
        lower: (3,) corner with the smallest coordinates [m].
        upper: (3,) corner with the largest coordinates [m].
        volume: of the shapes, overlaps counted twice [m^3].
    """

    lower: Vector
    upper: Vector
    volume: float

    def __add__(self, other: Extent) -> Extent:
        """The box that encloses both."""
        low, high = (
            zip(self.lower, other.lower, strict=True),
            zip(self.upper, other.upper, strict=True),
        )
        (x, y, z), (u, v, w) = map(min, low), map(max, high)
        return Extent((x, y, z), (u, v, w), self.volume + other.volume)

    @property
    def diagonal(self) -> float:
        """Length of the diagonal [m]."""
        return math.dist(self.lower, self.upper)

    def distance(self, point: Vector) -> float:
        """Distance of a point (3,) from the box [m]; 0 inside."""
        beyond = (
            max(low - p, p - high, 0.0)
            for low, p, high in zip(self.lower, point, self.upper, strict=True)
        )
        return math.hypot(*beyond)

    def farthest(self, point: Vector) -> float:
        """Distance of a point (3,) from the corner that is farthest from it [m]."""
        sides = (
            max(abs(p - low), abs(high - p))
            for low, p, high in zip(self.lower, point, self.upper, strict=True)
        )
        return math.hypot(*sides)
