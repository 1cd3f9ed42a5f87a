"""Torques of the commanded joints, and the accelerations that torques give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from robot_dynamics_interfaces.srv import ForwardDynamics, GetGravity, InverseDynamics
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

from ..messages.arrays import doubles
from ..messages.joint_state_reader import JointStateReader
from ..robot.commanded_robot import CommandedRobot
from ..robot.requested_state import RequestedState
from .answering import Service


class Torques:
    """Answers `~/get_gravity`, `~/inverse_dynamics` and `~/forward_dynamics`."""

    def __init__(self, commanded: Callable[[], CommandedRobot], state: RequestedState) -> None:
        """See `Services`."""
        self._commanded = commanded
        self._state = state

    def services(self) -> tuple[Service, ...]:
        """What is answered."""
        return (
            (GetGravity, '~/get_gravity', self._gravity),
            (InverseDynamics, '~/inverse_dynamics', self._inverse_dynamics),
            (ForwardDynamics, '~/forward_dynamics', self._forward_dynamics),
        )

    def _gravity(self, request: Any, response: Any) -> None:
        commanded = self._commanded()
        q, _ = self._state.read(commanded, request.state)
        effort = commanded.robot.dynamics.gravity_torque(q)
        response.joint_names = list(commanded.joints)
        response.effort = doubles(effort[commanded.feedforward.indices])

    def _inverse_dynamics(self, request: Any, response: Any) -> None:
        commanded = self._commanded()
        q, v = self._state.read(commanded, request.state, needs_velocity=True)
        a, indices = np.zeros_like(q), commanded.feedforward.indices
        if request.acceleration:
            a[indices] = _in_order(commanded, request, request.acceleration, 'acceleration')
        effort = commanded.robot.dynamics.inverse_dynamics(q, v, a)
        response.joint_names = list(commanded.joints)
        response.effort = doubles(effort[indices])

    def _forward_dynamics(self, request: Any, response: Any) -> None:
        commanded = self._commanded()
        q, v = self._state.read(commanded, request.state, needs_velocity=True)
        if not request.effort:
            raise StateError(
                f'effort is empty, one of every joint is needed: {", ".join(commanded.joints)} '
                '(state.effort is not used)'
            )
        effort = _in_order(commanded, request, request.effort, 'effort')
        acceleration = commanded.robot.dynamics.forward_dynamics_holding(
            commanded.joints,
            q,
            v[commanded.feedforward.indices],
            effort,
        )
        response.joint_names = list(commanded.joints)
        response.acceleration = doubles(acceleration)


def _in_order(
    commanded: CommandedRobot, request: Any, values: Sequence[float], field: str
) -> Array:
    """(k,) of the commanded joints, from values in the order of the state, or of these joints."""
    names = list(request.state.name) or list(commanded.joints)
    return JointStateReader(commanded.joints).reorder(names, values, field)
