"""The algorithms evaluated on plain floats: slow, with no program and no compiler in between."""

from __future__ import annotations

from typing import Any

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.algorithms import coriolis, crba, rnea


class FloatDynamics:
    """The methods of `RobotDynamics`."""

    def __init__(self, model: RobotModel, gravity: Any = (0.0, 0.0, -9.81)) -> None:
        self.model = model
        self.gravity = np.array(gravity, dtype=float)

    def inverse_dynamics(self, q: Any, v: Any, a: Any) -> Any:
        return np.array(rnea.inverse_dynamics(self.model, *_lists(q, v, a, self.gravity)))

    def gravity_torque(self, q: Any) -> Any:
        return np.array(rnea.gravity_torque(self.model, *_lists(q, self.gravity)))

    def bias_torque(self, q: Any, v: Any) -> Any:
        return np.array(rnea.bias_torque(self.model, *_lists(q, v, self.gravity)))

    def torque_terms(self, q: Any, v: Any, a: Any) -> Any:
        return np.array(rnea.torque_terms(self.model, *_lists(q, v, a, self.gravity)))

    def mass_matrix(self, q: Any) -> Any:
        return np.array(crba.mass_matrix(self.model, *_lists(q)))

    def coriolis_matrix(self, q: Any, v: Any) -> Any:
        return np.array(coriolis.coriolis_matrix(self.model, *_lists(q, v)))


def _lists(*vectors: Any) -> list[list[float]]:
    return [np.asarray(vector, dtype=float).tolist() for vector in vectors]
