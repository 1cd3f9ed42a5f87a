"""`~/get_jacobian` and `~/get_task_space_inertia`: a link as the commanded joints move it.

The program of a frame is compiled at its first request, in the thread of the services: joint
states are answered by another thread meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from robot_dynamics_ros.core.task.twist_rows import ALL_ROWS

from ..messages import matrix_message
from ..robot.requested_state import RequestedState
from ..robot.robot_holder import RobotHolder

DEFAULT_AXES = 'LOCAL_WORLD_ALIGNED'


@dataclass(frozen=True)
class FrameServices:
    """Answers by the configured robot, at the requested state."""

    holder: RobotHolder
    state: RequestedState

    def get_jacobian(self, request: Any, response: Any) -> None:
        """Fill in J(q) (6, k) of a link."""
        robot = self.holder.require()
        q, _ = self.state.read(robot, request.state)
        axes = request.axes or DEFAULT_AXES
        jacobian = robot.dynamics.jacobian(q, request.frame, axes)
        response.joint_names = list(robot.joints)
        response.jacobian = matrix_message(jacobian[:, robot.feedforward.indices])

    def get_task_space_inertia(self, request: Any, response: Any) -> None:
        """Fill in (J M^-1 J^T)^-1 (m, m) of a link, for m rows of its twist."""
        robot = self.holder.require()
        q, _ = self.state.read(robot, request.state)
        task = robot.dynamics.task_inertia(
            q,
            request.frame,
            request.axes or DEFAULT_AXES,
            list(request.rows) or ALL_ROWS,
            robot.joints,
        )
        response.joint_names = list(robot.joints)
        response.rows = list(task.rows)
        response.inertia = matrix_message(task.inertia)
        response.singular = task.singular
        response.message = '; '.join(task.remarks())
