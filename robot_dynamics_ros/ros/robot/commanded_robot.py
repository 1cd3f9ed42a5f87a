"""The robot of a configured node: joint states in, command messages out."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rclpy.clock import Clock
from sensor_msgs.msg import JointState

from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_ros.control.external.estimate import (
    ExternalForceEstimate,
    ExternalSettings,
)
from robot_dynamics_ros.control.feedforward import Feedforward
from robot_dynamics_ros.control.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.control.joint_limits import PositionLimits
from robot_dynamics_ros.control.settings import Settings, joints_without_limit
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.plausibility.audit import audit

from ..cycle_statistics import CycleStatistics
from ..joint_states import JointStateReader
from ..messages import doubles, nanoseconds
from .compilation import CompiledRobot
from .live_values import LiveValues, locked_joints, require_joints


class CommandedRobot:
    """Answers each joint state with the torque to command.

    Attributes:
        compiled: the compiled and cross-checked robot.
        dynamics: of it.
        report: of the last cross-check; None without one.
        feedforward: computes the torque.
        guard: decides whether and how the torque is commanded.
        findings: of the audit of its description.
        joints: names of the commanded joints.
        reader: reads joint states.
        has_state: whether each joint was measured, and the last joint state was valid.
        limits: the position limits of the joints.
        statistics: of the cycles.
        knows_wait: whether it is known for how long the last state has waited for the node.
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
        self.report = compiled.report
        model = self.dynamics.model
        self.findings = audit(model)
        require_joints('joints', values['joints'], model)
        joints = values['joints'] or model.joint_names
        self.feedforward = Feedforward(
            self.dynamics, joints, terms=values['terms'], evaluate_at=values['evaluate_at']
        )
        self.joints = self.feedforward.joints
        self._live = live = LiveValues.of(values, model, self.joints)
        joint_model, indices = compiled.joint_model, self.feedforward.indices
        self.feedforward.friction = joint_model.friction(model)
        self.feedforward.offset = joint_model.offsets(model)[indices]
        self.guard = GuardedFeedforward(self.feedforward, live.settings)
        if live.external.external_observer:
            self.guard.external = self._estimate(live.external)
        locked = locked_joints(values, model, self.joints)
        self.reader = JointStateReader(model.joint_names, commanded=self.joints, locked=locked)
        self.has_state = False
        self.limits = PositionLimits(model)
        self.statistics = CycleStatistics()
        # Whether the last state had a stamp; None before the first.
        self._stamped: bool | None = None
        # Whether the last state that was taken is to be answered.
        self._due = False
        # Whether a stamp was recent by the clock of the node.
        self._same_clock = False
        self.knows_wait = True
        self._root_link = model.frames[0].name

    def prepare(self, live: LiveValues) -> None:
        """Compile what other live parameters need, while the loop goes on."""
        if live.external.external_observer:
            self._estimate(live.external)

    def apply(self, live: LiveValues) -> None:
        """Use other live parameters; a change of the torque is faded in.

        The loop waits meanwhile: what takes longer is done in `LiveValues.of`.

        Raises:
            RobotDynamicsError: they do not fit the robot, and nothing has changed.
        """
        self.guard.apply(live.settings)
        self.feedforward.select_terms(live.terms, evaluate_at=live.evaluate_at)
        self.dynamics.gravity = live.gravity
        self._apply_external(live)
        if live.shapes_other_torque(self._live):
            self.guard.request_fade()
        self._live = live

    def _apply_external(self, live: LiveValues) -> None:
        estimate = self.guard.external
        if not live.external.external_observer:
            self.guard.external = None
        elif estimate is None:
            self.guard.external = self._estimate(live.external)
        else:
            estimate.apply(live.external)

    def _estimate(self, settings: ExternalSettings) -> ExternalForceEstimate:
        """The estimate of external torques; compiles what it needs, if that is not compiled."""
        return ExternalForceEstimate(
            self.dynamics,
            self.joints,
            settings,
            friction=self.feedforward.friction,
            offset=self.feedforward.offset,
        )

    def use(self, compiled: CompiledRobot, fade_time: float | None = None) -> None:
        """Command by the same programs with another payload from now on, through a fade.

        Args:
            compiled: with the other payload.
            fade_time: of the change [s]; None for parameter fade_time.
        """
        dynamics = compiled.dynamics
        # It may have been set meanwhile.
        dynamics.gravity = self.dynamics.gravity
        self.compiled, self.dynamics, self.report = compiled, dynamics, compiled.report
        self.findings = audit(dynamics.model)
        self.feedforward.use(dynamics)
        if self.guard.external is not None:
            self.guard.external.use(dynamics)
        # The terms may be read before the next state comes: they must be those of this payload.
        self.feedforward.hold(self.guard.state.q)
        self.guard.request_fade(fade_time)

    def reset_times(self) -> None:
        """Compare the next state with none, and drop the reference: the clock has been set."""
        self._stamped, self._same_clock = None, False
        self.guard.reset_times()

    def missing_limits(self) -> str:
        """Why torque must not be commanded: joints without an effort limit; empty if none is."""
        return no_effort_limit(self.dynamics.model, self.joints, self.guard.settings)

    def position_and_velocity(self) -> tuple[Array, Array] | None:
        """Copies of q and v (k,) of the commanded joints; None if there is no valid state."""
        indices, state = self.feedforward.indices, self.guard.state
        return (state.q[indices], state.v[indices]) if self.has_state else None

    def beyond_limits(self) -> str:
        """The joints of the latest state that are far outside their position limits.

        Returns:
            A phrase for diagnostics; empty if there are none. A driver that sends degrees is one
            cause.
        """
        return self.limits.phrase(self.guard.state.q)

    def waited(self, message: JointState, received: int, node_clock: Clock) -> float:
        """For how long a state has waited for the node [s]; NaN if that is not known.

        Args:
            message: the state.
            received: when the middleware received it, on the clock of this machine [ns]; 0 where
                it does not say that: then the stamp counts, if it is of the clock of the node.
            node_clock: of the node.

        Raises:
            StateError: the stamp is negative.
        """
        if received:
            # By the clock of this machine alone: the stamps may be of another one, or simulated.
            wait = 1e-9 * (clock.time_ns() - received)
        else:
            wait = 1e-9 * (node_clock.now().nanoseconds - nanoseconds(message.header.stamp))
            self._same_clock |= 0.0 <= wait <= self.guard.settings.state_timeout
        self.knows_wait = bool(received) or self._same_clock
        return wait if self.knows_wait else math.nan

    def too_old(self, wait: float) -> bool:
        """Whether a state that has waited so long [s] is not answered."""
        return wait > self.guard.settings.state_timeout

    def take(self, message: JointState) -> None:
        """Take a state; `command` answers it, if no newer one waits.

        A state without a commanded joint is kept, and not answered.

        Args:
            message: the state.

        Raises:
            StateError: the state cannot be used; `has_state` is then false until a valid one.
        """
        self.has_state = False
        reader, guard = self.reader, self.guard
        reader.read(message)
        now, stamped = clock.monotonic(), nanoseconds(message.header.stamp)
        stamp = 1e-9 * stamped or now
        v = reader.v if reader.has_velocity else None
        if reader.names_commanded:
            self._check_stamped(bool(stamped))
            effort = reader.effort if reader.has_effort else None
            self._due = guard.take(stamp, reader.q, v, effort, now=now)
        else:
            guard.take(stamp, reader.q, v, None, now=now)
        self.has_state = guard.state.complete

    def command(self, time: float) -> Array | None:
        """The command (k,) that answers the states that were taken [N m or N].

        Args:
            time: at which to evaluate the reference [s], on its clock.

        Returns:
            None where nothing is to be commanded; valid until the next call.

        Raises:
            StateError: the torque is not finite.
        """
        due, self._due = self._due, False
        if not due:
            return None
        try:
            return self.guard.command(clock.monotonic(), time)
        except StateError:
            self.has_state = False
            raise

    def _check_stamped(self, stamped: bool) -> None:
        """Refuse a state with a stamp after one without, and the other way round.

        Times of two clocks cannot be compared: a jump would seem to have taken half a century.
        """
        before, self._stamped = self._stamped, stamped
        if before is None or before is stamped:
            return
        self.guard.refuse_clock()
        raise StateError(
            'header.stamp is set, that of the state before was 0: two drivers, or one that '
            'restarted'
            if stamped
            else 'header.stamp is 0, that of the state before was set: the driver must set it in '
            'every message, or in none'
        )

    def command_without_state(self, time: float) -> Array | None:
        """The command (k,) that is due although no valid state has come [N m or N].

        While states are stale, and while the last command of a stopped robot is being reached.

        Args:
            time: at which to evaluate the reference [s], on its clock.

        Returns:
            None where nothing is to be commanded; valid until the next call.
        """
        return self.guard.command_without_state(clock.monotonic(), time)

    def external_torque(self) -> Array:
        """The estimated external torque (k,) [N m or N]: zero if off, NaN if there is none."""
        estimate = self.guard.external
        if estimate is None:
            return np.zeros(len(self.joints))
        if estimate.reason or not self.guard.fresh(clock.monotonic()):
            return np.full(len(self.joints), np.nan)
        return estimate.torque

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
            external=doubles(self.external_torque()),
            saturated=[self.joints[index] for index in saturated],
            # The constants have the names of the modes.
            mode=getattr(JointTorques, f'MODE_{self.guard.mode.name}'),
            fault=self.guard.supervisor.fault or self.guard.supervisor.collision,
        )
        torques.header.stamp = stamp
        torques.header.frame_id = self._root_link
        return torques


def no_effort_limit(model: RobotModel, joints: Sequence[str], settings: Settings) -> str:
    """A sentence about commanded joints without an effort limit; empty if each has one."""
    names = joints_without_limit(model, joints, settings)
    if not names:
        return ''
    return (
        f'no effort limit for {", ".join(names)} in the description, or 0: set parameter '
        f'effort_limits for {", ".join(joints)} [N m or N], .inf for no limit on purpose'
    )
