"""Payloads: bodies fixed to a link beside those of the URDF, such as a tool or a workpiece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..checks import checked_name, is_finite
from ..errors import ParameterError
from ..spatial import Matrix, Vector, symmetric
from .findings import examine_inertial
from .inertia import Inertia, Placement


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
        """The payload, if a real body can have that inertia; a point mass has the inertia zero.

        Args:
            name: of the payload.
            frame: name of the link; whether it exists is not checked here.
            mass: [kg].
            com: (3,) centre of mass in the link frame [m].
            inertia: (3, 3) about the centre of mass, in the axes of the link [kg m^2].

        Raises:
            ParameterError: mass, com or inertia is not finite, or of the wrong shape; the mass is
                negative; the inertia is asymmetric, neither positive definite nor zero, or breaks
                the triangle inequality; a name is not a str.
        """
        where = f'payload {checked_name("name of a payload", name)!r}'
        checked_name(f'{where}: frame', frame)
        if not (is_finite(mass) and mass >= 0.0):
            raise ParameterError(f'{where}: mass is {mass} kg, a finite number >= 0 is needed')
        if not is_finite(com, (3,)):
            raise ParameterError(f'{where}: com is {com}, three finite numbers are needed')
        if not is_finite(inertia, (3, 3)):
            raise ParameterError(f'{where}: inertia is {inertia}, 3 x 3 finite numbers are needed')
        weight = float(mass)
        rows = x, y, z = np.asarray(inertia, np.float64).tolist()
        tensor = symmetric(x[0], x[1], x[2], y[1], y[2], z[2])
        if np.abs(np.subtract(rows, tensor)).max() > 1e-9 * np.abs(rows).max():
            raise ParameterError(f'{where}: inertia is {inertia}, it must be symmetric')
        if np.any(rows):
            for finding in examine_inertial(frame, weight, tensor):
                raise ParameterError(f'{where}: {finding.problem} ({finding.value})')
        a, b, c = np.asarray(com, np.float64).tolist()
        return cls(name, frame, weight, (a, b, c), tensor)

    @property
    def moments(self) -> Inertia:
        """The mass moments of the payload in the link frame."""
        return Inertia.at_center_of_mass(self.mass, self.inertia, Placement(translation=self.com))
