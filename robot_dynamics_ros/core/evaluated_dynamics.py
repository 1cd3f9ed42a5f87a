"""The algorithms on plain floats: nothing is compiled, so that few states are done at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from .algorithms import coriolis, crba, rnea
from .checks import Array
from .model.gravity import STANDARD_GRAVITY
from .model.robot import RobotModel


class EvaluatedDynamics:
    """Quantities of a robot at one state after the other, in the order of `model.joint_names`.

    Equivalent to the methods of `RobotDynamics`, without its checks. For a robot of 100 joints,
    compiling takes 20 s, and each of these about 5 ms.

    Attributes:
        model: the robot.
        gravity: (3,) acceleration of free fall, in the base frame [m/s^2].
    """

    def __init__(self, model: RobotModel, gravity: Any = STANDARD_GRAVITY) -> None:
        self.model = model
        self.gravity: Array = np.array(gravity, dtype=float)

    def inverse_dynamics(self, q: Any, v: Any, a: Any) -> Array:
        """tau = M(q) a + C(q, v) v + g(q), shape (n,) [N m or N]."""
        return _array(rnea.inverse_dynamics(self.model, *_lists(q, v, a, self.gravity)))

    def gravity_torque(self, q: Any) -> Array:
        """g(q), shape (n,) [N m or N]."""
        return _array(rnea.gravity_torque(self.model, *_lists(q, self.gravity)))

    def bias_torque(self, q: Any, v: Any) -> Array:
        """C(q, v) v + g(q), shape (n,) [N m or N]."""
        return _array(rnea.bias_torque(self.model, *_lists(q, v, self.gravity)))

    def torque_terms(self, q: Any, v: Any, a: Any) -> Array:
        """Rows g(q), C(q, v) v and M(q) a, shape (3, n) [N m or N]."""
        return _array(rnea.torque_terms(self.model, *_lists(q, v, a, self.gravity)))

    def mass_matrix(self, q: Any) -> Array:
        """M(q), shape (n, n) [kg m^2, kg m or kg]."""
        return _array(crba.mass_matrix(self.model, *_lists(q)))

    def coriolis_matrix(self, q: Any, v: Any) -> Array:
        """C(q, v), shape (n, n)."""
        return _array(coriolis.coriolis_matrix(self.model, *_lists(q, v)))


def _lists(*vectors: Any) -> list[Any]:
    return [np.asarray(vector, dtype=float).tolist() for vector in vectors]


def _array(entries: Any) -> Array:
    array: Array = np.array(entries, dtype=np.float64)
    return array
