"""Payloads: bodies fixed to a link beside those of the URDF, such as a tool or a workpiece."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..checks import checked_name, is_finite
from ..errors import ParameterError
from ..spatial import Inertia, Matrix, Transform, Vector, symmetric, trace
from .findings import FAR, Finding, examine_inertial


@dataclass(frozen=True)
class Payload:
    """A rigid body, fixed to a link; a point mass has the inertia zero.

    Attributes:
        name: of the payload.
        frame: name of the link; whether it exists is not checked here.
        mass: [kg].
        com: (3,) centre of mass in the link frame [m].
        inertia: (3, 3) about the centre of mass, in the axes of the link [kg m^2].

    Raises:
        ParameterError: mass, com or inertia is not finite, or of the wrong shape; the mass is
            negative; the inertia is asymmetric, neither positive definite nor zero, or breaks the
            triangle inequality; a name is not a str.
    """

    name: str
    frame: str
    mass: float
    com: Vector
    inertia: Matrix

    def __post_init__(self) -> None:
        mass, com, inertia = self.mass, self.com, self.inertia
        where = f'payload {checked_name("name of a payload", self.name)!r}'
        checked_name(f'{where}: frame', self.frame)
        if not (is_finite(mass) and mass >= 0.0):
            raise ParameterError(f'{where}: mass is {mass} kg, a finite number >= 0 is needed')
        if not is_finite(com, (3,)):
            raise ParameterError(f'{where}: com is {com}, three finite numbers are needed')
        if not is_finite(inertia, (3, 3)):
            raise ParameterError(f'{where}: inertia is {inertia}, 3 x 3 finite numbers are needed')
        rows = x, y, z = np.asarray(inertia, np.float64).tolist()
        tensor = symmetric(x[0], x[1], x[2], y[1], y[2], z[2])
        if np.abs(np.subtract(rows, tensor)).max() > 1e-9 * np.abs(rows).max():
            raise ParameterError(f'{where}: inertia is {inertia}, it must be symmetric')
        if np.any(rows):
            for finding in examine_inertial(self.frame, float(mass), tensor):
                raise ParameterError(f'{where}: {finding.problem} ({finding.value})')
        # A frozen dataclass is assigned to so.
        object.__setattr__(self, 'mass', float(mass))
        object.__setattr__(self, 'com', tuple(np.asarray(com, np.float64).tolist()))
        object.__setattr__(self, 'inertia', tensor)

    @property
    def moments(self) -> Inertia:
        """The mass moments of the payload in the link frame."""
        return Inertia.at_center_of_mass(self.mass, self.inertia, Transform(translation=self.com))

    def findings(self, robot_mass: float, reach: float) -> list[Finding]:
        """What is probably given in a wrong unit: known robots carry less than they weigh.

        And what they carry is no farther from its link than they reach.

        Args:
            robot_mass: [kg] without payloads; nothing is compared with a robot without mass.
            reach: of the robot [m].
        """
        distance, farthest = math.hypot(*self.com), max(FAR, reach)
        gyration = math.sqrt(trace(self.inertia) / 2.0 / self.mass) if self.mass else 0.0
        reaching = f'the robot reaches {reach:.3g} m'
        found = {}
        if 0.0 < robot_mass <= self.mass:
            found['heavy_payload'] = f'{self.mass:g} kg, the robot has {robot_mass:.4g} kg'
        if distance > farthest:
            found['far_payload'] = f'at {distance:.4g} m, {reaching}'
        if gyration > farthest:
            found['large_payload_inertia'] = f'{gyration:.4g} m, {reaching}'
        return [
            Finding.of(code, self.frame, f'{self.name!r}: {value}')
            for code, value in found.items()
        ]
