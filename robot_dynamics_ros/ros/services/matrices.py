"""`~/get_mass_matrix` and `~/get_coriolis_matrix`: M(q) and C(q, v) of the commanded joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..messages import matrix_message
from ..robot.requested_state import RequestedState
from ..robot.robot_holder import RobotHolder


@dataclass(frozen=True)
class MatrixServices:
    """Answers by the configured robot, at the requested state."""

    holder: RobotHolder
    state: RequestedState

    def get_mass_matrix(self, request: Any, response: Any) -> None:
        """Fill in M(q) (k, k)."""
        robot = self.holder.require()
        q, _ = self.state.read(robot, request.state)
        indices = robot.feedforward.indices
        matrix = robot.dynamics.mass_matrix(q)[np.ix_(indices, indices)]
        response.joint_names = list(robot.joints)
        response.mass_matrix = matrix_message(matrix)

    def get_coriolis_matrix(self, request: Any, response: Any) -> None:
        """Fill in C(q, v) (k, k)."""
        robot = self.holder.require()
        q, v = self.state.read(robot, request.state, needs_velocity=True)
        indices = robot.feedforward.indices
        matrix = robot.dynamics.coriolis_matrix(q, v)[np.ix_(indices, indices)]
        response.joint_names = list(robot.joints)
        response.coriolis_matrix = matrix_message(matrix)
