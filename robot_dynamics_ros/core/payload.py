"""A body that is fixed to a link after the robot was described: a tool, a workpiece, a camera."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .errors import ParameterError
from .findings import examine_inertial
from .inertia import Inertia, Placement
from .spatial import Matrix, Vector, symmetric


@dataclass(frozen=True)
class Payload:
    """A rigid body, fixed to a link.

    Attributes:
        name: of the payload.
        frame: name of the link.
        mass: [kg].
        com: (3,) centre of mass in the link frame [m].
        inertia: (3, 3) about the centre of mass, in the axes of the link [kg m^2].
    """

    name: str
    frame: str
    mass: float
    com: Vector
    inertia: Matrix

    @classmethod
    def checked(
        cls,
        name: str,
        frame: str,
        mass: float,
        com: Sequence[float],
        inertia: Sequence[Sequence[float]],
    ) -> Payload:
        """The payload, if a real body can be so; a point mass has the inertia zero.

        Raises:
            ParameterError: mass, com or inertia is no finite number, or of the wrong shape; the
                mass is negative; the inertia is asymmetric, not positive definite (or zero), or
                breaks the triangle inequality.
        """
        where = f'payload {name!r}'
        try:
            weight = float(mass)
            center = [float(x) for x in com]
            rows = [[float(x) for x in row] for row in inertia]
        except (TypeError, ValueError) as error:
            raise ParameterError(f'{where}: {error}') from None
        if not (math.isfinite(weight) and weight >= 0.0):
            raise ParameterError(f'{where}: mass is {mass} kg, it must be finite and not negative')
        if len(center) != 3 or not np.isfinite(center).all():
            raise ParameterError(f'{where}: com is {com}, three finite numbers are needed')
        if [len(row) for row in rows] != [3, 3, 3] or not np.isfinite(rows).all():
            raise ParameterError(f'{where}: inertia is {inertia}, 3 x 3 finite numbers are needed')
        x, y, z = rows
        tensor = symmetric(x[0], x[1], x[2], y[1], y[2], z[2])
        if np.abs(np.subtract(rows, tensor)).max() > 1e-9 * np.abs(rows).max():
            raise ParameterError(f'{where}: inertia is {inertia}, it must be symmetric')
        if np.any(rows):
            for finding in examine_inertial(frame, weight, tensor):
                raise ParameterError(f'{where}: {finding.problem} ({finding.value})')
        return cls(name, frame, weight, (center[0], center[1], center[2]), tensor)

    @property
    def moments(self) -> Inertia:
        """Its mass moments in the link frame."""
        return Inertia.at_center_of_mass(self.mass, self.inertia, Placement(translation=self.com))
