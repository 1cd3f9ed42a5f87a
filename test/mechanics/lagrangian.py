"""One state of every robot, with rotors and dM/dq: slow for many joints, so computed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

from mechanics.examples import MOVING_EXAMPLES
from mechanics.float_dynamics import FloatDynamics
from mechanics.laws import GRAVITY
from mechanics.random_trees import COUNT, random_robot
from mechanics.robots import HAND_WRITTEN, Robot
from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.textbook import christoffel

ROBOTS = HAND_WRITTEN + MOVING_EXAMPLES + [random_robot(i) for i in range(0, COUNT, 10)]
on_every_robot = pytest.mark.parametrize('robot', ROBOTS, ids=str)


@dataclass(frozen=True, eq=False)
class Sample:
    """A robot in motion, and what the production algorithms make of it."""

    model: RobotModel
    q: list[float]
    v: list[float]
    a: list[float]
    production: FloatDynamics
    slopes: Any
    M: Any
    C: Any

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
    random = np.random.default_rng(11)
    rotors = {joint.name: float(random.uniform(0.01, 0.5)) for joint in robot.model.joints}
    model = robot.model.with_armature(rotors)
    production = FloatDynamics(model, GRAVITY)
    return Sample(
        model,
        q,
        v,
        a,
        production,
        christoffel.mass_matrix_slopes(model, q),
        production.mass_matrix(q),
        production.coriolis_matrix(q, v),
    )
