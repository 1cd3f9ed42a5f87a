"""The robot of a configured node: joint states in, command messages out."""

from __future__ import annotations

import time as clock
from collections.abc import Mapping
from typing import Any

import numpy as np
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_ros.control.feedforward import Feedforward
from robot_dynamics_ros.control.guards.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

from ..messages.arrays import doubles
from ..messages.joint_state_reader import JointStateReader
from ..parameters import node_parameters
from .compilation import CompiledRobot
from .cycle_statistics import CycleStatistics

# A joint this far outside its position limits is reported [rad or m]: a wrong offset or a soft
# limit gives less, degrees sent as radians give more.
LIMIT_MARGIN = 0.5

# What each value of parameter on_stale does, in words.
WHILE_STALE = {
    'hold': 'holding gravity compensation',
    'zero': 'commanding zero torque',
    'stop': 'publishing no commands',
}


class CommandedRobot:
    """Answers each joint state with the torque to command.

    Attributes:
        compiled: the compiled and cross-checked robot.
        dynamics: of it.
        feedforward: computes the torque.
        guard: decides whether and how the torque is commanded.
        joints: names of the commanded joints.
        state: the latest joint state.
        has_state: whether `state` holds a valid one.
        statistics: of the cycles.
    """

    def __init__(self, compiled: CompiledRobot, values: Mapping[str, Any]) -> None:
        """Select joints, terms and guards by the parameters.

        Args:
            compiled: the robot.
            values: of the parameters, by name.

        Raises:
            RobotDynamicsError: they do not fit the robot.
        """
        self.compiled, self.dynamics = compiled, compiled.dynamics
        model = self.dynamics.model
        joints = values['joints'] or model.joint_names
        self.feedforward = Feedforward(
            self.dynamics, joints, terms=values['terms'], evaluate_at=values['evaluate_at']
        )
        self.joints = self.feedforward.joints
        self.feedforward.friction = node_parameters.friction(values, model, self.joints)
        self.guard = GuardedFeedforward(self.feedforward, node_parameters.guard_settings(values))
        self.state = JointStateReader(model.joint_names)
        self.has_state = False
        self.statistics = CycleStatistics()
        self._shape = node_parameters.torque_shape(values)
        self._root_link = model.frames[0].name
        self._command = Float64MultiArray(data=self.guard.effort)
        # Shares memory with the message: filling it fills the message.
        self._command_values = np.frombuffer(self._command.data)

    def apply(self, values: Mapping[str, Any]) -> None:
        """Use other values of the live parameters; a change of the torque is faded in.

        Raises:
            RobotDynamicsError: they do not fit the robot, and nothing has changed.
        """
        friction = node_parameters.friction(values, self.dynamics.model, self.joints)
        self.guard.apply(node_parameters.guard_settings(values))
        self.feedforward.select_terms(values['terms'], evaluate_at=values['evaluate_at'])
        self.feedforward.friction = friction
        self.dynamics.gravity = values['gravity']
        self.feedforward.current = False
        shape = node_parameters.torque_shape(values)
        if shape != self._shape:
            self._shape = shape
            self.guard.request_fade()

    def continue_from(self, other: CommandedRobot, fade_time: float | None = None) -> None:
        """Take over from another robot with the same joints.

        Args:
            other: commanded until now; not used any more.
            fade_time: from its torque to the torque of this one [s]; None for parameter fade_time.
        """
        self.guard.continue_from(other.guard, fade_time)
        self.state, self.has_state = other.state, other.has_state
        self.statistics = other.statistics

    def stale_text(self, now: float) -> str:
        """For log and diagnostics: since when states are stale, and what is commanded meanwhile.

        Args:
            now: time of the monotonic clock [s].
        """
        on_stale = self.guard.settings.on_stale
        return (
            f'no valid joint state for {self.guard.age(now):.2g} s: {WHILE_STALE[on_stale]} '
            f'(on_stale={on_stale})'
        )

    def position_and_velocity(self) -> tuple[Array, Array] | None:
        """Copies of q and v (k,) of the commanded joints; None if there is no valid state."""
        indices = self.feedforward.indices
        return (self.state.q[indices], self.state.v[indices]) if self.has_state else None

    def beyond_limits(self) -> str:
        """The joints of the latest state that are far outside their position limits.

        Returns:
            A phrase for diagnostics; empty if there are none. A driver that sends degrees is one
            cause.
        """
        joints = self.dynamics.model.independent_joints
        return ', '.join(
            f'{joint.name} is at {q:.4g}, allowed are {limits.lower:.4g} to {limits.upper:.4g}'
            for joint, limits, q in zip(
                joints, (joint.limits for joint in joints), self.state.q.tolist(), strict=True
            )
            if joint.kind != 'continuous'
            and limits.lower < limits.upper
            and not limits.lower - LIMIT_MARGIN < q < limits.upper + LIMIT_MARGIN
        )

    def answer(self, message: JointState, time: float) -> Float64MultiArray | None:
        """The message for `~/commands` that answers a state, valid until the next call.

        Args:
            message: the state.
            time: at which to evaluate the reference [s], on its clock.

        Returns:
            None where nothing is to be published.

        Raises:
            StateError: the state cannot be used; `has_state` is then false until a valid one.
        """
        self.has_state = False
        state = self.state
        state.read(message)
        now = clock.monotonic()
        stamp = 1e-9 * nanoseconds(message)
        command = self.guard.command_for_state(
            stamp or now,
            state.q,
            state.v if state.has_velocity else None,
            state.effort if state.has_effort else None,
            now=now,
            time=time,
        )
        self.has_state = True
        return self._message(command)

    def command_without_state(self, time: float) -> Float64MultiArray | None:
        """The message for `~/commands` that is due although no valid state has come.

        While states are stale, and while the last command of a stopped robot is being reached.

        Args:
            time: at which to evaluate the reference [s], on its clock.

        Returns:
            None where nothing is to be published.
        """
        return self._message(self.guard.command_without_state(clock.monotonic(), time))

    def _message(self, command: Array | None) -> Float64MultiArray | None:
        if command is None:
            return None
        self._command_values[:] = command
        return self._command

    def torques(self, stamp: Any) -> JointTorques:
        """The message for `~/torques`: the last command and its parts, with this stamp."""
        gravity, coriolis, inertial, friction = self.feedforward.parts
        saturated = np.flatnonzero(self.guard.limiter.saturated)
        torques = JointTorques(
            joint_names=list(self.joints),
            effort=doubles(self.guard.effort),
            gravity=doubles(gravity),
            coriolis=doubles(coriolis),
            inertial=doubles(inertial),
            friction=doubles(friction),
            external=doubles(np.zeros(len(self.joints))),
            saturated=[self.joints[index] for index in saturated],
            # The constants have the names of the modes.
            mode=getattr(JointTorques, f'MODE_{self.guard.mode.name}'),
            fault=self.guard.fault,
        )
        torques.header.stamp = stamp
        torques.header.frame_id = self._root_link
        return torques


def nanoseconds(message: JointState) -> int:
    """The stamp of a state [ns]; 0 for none.

    Raises:
        StateError: it is negative.
    """
    stamp = message.header.stamp
    total = int(stamp.sec) * 10**9 + int(stamp.nanosec)
    if total < 0:
        raise StateError(f'header.stamp is {stamp.sec} s, it must not be negative')
    return total
