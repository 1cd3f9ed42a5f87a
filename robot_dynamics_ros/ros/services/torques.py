"""`~/get_gravity`, `~/inverse_dynamics` and `~/forward_dynamics` of the commanded joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

from ..joint_states import in_order_of
from ..messages import doubles
from ..robot.commanded_robot import CommandedRobot
from ..robot.requested_state import RequestedState
from ..robot.robot_holder import RobotHolder


@dataclass(frozen=True)
class TorqueServices:
    """Answers by the configured robot, at the requested state."""

    holder: RobotHolder
    state: RequestedState

    def get_gravity(self, request: Any, response: Any) -> None:
        """Fill in g(q) (k,)."""
        robot = self.holder.require()
        q, _ = self.state.read(robot, request.state)
        effort = robot.dynamics.gravity_torque(q)
        response.joint_names = list(robot.joints)
        response.effort = doubles(effort[robot.feedforward.indices])

    def inverse_dynamics(self, request: Any, response: Any) -> None:
        """Fill in M(q) a + C(q, v) v + g(q) (k,); joints that are not commanded do not move."""
        robot = self.holder.require()
        q, v = self.state.read(robot, request.state, needs_velocity=True)
        a, indices = np.zeros_like(q), robot.feedforward.indices
        if request.acceleration:
            a[indices] = _in_order(robot, request, request.acceleration, 'acceleration')
        effort = robot.dynamics.inverse_dynamics(q, v, a)
        response.joint_names = list(robot.joints)
        response.effort = doubles(effort[indices])

    def forward_dynamics(self, request: Any, response: Any) -> None:
        """Fill in the acceleration (k,) that the efforts give; other joints do not move."""
        robot = self.holder.require()
        q, v = self.state.read(robot, request.state, needs_velocity=True)
        if not request.effort:
            raise StateError(
                f'effort is empty: one value is needed for each of {", ".join(robot.joints)} '
                '(state.effort is not used)'
            )
        effort = _in_order(robot, request, request.effort, 'effort')
        acceleration = robot.dynamics.forward_dynamics_holding(
            robot.joints,
            q,
            v[robot.feedforward.indices],
            effort,
        )
        response.joint_names = list(robot.joints)
        response.acceleration = doubles(acceleration)


def _in_order(robot: CommandedRobot, request: Any, values: Sequence[float], field: str) -> Array:
    """(k,) of the commanded joints, from values in the order of the state, or of these joints."""
    names = list(request.state.name) or list(robot.joints)
    return in_order_of(robot.joints, names, values, field)
