"""What the commanded joints do to a link: its Jacobian, and the inertia felt there.

The program of a frame is compiled when it is first asked for, in the thread of the services:
joint states are answered by another one meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from robot_dynamics_interfaces.srv import GetJacobian, GetTaskSpaceInertia
from robot_dynamics_ros.core.task.twist_rows import ALL_ROWS

from ..messages.arrays import matrix_message
from ..robot.commanded_robot import CommandedRobot
from ..robot.requested_state import RequestedState
from .answering import Service

DEFAULT_AXES = 'LOCAL_WORLD_ALIGNED'


class Frames:
    """Answers `~/get_jacobian` and `~/get_task_space_inertia`."""

    def __init__(self, commanded: Callable[[], CommandedRobot], state: RequestedState) -> None:
        """See `Services`."""
        self._commanded = commanded
        self._state = state

    def services(self) -> tuple[Service, ...]:
        """What is answered."""
        return (
            (GetJacobian, '~/get_jacobian', self._jacobian),
            (GetTaskSpaceInertia, '~/get_task_space_inertia', self._task_space_inertia),
        )

    def _jacobian(self, request: Any, response: Any) -> None:
        commanded = self._commanded()
        q, _ = self._state.read(commanded, request.state)
        axes = request.axes or DEFAULT_AXES
        jacobian = commanded.robot.dynamics.jacobian(q, request.frame, axes)
        response.joint_names = list(commanded.joints)
        response.jacobian = matrix_message(jacobian[:, commanded.feedforward.indices])

    def _task_space_inertia(self, request: Any, response: Any) -> None:
        commanded = self._commanded()
        q, _ = self._state.read(commanded, request.state)
        task = commanded.robot.dynamics.task_inertia(
            q,
            request.frame,
            request.axes or DEFAULT_AXES,
            list(request.rows) or ALL_ROWS,
            commanded.joints,
        )
        response.joint_names = list(commanded.joints)
        response.rows = list(task.rows)
        response.inertia = matrix_message(task.inertia)
        response.singular = task.singular
        response.message = '; '.join(task.remarks())
