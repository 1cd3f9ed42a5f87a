"""The torques that a motion needs, with friction, and their derivatives."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core import JointFriction, RobotDynamics
from robot_dynamics_ros.core.checks import Array

# [rad/s or m/s]: of central differences of the friction, well below its smoothing.
STEP = 1e-5


class Effort:
    """The torques of the description: inverse dynamics and friction."""

    def __init__(self, dynamics: RobotDynamics) -> None:
        """Take a robot and the friction of its description."""
        self._dynamics = dynamics
        self._friction = JointFriction(dynamics.model)

    def rigid(self, q: Array, v: Array, a: Array) -> Array:
        """Without friction, (m, n) [N m or N]."""
        return self._dynamics.inverse_dynamics(q, v, a)

    def friction(self, v: Array) -> Array:
        """That overcomes friction, (m, n) [N m or N]."""
        return self._friction.torque(v)

    def total(self, q: Array, v: Array, a: Array) -> Array:
        """With friction, (m, n) [N m or N]."""
        total: Array = self.rigid(q, v, a) + self.friction(v)
        return total

    def slopes(self, q: Array, v: Array, a: Array, weights: Array) -> Array:
        """Derivatives (3, m, n) of the sum of weights (m, n) times torques, by q, v and a."""
        derivatives = self._dynamics.inverse_dynamics_derivatives(q, v, a)
        slopes: Array = np.einsum('mi,mkij->kmj', weights, derivatives)
        # Friction of a joint depends on its own velocity alone.
        change = (self.friction(v + STEP) - self.friction(v - STEP)) / (2.0 * STEP)
        slopes[1] += weights * change
        return slopes
