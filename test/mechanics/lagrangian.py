"""One state of every robot, with dM/dq: slow for a hundred joints, so computed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from mechanics.float_dynamics import FloatDynamics
from mechanics.laws import GRAVITY
from mechanics.robots import Robot
from robot_dynamics_ros.textbook import christoffel


@dataclass(frozen=True, eq=False)
class Sample:
    """A robot in motion, and what the production algorithms make of it."""

    robot: Robot
    q: list[float]
    v: list[float]
    a: list[float]
    production: FloatDynamics
    slopes: Any
    M: Any
    C: Any

    @property
    def model(self) -> Any:
        return self.robot.model

    @property
    def coriolis_scale(self) -> float:
        """Entries of C may all be zero; those of M times v are not."""
        return float(np.abs(self.M).max() * np.abs(self.v).max())

    @property
    def torque_scale(self) -> float:
        return self.coriolis_scale * float(np.abs(self.v).max())


@cache
def sample(robot: Robot) -> Sample:
    state = next(robot.states(1))
    q, v, a = (x.tolist() for x in state[:3])
    production = FloatDynamics(robot.model, GRAVITY)
    return Sample(
        robot,
        q,
        v,
        a,
        production,
        christoffel.mass_matrix_slopes(robot.model, q),
        production.mass_matrix(q),
        production.coriolis_matrix(q, v),
    )
