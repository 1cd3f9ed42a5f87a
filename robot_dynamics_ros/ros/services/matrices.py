"""M(q) and C(q, v) of the commanded joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from robot_dynamics_interfaces.srv import GetCoriolisMatrix, GetMassMatrix

from ..controller import Controller
from ..messages import matrix_message
from ..requested_state import RequestedState
from .answering import Service


class Matrices:
    """Answers `~/get_mass_matrix` and `~/get_coriolis_matrix`."""

    def __init__(self, controller: Callable[[], Controller], state: RequestedState) -> None:
        """See `Services`."""
        self._controller = controller
        self._state = state

    def services(self) -> tuple[Service, ...]:
        """What is answered."""
        return (
            (GetMassMatrix, '~/get_mass_matrix', self._mass_matrix),
            (GetCoriolisMatrix, '~/get_coriolis_matrix', self._coriolis_matrix),
        )

    def _mass_matrix(self, request: Any, response: Any) -> None:
        controller = self._controller()
        q, _ = self._state.read(controller, request.state)
        indices = controller.feedforward.indices
        matrix = controller.robot.dynamics.mass_matrix(q)[np.ix_(indices, indices)]
        response.joint_names = list(controller.joints)
        response.mass_matrix = matrix_message(matrix)

    def _coriolis_matrix(self, request: Any, response: Any) -> None:
        controller = self._controller()
        q, v = self._state.read(controller, request.state, needs_velocity=True)
        indices = controller.feedforward.indices
        matrix = controller.robot.dynamics.coriolis_matrix(q, v)[np.ix_(indices, indices)]
        response.joint_names = list(controller.joints)
        response.coriolis_matrix = matrix_message(matrix)
