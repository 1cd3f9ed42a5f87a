"""The comparison with Pinocchio, now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from robot_dynamics_interfaces.srv import CrossCheck
from robot_dynamics_ros.core.errors import OracleUnavailable
from robot_dynamics_ros.core.model.sampling import State, random_states

from ..parameters.node_parameters import check_sample_count
from ..robot.commanded_robot import CommandedRobot
from ..robot.requested_state import RequestedState, is_given
from .answering import Service

DEFAULT_SAMPLES = 100


class CrossCheckService:
    """Answers `~/cross_check`."""

    def __init__(
        self,
        commanded: Callable[[], CommandedRobot],
        state: RequestedState,
        tolerance: Callable[[], float],
    ) -> None:
        """See `Services`."""
        self._commanded = commanded
        self._state = state
        self._tolerance = tolerance

    def services(self) -> tuple[Service, ...]:
        """What is answered."""
        return ((CrossCheck, '~/cross_check', self._cross_check),)

    def _cross_check(self, request: Any, response: Any) -> None:
        commanded = self._commanded()
        robot = commanded.robot
        if robot.oracle is None:
            raise OracleUnavailable('parameter cross_check is false: Pinocchio was not asked')
        model = robot.dynamics.model
        if is_given(request.state):
            q, v = self._state.read(commanded, request.state)
            states = [State(q, v, np.zeros(model.size))]
        else:
            samples = request.samples or DEFAULT_SAMPLES
            check_sample_count('samples', samples)
            states = list(random_states(model, samples))
        report = robot.oracle.compare(robot.dynamics, states, tolerance=self._tolerance())
        response.joint_names = list(model.joint_names)
        response.quantity = [comparison.quantity for comparison in report.comparisons]
        response.worst_absolute = [c.worst_absolute for c in report.comparisons]
        response.worst_relative = [c.worst_relative for c in report.comparisons]
        response.tolerance = report.tolerance
        response.message = str(report)
        report.raise_on_disagreement()
