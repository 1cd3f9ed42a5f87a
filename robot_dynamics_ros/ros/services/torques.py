"""Torques of the commanded joints, and the accelerations that torques give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from robot_dynamics_interfaces.srv import ForwardDynamics, GetGravity, InverseDynamics
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.core.held_joints import forward_dynamics_holding

from ..controller import Controller
from ..joint_state_reader import JointStateReader
from ..messages import doubles
from ..requested_state import RequestedState
from .answering import Service


class Torques:
    """Answers `~/get_gravity`, `~/inverse_dynamics` and `~/forward_dynamics`."""

    def __init__(self, controller: Callable[[], Controller], state: RequestedState) -> None:
        """See `Services`."""
        self._controller = controller
        self._state = state

    def services(self) -> tuple[Service, ...]:
        """What is answered."""
        return (
            (GetGravity, '~/get_gravity', self._gravity),
            (InverseDynamics, '~/inverse_dynamics', self._inverse_dynamics),
            (ForwardDynamics, '~/forward_dynamics', self._forward_dynamics),
        )

    def _gravity(self, request: Any, response: Any) -> None:
        controller = self._controller()
        q, _ = self._state.read(controller, request.state)
        effort = controller.robot.dynamics.gravity_torque(q)
        response.joint_names = list(controller.joints)
        response.effort = doubles(effort[controller.feedforward.indices])

    def _inverse_dynamics(self, request: Any, response: Any) -> None:
        controller = self._controller()
        q, v = self._state.read(controller, request.state, needs_velocity=True)
        a, indices = np.zeros_like(q), controller.feedforward.indices
        if request.acceleration:
            a[indices] = _in_order(controller, request, request.acceleration, 'acceleration')
        effort = controller.robot.dynamics.inverse_dynamics(q, v, a)
        response.joint_names = list(controller.joints)
        response.effort = doubles(effort[indices])

    def _forward_dynamics(self, request: Any, response: Any) -> None:
        controller = self._controller()
        q, v = self._state.read(controller, request.state, needs_velocity=True)
        if not request.effort:
            raise StateError(
                f'effort is empty, one of every joint is needed: {", ".join(controller.joints)} '
                '(state.effort is not used)'
            )
        effort = _in_order(controller, request, request.effort, 'effort')
        acceleration = forward_dynamics_holding(
            controller.robot.dynamics,
            controller.joints,
            q,
            v[controller.feedforward.indices],
            effort,
        )
        response.joint_names = list(controller.joints)
        response.acceleration = doubles(acceleration)


def _in_order(controller: Controller, request: Any, values: Sequence[float], field: str) -> Array:
    """(k,) of the commanded joints, from values in the order of the state, or of these joints."""
    names = list(request.state.name) or list(controller.joints)
    return JointStateReader(controller.joints).reorder(names, values, field)
