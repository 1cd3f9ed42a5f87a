"""The robot of a configured node, and who holds it."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
from sensor_msgs.msg import JointState

from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_ros.control.external.estimate import ExternalForceEstimate, ExternalSettings
from robot_dynamics_ros.control.feedforward import Feedforward
from robot_dynamics_ros.control.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.control.settings import Settings, torque_limits
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.inspection.audit import weightless_joints
from robot_dynamics_ros.inspection.loads import SampledPoses

from .compilation import CompiledRobot
from .endpoints import doubles, nanoseconds
from .joint_states import JointStateReader
from .node_clock import NodeClock

# Codes of the conditions that keep a robot from being activated.
REFUSALS = 'no_effort_limit', 'weightless_joint', 'gravity_exceeds_effort'


@dataclass(frozen=True)
class LiveValues:
    """What the live parameters say: with it, `CommandedRobot.apply` waits for nothing.

    Attributes:
        settings: of the guards.
        external: of the external-force estimate.
        terms: of the torque.
        gravity: (3,) in the frame of the root link [m/s^2].
    """

    settings: Settings
    external: ExternalSettings
    terms: list[str]
    gravity: list[float]


class CommandedRobot:
    """Joint states in, commands out.

    Attributes:
        compiled: the compiled and cross-checked robot.
        dynamics: of it.
        report: of the last cross-check; None without one.
        joints: names of the commanded joints.
        reader: reads joint states.
        feedforward: computes the torque.
        guard: decides whether and how the torque is commanded.
        has_state: whether each joint was measured, and the last joint state was valid.
    """

    def __init__(
        self,
        compiled: CompiledRobot,
        joints: Sequence[str],
        live: LiveValues,
        locked: Mapping[str, float],
    ) -> None:
        """Select joints, terms and guards; `locked` are positions of joints that are not measured.

        Raises:
            RobotDynamicsError: they do not fit the robot.
        """
        self.compiled, self.dynamics = compiled, compiled.dynamics
        self.report = compiled.report
        model = self.dynamics.model
        joint_model = compiled.joint_model
        self.feedforward = Feedforward(
            self.dynamics, joints, terms=live.terms,
            friction=joint_model.friction(model),
        )  # fmt: skip
        self.joints, self._live = self.feedforward.joints, live
        self.feedforward.offset = joint_model.offsets(model)[self.feedforward.indices]
        self.guard = GuardedFeedforward(self.feedforward, live.settings)
        if live.external.external_observer:
            self.guard.external = self._estimate(live.external)
        self.reader = JointStateReader(model.joint_names, commanded=self.joints, locked=locked)
        self.has_state = False
        # Poses at which the gravity torque is compared with the effort limits.
        self._poses = SampledPoses.of(model)

    def prepare(self, live: LiveValues) -> None:
        """Compile what other live parameters need, while the loop goes on."""
        if live.external.external_observer:
            self._estimate(live.external)

    def apply(self, live: LiveValues) -> None:
        """Use other live parameters; a change of the torque is faded in.

        The loop waits meanwhile: what takes longer was done before.

        Raises:
            RobotDynamicsError: they do not fit the robot, and nothing has changed.
        """
        self.guard.apply(live.settings)
        self.feedforward.select_terms(live.terms)
        self.dynamics.gravity = live.gravity
        estimate = self.guard.external
        if not live.external.external_observer:
            self.guard.external = None
        elif estimate is None:
            self.guard.external = self._estimate(live.external)
        else:
            estimate.apply(live.external)
        if (live.terms, live.gravity) != (self._live.terms, self._live.gravity):
            self.guard.request_fade()
        self._live = live

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
        """Command by the same programs with another payload, through a fade.

        It takes `fade_time` [s]; None for the parameter.
        """
        dynamics = compiled.dynamics
        # It may have been set meanwhile.
        dynamics.gravity = self.dynamics.gravity
        self.compiled, self.dynamics, self.report = compiled, dynamics, compiled.report
        self.feedforward.use(dynamics)
        if self.guard.external is not None:
            self.guard.external.use(dynamics)
        # The terms may be read before the next state comes: they must be those of this payload.
        self.feedforward.hold(self.guard.state.q)
        self.guard.request_fade(fade_time)

    def refusals(self) -> dict[str, str]:
        """Why torque must not be commanded, by the codes in `REFUSALS`; empty if it may be."""
        model, settings = self.dynamics.model, self.guard.settings
        found = refusals_of(model, self.joints, settings)
        gravity = tuple(self.dynamics.gravity.tolist())
        if self._poses.model is not model or self._poses.gravity != gravity:
            self._poses = SampledPoses.of(model, gravity=gravity)
        limits, commanded = np.full(model.size, np.inf), self.feedforward.indices
        limits[commanded] = torque_limits(model, self.joints, settings)
        # For a first test, limits may be chosen far below those of the description.
        np.fmax(limits, model.effort_limits, out=limits, where=np.isfinite(model.effort_limits))
        if (joint := self._poses.never_held(limits)) is not None:
            median = np.median(np.abs(self._poses.gravity_torque[:, joint]))
            found['gravity_exceeds_effort'] = (
                f'the effort limits hold the arm at no pose: {model.joint_names[joint]} needs '
                f'{median:.3g} {model.effort_units[joint]} at half of them, its limit is '
                f'{limits[joint]:.3g}: check that masses are in kg, or set parameter effort_limits'
            )
        return found

    def never_measured(self) -> str:
        """The joints that no state has contained, and what to do; empty before the first state."""
        state, model = self.guard.state, self.dynamics.model
        names = np.array(model.joint_names)
        missing = np.isinf(state.times)
        if not missing.any() or missing.all():
            return ''
        text = f'never in joint_states: {", ".join(names[missing])}'
        missing[self.feedforward.indices] = False
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

    def take(self, message: JointState, now: float) -> bool:
        """Take a state; whether the guard is to answer it, if no newer one waits.

        Raises:
            StateError: the state cannot be used; `has_state` is then false until a valid one.
        """
        self.has_state, reader = False, self.reader
        reader.read(message)
        # Without a stamp, the time when it came.
        stamp = 1e-9 * nanoseconds(message.header.stamp) or now
        v = reader.v if reader.has_velocity else None
        effort = reader.effort if reader.has_effort else None
        due = self.guard.take(stamp, reader.q, v, effort, now=now)
        self.has_state = self.guard.state.complete
        return due

    def torques(self, stamp: Any) -> JointTorques:
        """The message for `~/torques`: the last command and its parts, with this stamp."""
        gravity, coriolis, inertial, friction = self.feedforward.parts
        supervisor, limiter = self.guard.supervisor, self.guard.limiter
        saturated = np.flatnonzero(limiter.saturated)
        torques = JointTorques(
            joint_names=list(self.joints),
            effort=doubles(self.guard.effort),
            gravity=doubles(gravity),
            coriolis=doubles(coriolis),
            inertial=doubles(inertial),
            friction=doubles(friction),
            saturated=[self.joints[index] for index in saturated],
            state=supervisor.state.name,
            target=self.guard.target.value,
            event=supervisor.event.name.lower(),
            fade_left=self.guard.fade_left,
            fault=supervisor.fault or supervisor.reaction,
        )
        torques.header.stamp = stamp
        torques.header.frame_id = self.dynamics.model.frames[0].name
        return torques


def refusals_of(model: RobotModel, joints: Sequence[str], settings: Settings) -> dict[str, str]:
    """Why the description refuses that joints are commanded, by code; empty if it does not."""
    found, unlimited = {}, np.isinf(torque_limits(model, joints, settings))
    # An infinite limit in the settings was chosen, one that the description lacks forgotten.
    if unlimited.any() and not settings.effort_limits:
        found['no_effort_limit'] = (
            f'no effort limit for {", ".join(compress(joints, unlimited))} in the description, or '
            '0: set parameter '
            f'effort_limits for {", ".join(joints)} [N m or N], .inf for no limit on purpose'
        )
    chosen = {*joints} - {*settings.massless_joints}
    if weightless := ', '.join(name for name in weightless_joints(model) if name in chosen):
        found['weightless_joint'] = (
            f'nothing that {weightless} moves has a mass in the description, so that every torque '
            'is zero: give the links their inertials, or where it is so on purpose, set parameter '
            f'massless_joints: [{weightless}]'
        )
    return found


class RobotHolder:
    """Holds the configured robot, or none, and the lock under which it changes.

    Attributes:
        clock: of the node.
        lock: held while a joint state is answered. Other threads change the robot under it, so
            that a change takes effect between two states.
        refusal: why the last description was not configured; empty if it was.
    """

    def __init__(self, clock: NodeClock) -> None:
        self.clock, self.lock = clock, threading.RLock()
        self.refusal = ''
        self._robot: CommandedRobot | None = None
        # Kept after cleanup, for the next robot: what nothing but ~/enable ends, and what the
        # drive may have kept.
        self._last: CommandedRobot | None = None
        # Whether another publisher has commanded since.
        self._another = False

    @property
    def current(self) -> CommandedRobot | None:
        """The configured robot; None if the node is not configured."""
        return self._robot

    def text(self) -> str:
        """The description of the configured robot; empty if the node is not configured."""
        return '' if self._robot is None else self._robot.compiled.text

    def require(self) -> CommandedRobot:
        """The configured robot, for callers that need one.

        Raises:
            StateError: the node is not configured.
        """
        if self._robot is None:
            raise StateError('the node is not configured: call the transition configure first')
        return self._robot

    def latest(self, robot: CommandedRobot) -> tuple[Array, Array]:
        """q and v (n,) of the latest joint state of a robot.

        Raises:
            StateError: there is no valid one.
        """
        with self.lock:
            if not robot.has_state:
                reason = robot.never_measured() or (
                    'none has been received yet, or the last one was rejected'
                )
                raise StateError(
                    'state names no joints, and there is no valid joint state on joint_states: '
                    f'{reason}'
                )
            state = robot.guard.state
            return state.q.copy(), state.v.copy()

    def set(self, robot: CommandedRobot) -> None:
        """Hold this robot; with the same joints as before the drive may have kept its command."""
        with self.lock:
            guard, last = robot.guard, self._last
            if last is not None:
                guard.supervisor.continue_from(last.guard.supervisor)
            if self._another or (last is not None and last.joints != robot.joints):
                guard.another_commanded()
            elif last is not None:
                guard.start.continue_from(last.guard.start)
            self.refusal, self._another = '', False
            self._robot = robot

    def clear(self) -> None:
        """Hold no robot; keep its last command, whether torque is enabled, and a fault."""
        with self.lock:
            if self._robot is not None:
                self._robot.guard.silence()
                self._robot.guard.supervisor.active = False
                self._last = self._robot
            self._robot = None

    def another_commanded(self) -> None:
        """Another publisher has commanded the joints."""
        with self.lock:
            if self._robot is not None:
                self._robot.guard.another_commanded()
            else:
                self._another = True
