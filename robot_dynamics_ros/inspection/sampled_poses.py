"""Poses of a robot, drawn within its limits, and what holds at each: the algorithms on arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from robot_dynamics_ros.core.algorithms import kinematics, rnea
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.sampling import random_positions
from robot_dynamics_ros.core.scalar import Scalar, cos, sin

# An array of angles is a scalar too: one value for each pose.
sin.register(np.ndarray, np.sin)
cos.register(np.ndarray, np.cos)

POSES = 1000


@dataclass(frozen=True)
class SampledPoses:
    """Poses of a robot under the standard gravity; the first one is zero.

    Attributes:
        model: the robot.
        q: (N, n) positions [rad or m].
    """

    model: RobotModel
    q: Array

    @classmethod
    def of(cls, model: RobotModel, count: int = POSES) -> SampledPoses:
        """Zero, and that many poses within the position limits, the same each time."""
        return cls(model, np.vstack([np.zeros(model.size), random_positions(model, count)]))

    @cached_property
    def gravity_torque(self) -> Array:
        """g(q), shape (N, n) [N m or N]; equivalent to `gravity_torque` of each pose."""
        return self._stacked(rnea.gravity_torque(self.model, self._columns, STANDARD_GRAVITY))

    def jacobian(self, frame: str) -> Array:
        """J(q) of a link in the axes of the base, [linear; angular], shape (N, 6, n).

        Raises:
            UnknownNameError: no link has that name.
        """
        placed = self.model.frame(frame)
        rows = kinematics.jacobian(self.model, self._columns, placed, 'LOCAL_WORLD_ALIGNED')
        return np.stack([self._stacked(row) for row in rows], axis=1)

    @property
    def _columns(self) -> list[Scalar]:
        """q as scalars: for each joint, its position at every pose."""
        return list(self.q.T.copy())

    def _stacked(self, entries: list[Scalar]) -> Array:
        """Entries (n) that each hold for all poses, or have one value for each: (N, n)."""
        count = len(self.q)
        columns = [np.broadcast_to(np.asarray(entry, float), (count,)) for entry in entries]
        return np.stack(columns, axis=1) if columns else np.zeros((count, 0))
