"""An arm whose drives measure their torque, and the observer that feels what touches it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.control.external.momentum_observer import ExternalForceObserver
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.friction import JointFriction
from robot_dynamics_ros.simulation.mujoco_model import Wall
from robot_dynamics_ros.simulation.physics import JointServo, Physics

Array = NDArray[np.float64]

PERIOD = 0.001  # [s] of the joint states
SERVO = 5.0  # [Hz], bandwidth
MAX_STEP = 0.001  # [s], one step of RK4 in each period


@dataclass(frozen=True)
class Noise:
    """What the observer does not know.

    Attributes:
        effort: standard deviation of a measured effort, as a share of the effort limit [-].
        velocity: standard deviation of a measured velocity [rad/s or m/s].
        friction: standard deviation of the friction, as a share of it [-].
        memory: time over which the friction changes [s].
    """

    effort: float = 0.003
    velocity: float = 0.001
    friction: float = 0.05
    memory: float = 0.5


QUIET = Noise(0.0, 0.0, 0.0)


def with_friction(urdf: str, share: float) -> str:
    """The URDF with friction in each joint, as a share of its effort limit.

    Args:
        urdf: text of the URDF; each joint has a limit, and after it its dynamics.
        share: both of the Coulomb friction, and of the viscous friction at 1 rad/s [-].
    """

    def dynamics(match: re.Match[str]) -> str:
        torque = share * float(match['effort'])
        return f'{match["before"]}<dynamics damping="{torque}" friction="{torque}"/>'

    pattern = r'(?P<before><limit[^>]*effort="(?P<effort>[^"]*)"[^>]*/>\s*)<dynamics[^>]*/>'
    return re.sub(pattern, dynamics, urdf)


class FeltArm:
    """A simulated arm under servo and feedforward, and the observer of its joint states.

    Attributes:
        physics: the arm.
        dynamics: of the model that observer and feedforward have.
        friction: likewise.
        observer: of the external torques.
        v: (n,) measured velocity [rad/s or m/s].
        effort: (n,) measured [N m or N].
        r: (n,) external torque that the observer feels [N m or N].
    """

    def __init__(
        self,
        urdf: str,
        noise: Noise = QUIET,
        *,
        bandwidth: float = 10.0,
        wall: Wall | None = None,
        seed: int = 0,
        dynamics: RobotDynamics | None = None,
    ) -> None:
        """Build arm and observer.

        Args:
            urdf: text of the URDF.
            noise: of the drives.
            bandwidth: of the observer [Hz].
            wall: that a link can touch; None for none.
            seed: of the noise.
            dynamics: of the same robot, compiled already; None to compile it.
        """
        self.physics = Physics(urdf, max_step=MAX_STEP, wall=wall)
        model = parse_urdf(urdf)
        self.dynamics = dynamics or RobotDynamics(model)
        self.friction = JointFriction(model)
        self.observer = ExternalForceObserver(
            self.dynamics, bandwidth, friction=self.friction, held=True
        )
        self._noise = noise
        self._random = np.random.default_rng(seed)
        self._limits = self.dynamics.model.effort_bounds
        self._wander = np.zeros(self.dynamics.model.size)

    def start(self, q: Array) -> None:
        """Put the arm at rest at a position, and the observer at its begin."""
        self.physics.reset(q)
        self._servo = JointServo.tuned(self.physics.inertia(), SERVO)
        self.observer.reset()
        self.v, self.effort, self.r = np.zeros((3, len(q)))

    def feedforward(self, reference: Array) -> Array:
        """Torques (N, n) of a reference (N, 3, n), positions, velocities and accelerations."""
        q, v, a = reference.transpose(1, 0, 2)
        return self.dynamics.inverse_dynamics(q, v, a) + self.friction.torque(v)

    def step(self, q: Array, v: Array, torque: Array) -> None:
        """One period under feedforward torque (n,), with the servo at a reference (n,)."""
        physics, noise = self.physics, self._noise
        command = torque + self._servo.torque(physics.position, physics.velocity, q, v)
        lost = self._friction_noise(physics.velocity) if noise.friction else 0.0
        physics.set_torque(command - lost)
        physics.advance(PERIOD)
        error, effort = self._random.standard_normal((2, len(q)))
        self.v = physics.velocity + noise.velocity * error
        self.effort = physics.effort + lost + noise.effort * self._limits * effort
        self.r = self.observer.step(physics.position.copy(), self.v, self.effort, physics.time)

    def _friction_noise(self, v: Array) -> Array:
        """Friction (n,) beyond that of the model: a share that wanders about zero."""
        keep = math.exp(-PERIOD / self._noise.memory)
        step = math.sqrt(1.0 - keep**2) * self._random.standard_normal(len(v))
        self._wander = keep * self._wander + step
        return self._noise.friction * self._wander * self.friction.torque(v)
