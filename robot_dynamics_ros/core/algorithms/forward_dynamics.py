"""Forward dynamics by the factors of the mass matrix."""

from __future__ import annotations

from ..model.robot import RobotModel
from ..scalar import Scalar, Scalars
from ..spatial import Vector
from .crba import factorize, solve
from .record import quantity
from .rnea import bias_torque


@quantity('n', unit='rad/s^2 or m/s^2')
def forward_dynamics(
    model: RobotModel, q: Scalars, v: Scalars, tau: Scalars, gravity: Vector
) -> list[Scalar]:
    """The acceleration a that the torques tau give.

    M(q) a = tau - bias(q, v): Walker, Orin, "Efficient dynamic computer simulation of robotic
    mechanisms" (1982), method 3. For arms of six and seven joints and for humanoids, whose
    branches leave zeros in M, these are fewer operations than those of the articulated-body
    algorithm; for one chain of 30 joints twice as many.

    Raises:
        SingularMassMatrixError: M(q) is singular at this q, or at any; the message names the
            joint that moves no mass.
    """
    bias = bias_torque(model, q, v, gravity)
    return solve(factorize(model, q), [have - need for have, need in zip(tau, bias, strict=True)])
