"""The last joint state that the state guard accepted."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.core.model.robot import RobotModel

from ..acceleration import AccelerationEstimate
from .settings import GuardSettings
from .state_guard import StateGuard


class AcceptedState:
    """Keeps the last good state of a robot, for commands with and without a new state.

    Attributes:
        q: (n,) positions [rad or m].
        v: (n,) velocities [rad/s or m/s]; zero if they were not measured.
        has_velocity: whether they were measured.
        time: when it came [s], on a monotonic clock; -inf before the first one. A state that
            repeats the stamp of the one before does not change it.
        acceleration: estimate from the measured velocities.
    """

    def __init__(self, model: RobotModel, settings: GuardSettings) -> None:
        """Without a state yet.

        Args:
            model: of the robot.
            settings: of the guards.
        """
        self.q, self.v = np.zeros((2, model.size))
        self.has_velocity = False
        self.time = -math.inf
        self.acceleration = AccelerationEstimate(model.size, settings.acceleration_cutoff)
        self._guard = StateGuard(model, settings.jump_tolerance)
        # Whether a state was refused since the last good one.
        self._refused = False
        self._previous_q, self._previous_time = self.q.copy(), self.time

    def apply(self, settings: GuardSettings) -> None:
        """Use other settings from the next state on."""
        self._guard.jump_tolerance = settings.jump_tolerance
        self.acceleration.cutoff = settings.acceleration_cutoff

    def continue_from(self, other: AcceptedState) -> None:
        """Take over the state of another robot with the same joints."""
        self.q[:], self.v[:] = other.q, other.v
        self.has_velocity, self.time = other.has_velocity, other.time
        self._refused = other._refused
        self._guard.continue_from(other._guard)

    def reset_stamps(self) -> None:
        """Compare the next stamp and position with none: the clock has been set."""
        self._guard.reset()
        self.acceleration.reset()

    def update(self, stamp: float, q: Array, v: Array | None, now: float) -> bool:
        """Take a state.

        Args:
            stamp: of the state [s], on any clock.
            q: (n,) positions [rad or m].
            v: (n,) velocities [rad/s or m/s]; None if they were not measured.
            now: [s], on a monotonic clock.

        Returns:
            Whether the robot moved by more than `jump_tolerance` while states were refused.

        Raises:
            StateError: the state guard refuses it; the last good state stays.
        """
        try:
            newer = self._guard.check(stamp, q, v)
        except StateError:
            self.acceleration.reset()
            self._refused = True
            raise
        step = float(np.abs(q - self.q).max())
        moved = self._refused and step > self._guard.jump_tolerance
        self._refused = False
        self._previous_q[:], self._previous_time = self.q, self.time
        self.q[:] = q
        self.has_velocity = v is not None
        self.v[:] = 0.0 if v is None else v
        if self.acceleration.cutoff and v is not None:
            self.acceleration.update(stamp, v)
        if newer:
            self.time = now
        return moved

    def withdraw(self) -> None:
        """Undo the last update: no torque can be computed from that state."""
        self.q[:], self.time = self._previous_q, self._previous_time
        self.acceleration.reset()
