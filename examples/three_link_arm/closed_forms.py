"""M, C, g and P of the three-link arm, as the paper prints them.

Le, Nguyen, Nguyen, "Dynamic model with a new formulation of Coriolis/centrifugal matrix for robot
manipulators", Journal of Computer Science and Cybernetics 36 (2020), 89-104: equations 64 to 71.
Line by line in the symbols of the paper, for the scalars of `robot_dynamics_ros.core` (which have
no power operator).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from robot_dynamics_ros.core.scalar import cos, sin

Scalar = Any


@dataclass(frozen=True)
class Parameters:
    """Equation 71: lengths [m], masses [kg], principal inertias [kg m^2], gravity [m/s^2]."""

    l0: Scalar = 0.294
    l1: Scalar = 0.190
    l2: Scalar = 0.170
    r0: Scalar = 0.140
    r1: Scalar = 0.088
    r2: Scalar = 0.080
    m1: Scalar = 5.248
    m2: Scalar = 2.412
    m3: Scalar = 1.577
    I1xx: Scalar = 0.0835
    I1yy: Scalar = 0.0304
    I1zz: Scalar = 0.0835
    I2xx: Scalar = 0.0159
    I2yy: Scalar = 0.0405
    I2zz: Scalar = 0.0405
    I3xx: Scalar = 0.0079
    I3yy: Scalar = 0.0202
    I3zz: Scalar = 0.0202
    g: Scalar = 9.807


PAPER = Parameters()


def mass_matrix(q: Sequence[Scalar], p: Parameters = PAPER) -> list[list[Scalar]]:
    """M(q) [kg m^2], (3, 3); equations 64 and 65."""
    c2, s2, c3 = cos(q[1]), sin(q[1]), cos(q[2])
    c23, s23 = cos(q[1] + q[2]), sin(q[1] + q[2])
    reach = p.r2 * c23 + p.l1 * c2
    M11 = (
        p.I3yy * c23 * c23
        + p.I3xx * s23 * s23
        + p.I2xx * s2 * s2
        + p.I1yy
        + (p.m2 * p.r1**2 + p.I2yy) * c2 * c2
        + p.m3 * reach * reach
    )
    M22 = (
        2 * p.l1 * p.m3 * p.r2 * c3 + (p.l1**2 + p.r2**2) * p.m3 + p.m2 * p.r1**2 + p.I3zz + p.I2zz
    )
    M33 = p.m3 * p.r2**2 + p.I3zz
    M23 = p.l1 * p.m3 * p.r2 * c3 + p.m3 * p.r2**2 + p.I3zz
    return [[M11, 0.0, 0.0], [0.0, M22, M23], [0.0, M23, M33]]


def coriolis_matrix(
    q: Sequence[Scalar], v: Sequence[Scalar], p: Parameters = PAPER
) -> list[list[Scalar]]:
    """C(q, v) [kg m^2/s], (3, 3); equation 67."""
    c2, s2, s3 = cos(q[1]), sin(q[1]), sin(q[2])
    c23, s23 = cos(q[1] + q[2]), sin(q[1] + q[2])
    v1, v2, v3 = v
    fold = p.l1 * p.m3 * p.r2 * s3
    turn3 = p.m3 * p.r2**2 + p.I3yy - p.I3xx
    turn2 = p.l1**2 * p.m3 + p.m2 * p.r1**2 - p.I2xx + p.I2yy
    C11 = (
        -(turn3 * (v2 + v3) * s23 + p.m3 * p.r2 * p.l1 * (2 * v2 + v3) * s2) * c23
        - turn2 * c2 * s2 * v2
        - fold * (v2 + v3)
    )
    C21 = ((turn3 * s23 + 2 * p.l1 * s2 * p.m3 * p.r2) * c23 + turn2 * c2 * s2 + fold) * v1
    C31 = ((turn3 * s23 + p.l1 * s2 * p.m3 * p.r2) * c23 + fold) * v1
    return [
        [C11, -C21, -C31],
        [C21, -fold * v3, -fold * (v2 + v3)],
        [C31, fold * v2, 0.0],
    ]


def gravity_torque(q: Sequence[Scalar], p: Parameters = PAPER) -> list[Scalar]:
    """g(q) [N m], (3,); equation 69."""
    c2, c23 = cos(q[1]), cos(q[1] + q[2])
    distal = -p.m3 * p.r2 * p.g * c23
    return [0.0, -(p.l1 * p.m3 + p.m2 * p.r1) * p.g * c2 + distal, distal]


def potential_energy(q: Sequence[Scalar], p: Parameters = PAPER) -> Scalar:
    """P(q) [J]; equation 68."""
    s2, s23 = sin(q[1]), sin(q[1] + q[2])
    constant = p.l0 * p.m2 + p.l0 * p.m3 + p.m1 * p.r0
    return p.g * (constant - (p.l1 * p.m3 + p.m2 * p.r1) * s2 - p.m3 * p.r2 * s23)
