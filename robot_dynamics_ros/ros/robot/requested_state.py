"""The state that a request asks about: its own, or the latest."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from sensor_msgs.msg import JointState

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

from ..messages.joint_state_reader import JointStateReader
from .commanded_robot import CommandedRobot


class RequestedState:
    """Reads states of requests, and the latest one of the controller."""

    def __init__(self, lock: AbstractContextManager[Any]) -> None:
        """Take the lock that is held while the latest state is read."""
        self._lock = lock

    def read(
        self, commanded: CommandedRobot, message: JointState, *, needs_velocity: bool = False
    ) -> tuple[Array, Array]:
        """q and v (n,) of the message, or the latest; what is not commanded rests.

        Raises:
            StateError: the message is neither empty nor a state, or there is none yet.
        """
        if is_given(message):
            reader = JointStateReader(commanded.robot.dynamics.model.joint_names)
            reader.read(message)
            q, measured, has_velocity = reader.q, reader.v, reader.has_velocity
        else:
            q, measured, has_velocity = self.latest(commanded)
        if needs_velocity and not has_velocity:
            raise StateError('velocity is empty, but it is needed')
        v = np.zeros_like(measured)
        v[commanded.feedforward.indices] = measured[commanded.feedforward.indices]
        return q, v

    def latest(self, commanded: CommandedRobot) -> tuple[Array, Array, bool]:
        """q and v (n,) of the latest joint state, and whether it gave velocities.

        Raises:
            StateError: there is none that can be used.
        """
        with self._lock:
            if not commanded.has_state:
                raise StateError(
                    'no joints are named, and there is no usable joint_states: none has come '
                    'yet, or the last one was refused'
                )
            state = commanded.state
            return state.q.copy(), state.v.copy(), state.has_velocity


def is_given(message: JointState) -> bool:
    """Whether a request holds a state; else it asks for the latest one.

    Raises:
        StateError: it holds values without names, or names without positions.
    """
    fields = [
        field for field in ('position', 'velocity', 'effort') if len(getattr(message, field))
    ]
    if not message.name and fields:
        raise StateError(
            f'state gives {" and ".join(fields)} but no names: name the joints, or leave state '
            'empty for the latest one on joint_states'
        )
    if message.name and not len(message.position):
        raise StateError(f'state names {len(message.name)} joints but gives no position')
    return bool(message.name)
