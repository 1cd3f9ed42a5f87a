"""`~/cross_check`: the comparison with Pinocchio, at a state or at random states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from rclpy.node import Node

from robot_dynamics_ros.core.errors import OracleUnavailable, ParameterError
from robot_dynamics_ros.core.model.sampling import State, random_states

from ..robot.compilation import CHECKED_STATES, TOLERANCE
from ..robot.requested_state import RequestedState, is_given
from ..robot.robot_holder import RobotHolder

# What a request may ask for: a state takes about 0.3 ms, and other services wait meanwhile.
MOST_STATES = 1000


@dataclass(frozen=True)
class CrossCheckService:
    """Answers by the configured robot; a disagreement is logged, and torque goes on."""

    node: Node
    holder: RobotHolder
    state: RequestedState

    def cross_check(self, request: Any, response: Any) -> None:
        """Fill in the largest error of each quantity; fails where one exceeds the tolerance."""
        robot = self.holder.require()
        pinocchio = robot.compiled.pinocchio
        if pinocchio is None:
            raise OracleUnavailable(
                'parameter cross_check is false: set it to true and configure again'
            )
        model = robot.dynamics.model
        if is_given(request.state):
            q, v = self.state.read(robot, request.state)
            states = [State(q, v, np.zeros(model.size))]
        else:
            samples = request.samples or CHECKED_STATES
            if samples > MOST_STATES:
                raise ParameterError(f'samples is {samples}, it must be at most {MOST_STATES}')
            states = list(random_states(model, samples))
        report = pinocchio.compare(robot.dynamics, states, tolerance=TOLERANCE)
        robot.report = report
        response.joint_names = list(model.joint_names)
        response.quantity = [comparison.quantity for comparison in report.comparisons]
        response.worst_absolute = [c.worst_absolute for c in report.comparisons]
        response.worst_relative = [c.worst_relative for c in report.comparisons]
        response.tolerance = report.tolerance
        response.message = str(report)
        if not report.agrees:
            self.node.get_logger().error(f'cross_check: {report}')
        report.raise_on_disagreement()
