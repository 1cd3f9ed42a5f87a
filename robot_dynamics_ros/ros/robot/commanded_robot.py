"""What a configured node works with: joint states in, command messages out."""

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
from .cycle_statistics import CycleStatistics
from .preparation import PreparedRobot

# So far outside its limits no joint comes by a wrong offset or a soft limit [rad or m].
FAR = 0.5


class CommandedRobot:
    """Answers each joint state with the torque to command.

    Attributes:
        robot: the dynamics.
        feedforward: what computes.
        guard: what decides about it.
        joints: names of the commanded joints.
        state: the latest joint state.
        has_state: whether `state` holds a good one.
        statistics: of the cycles.
    """

    def __init__(self, robot: PreparedRobot, values: Mapping[str, Any]) -> None:
        """Choose what to command.

        Args:
            robot: the dynamics.
            values: of the parameters, by name.

        Raises:
            RobotDynamicsError: they do not fit the robot.
        """
        model = robot.dynamics.model
        joints = values['joints'] or model.joint_names
        self.robot = robot
        self.feedforward = Feedforward(
            robot.dynamics, joints, terms=values['terms'], evaluate_at=values['evaluate_at']
        )
        self.joints = self.feedforward.joints
        self.feedforward.friction = node_parameters.friction(values, model, self.joints)
        self.guard = GuardedFeedforward(self.feedforward, node_parameters.guard_settings(values))
        self.state = JointStateReader(model.joint_names)
        self.has_state = False
        self.statistics = CycleStatistics()
        self._shape = node_parameters.torque_shape(values)
        self._root = model.frames[0].name
        self._command = Float64MultiArray(data=self.guard.effort)
        # Shares memory with the message: filling it fills the message.
        self._command_values = np.frombuffer(self._command.data)

    def apply(self, values: Mapping[str, Any]) -> None:
        """Go by other values of the live parameters; what they change is faded in.

        Raises:
            RobotDynamicsError: they do not fit the robot, and nothing has changed.
        """
        friction = node_parameters.friction(values, self.robot.dynamics.model, self.joints)
        self.guard.apply(node_parameters.guard_settings(values))
        self.feedforward.select_terms(values['terms'], evaluate_at=values['evaluate_at'])
        self.feedforward.friction = friction
        self.robot.dynamics.gravity = values['gravity']
        self.feedforward.current = False
        shape = node_parameters.torque_shape(values)
        if shape != self._shape:
            self._shape = shape
            self.guard.request_fade()

    def continue_from(self, other: CommandedRobot, fade_time: float | None = None) -> None:
        """Take over from the controller of another robot with the same joints.

        Args:
            other: which then stops.
            fade_time: in which to go over from its torque to ours [s]; None for the usual.
        """
        self.guard.continue_from(other.guard, fade_time)
        self.state, self.has_state = other.state, other.has_state
        self.statistics = other.statistics

    def position_and_velocity(self) -> tuple[Array, Array] | None:
        """Copies of q and v (k,) of the commanded joints; None if there is no usable state."""
        indices = self.feedforward.indices
        return (self.state.q[indices], self.state.v[indices]) if self.has_state else None

    def beyond_limits(self) -> str:
        """Joints of the latest state far outside their limits, in words: degrees, perhaps."""
        joints = self.robot.dynamics.model.independent_joints
        return ', '.join(
            f'{joint.name} is at {q:.4g}, its limits are {limits.lower:.4g} and {limits.upper:.4g}'
            for joint, limits, q in zip(
                joints, (joint.limits for joint in joints), self.state.q.tolist(), strict=True
            )
            if joint.kind != 'continuous'
            and limits.lower < limits.upper
            and not limits.lower - FAR < q < limits.upper + FAR
        )

    def answer(self, message: JointState, time: float) -> Float64MultiArray | None:
        """The message for `~/commands`, valid until the next call; None for silence.

        Args:
            message: the state.
            time: at which to evaluate the reference [s], on its clock.

        Raises:
            StateError: the state cannot be used; there is then none until the next good one.
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

    def tick(self, time: float) -> Float64MultiArray | None:
        """The message for `~/commands` where no good state has come; None for silence."""
        return self._message(self.guard.command_without_state(clock.monotonic(), time))

    def _message(self, command: Array | None) -> Float64MultiArray | None:
        if command is None:
            return None
        self._command_values[:] = command
        return self._command

    def torques(self, stamp: Any) -> JointTorques:
        """The message for `~/torques` about the last command, with that stamp."""
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
        )
        torques.header.stamp = stamp
        torques.header.frame_id = self._root
        return torques


def nanoseconds(message: JointState) -> int:
    """The stamp of a state [ns]; 0 for none.

    Raises:
        StateError: it is before the beginning of time.
    """
    stamp = message.header.stamp
    total = int(stamp.sec) * 10**9 + int(stamp.nanosec)
    if total < 0:
        raise StateError(f'the stamp is {stamp.sec} s, it must not be negative')
    return total
