"""The joint state that a service request asks about: its own, or the latest one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from sensor_msgs.msg import JointState

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

from .joint_states import JointStateReader
from .robot import CommandedRobot


class RequestedState:
    """Reads the state of a request, or the latest joint state of the robot."""

    def __init__(self, lock: AbstractContextManager[Any]) -> None:
        """Read the latest state under this lock, as no joint state is answered meanwhile."""
        self._lock = lock

    def read(
        self, robot: CommandedRobot, message: JointState, *, needs_velocity: bool = False
    ) -> tuple[Array, Array]:
        """q and v (n,) of a request; v is zero for joints that are not commanded.

        Args:
            robot: gives the joints, and the latest state.
            message: field `state` of the request; empty for the latest joint state.
            needs_velocity: whether a state without velocities is an error.

        Raises:
            StateError: the message is neither empty nor a valid state, or there is no valid joint
                state yet.
        """
        if is_given(message):
            locked = robot.reader.locked
            reader = JointStateReader(robot.dynamics.model.joint_names, locked=locked)
            reader.read_all(message)
            q, measured, has_velocity = reader.q, reader.v, reader.has_velocity
        else:
            (q, measured), has_velocity = self.latest(robot), True
        if needs_velocity and not has_velocity:
            raise StateError('velocity is empty: one value for each named joint is needed')
        v = np.zeros_like(measured)
        v[robot.feedforward.indices] = measured[robot.feedforward.indices]
        return q, v

    def questioned(
        self, require: Callable[[], CommandedRobot], answer: Callable[[Any, Any], None]
    ) -> Callable[[Any, Any], None]:
        """An answer whose message asks for the unit of a state far outside the position limits.

        Args:
            require: gives the robot.
            answer: fills a response from a request with a field `state`.
        """

        def answer_and_ask(request: Any, response: Any) -> None:
            answer(request, response)
            if is_given(request.state):
                robot = require()
                q, _ = self.read(robot, request.state)
                remarks = (response.message, robot.limits.question(q))
                response.message = '; '.join(filter(None, remarks))

        return answer_and_ask

    def latest(self, robot: CommandedRobot) -> tuple[Array, Array]:
        """q and v (n,) of the latest joint state.

        Raises:
            StateError: there is no valid one.
        """
        with self._lock:
            if not robot.has_state:
                reason = never_measured(robot) or (
                    'none has been received yet, or the last one was rejected'
                )
                raise StateError(
                    'state names no joints, and there is no valid joint state on joint_states: '
                    f'{reason}'
                )
            state = robot.guard.state
            return state.q.copy(), state.v.copy()


def is_given(message: JointState) -> bool:
    """Whether a request holds a state of its own; else it asks about the latest joint state.

    Raises:
        StateError: it holds values without names, or names without positions.
    """
    fields = [
        field for field in ('position', 'velocity', 'effort') if len(getattr(message, field))
    ]
    if not message.name and fields:
        raise StateError(
            f'state has {" and ".join(fields)} but no name: name the joints, or leave state '
            'empty for the latest joint state'
        )
    if message.name and not len(message.position):
        raise StateError(
            f'state names {len(message.name)} joints but has no position: one for each is needed'
        )
    return bool(message.name)


def never_measured(robot: CommandedRobot) -> str:
    """The joints that no state has contained, and what to do; services answer with it too.

    Args:
        robot: whose joints they are.

    Returns:
        Empty if there are none, or if no state has come.
    """
    state, model = robot.guard.state, robot.dynamics.model
    names = np.array(model.joint_names)
    missing = np.isinf(state.times)
    if not missing.any() or missing.all():
        return ''
    text = f'never in joint_states: {", ".join(names[missing])}'
    missing[robot.feedforward.indices] = False
    if not missing.any():
        return f'{text}: commanded joints (parameter joints) must be measured'
    entries = []
    for index in np.flatnonzero(missing):
        limits = model.independent_joints[index].limits
        bounded = limits.lower < limits.upper
        position = min(max(0.0, limits.lower), limits.upper) if bounded else 0.0
        entries.append(f'{names[index]}: {position:g}')
    return (
        f'{text}: start what publishes its position, or set parameter locked_joints: '
        f'{{{", ".join(entries)}}} (with the position where it stands)'
    )
