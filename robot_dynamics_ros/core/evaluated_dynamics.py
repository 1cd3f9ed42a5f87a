"""The algorithms on plain floats: nothing is compiled, so that few states are done at once."""

from __future__ import annotations

from collections.abc import Callable
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
        return self._of(rnea.inverse_dynamics, q, v, a, self.gravity)

    def gravity_torque(self, q: Any) -> Array:
        """g(q), shape (n,) [N m or N]."""
        return self._of(rnea.gravity_torque, q, self.gravity)

    def bias_torque(self, q: Any, v: Any) -> Array:
        """C(q, v) v + g(q), shape (n,) [N m or N]."""
        return self._of(rnea.bias_torque, q, v, self.gravity)

    def torque_terms(self, q: Any, v: Any, a: Any) -> Array:
        """Rows g(q), C(q, v) v and M(q) a, shape (3, n) [N m or N]."""
        return self._of(rnea.torque_terms, q, v, a, self.gravity)

    def mass_matrix(self, q: Any) -> Array:
        """M(q), shape (n, n) [kg m^2, kg m or kg]."""
        return self._of(crba.mass_matrix, q)

    def coriolis_matrix(self, q: Any, v: Any) -> Array:
        """C(q, v), shape (n, n)."""
        return self._of(coriolis.coriolis_matrix, q, v)

    def _of(self, algorithm: Callable[..., Any], *vectors: Any) -> Array:
        lists = [np.asarray(vector, dtype=float).tolist() for vector in vectors]
        result: Array = np.array(algorithm(self.model, *lists), dtype=np.float64)
        return result
