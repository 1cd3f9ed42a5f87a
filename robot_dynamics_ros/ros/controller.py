"""What a configured node works with: joint states in, command messages out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.core.feedforward import Feedforward
from robot_dynamics_ros.core.trajectory import Trajectory
from robot_dynamics_ros.preparation import PreparedRobot

from .joint_state_reader import JointStateReader
from .messages import doubles


class Controller:
    """Answers each joint state with the torque to command, by `Feedforward`.

    Attributes:
        robot: the dynamics.
        feedforward: what computes.
        joints: names of the commanded joints.
        state: the latest joint state.
        has_state: whether `state` holds a good one.
        reference: the motion to follow, in seconds on the caller's clock; None for none.
    """

    def __init__(
        self,
        robot: PreparedRobot,
        joints: Sequence[str],
        *,
        terms: Sequence[str],
        evaluate_at: str,
    ) -> None:
        """Choose what to command; see `Feedforward` for arguments and errors."""
        self.robot = robot
        self.feedforward = Feedforward(robot.dynamics, joints)
        self.joints = self.feedforward.joints
        self.state = JointStateReader(robot.dynamics.model.joint_names)
        self._root = robot.dynamics.model.frames[0].name
        self.has_state = False
        self.reference: Trajectory | None = None
        self.choose(terms=terms, evaluate_at=evaluate_at)
        self._command = Float64MultiArray(data=self.feedforward.effort)
        # Shares memory with the message: filling it fills the message.
        self._command_values = np.frombuffer(self._command.data)

    def choose(self, *, terms: Sequence[str], evaluate_at: str) -> None:
        """Change what is summed and where it is evaluated; see `Feedforward.choose`."""
        self.feedforward.choose(terms=terms, evaluate_at=evaluate_at)
        self._terms = tuple(terms)
        self._evaluate_at = evaluate_at

    def observe(self, message: JointState) -> None:
        """Take a joint state.

        Raises:
            StateError: it cannot be used; there is then no state until the next good one.
        """
        self.has_state = False
        self.state.read(message)
        self.has_state = True

    def position_and_velocity(self) -> tuple[Array, Array] | None:
        """q and v (k,) of the commanded joints; None if there is no usable state."""
        indices = self.feedforward.indices
        return (self.state.q[indices], self.state.v[indices]) if self.has_state else None

    def command(self, time: float) -> Float64MultiArray:
        """The message for `~/commands`, valid until the next call.

        Args:
            time: at which to evaluate the reference [s], on its clock.

        Raises:
            StateError: the latest state does not suffice.
        """
        measured = self.reference is None or self._evaluate_at == 'state'
        if 'coriolis' in self._terms and measured and not self.state.has_velocity:
            raise StateError('velocity is empty, but the term coriolis needs it')
        reference = None if self.reference is None else self.reference.at(time)
        self.feedforward.compute(self.state.q, self.state.v, reference)
        self._command_values[:] = self.feedforward.effort
        return self._command

    def torques(self, message: JointState) -> JointTorques:
        """The message for `~/torques` about the last command, which answered that state."""
        gravity, coriolis, inertial = self.feedforward.parts
        zeros = doubles(np.zeros(len(self.joints)))
        torques = JointTorques(
            joint_names=list(self.joints),
            effort=doubles(self.feedforward.effort),
            gravity=doubles(gravity),
            coriolis=doubles(coriolis),
            inertial=doubles(inertial),
            friction=zeros,
            external=zeros,
        )
        torques.header.stamp = message.header.stamp
        torques.header.frame_id = self._root
        return torques
