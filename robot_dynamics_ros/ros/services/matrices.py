"""M(q) and C(q, v) of the commanded joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from robot_dynamics_interfaces.srv import GetCoriolisMatrix, GetMassMatrix

from ..messages.arrays import matrix_message
from ..robot.commanded_robot import CommandedRobot
from ..robot.requested_state import RequestedState
from .answering import Service


class Matrices:
    """Answers `~/get_mass_matrix` and `~/get_coriolis_matrix`."""

    def __init__(self, commanded: Callable[[], CommandedRobot], state: RequestedState) -> None:
        """See `Services`."""
        self._commanded = commanded
        self._state = state

    def services(self) -> tuple[Service, ...]:
        """What is answered."""
        return (
            (GetMassMatrix, '~/get_mass_matrix', self._mass_matrix),
            (GetCoriolisMatrix, '~/get_coriolis_matrix', self._coriolis_matrix),
        )

    def _mass_matrix(self, request: Any, response: Any) -> None:
        commanded = self._commanded()
        q, _ = self._state.read(commanded, request.state)
        indices = commanded.feedforward.indices
        matrix = commanded.robot.dynamics.mass_matrix(q)[np.ix_(indices, indices)]
        response.joint_names = list(commanded.joints)
        response.mass_matrix = matrix_message(matrix)

    def _coriolis_matrix(self, request: Any, response: Any) -> None:
        commanded = self._commanded()
        q, v = self._state.read(commanded, request.state, needs_velocity=True)
        indices = commanded.feedforward.indices
        matrix = commanded.robot.dynamics.coriolis_matrix(q, v)[np.ix_(indices, indices)]
        response.joint_names = list(commanded.joints)
        response.coriolis_matrix = matrix_message(matrix)
