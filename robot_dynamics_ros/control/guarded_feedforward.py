"""From joint states to safe torques: the five objects, and their order.

`StateFilter` takes or refuses a state, `Supervisor` decides what is commanded, `StartTorque` where
commands begin, `Feedforward` computes the target, `Limiter` leads the command there.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

from .external.drive_torques import GivenState
from .external.estimate import ExternalForceEstimate
from .feedforward import GRAVITY, Feedforward, Reference
from .gravity_in_efforts import DoubleCompensation
from .limiter import Limiter
from .settings import Settings, reference_distances, torque_limits
from .start_torque import StartTorque
from .state_filter import StateFilter
from .supervisor import LONGEST_STALE, REPEATS, TRANSITIONS, Event, Mode, State, Supervisor
from .torque_text import joint_torques, units_of
from .trajectory import Trajectory

# The concern of the inhibition that `StartTorque` decides on.
START = 'start'


class GuardedFeedforward:
    """Turns the joint states of a robot into commands.

    Two clocks: `now` is monotonic, and measures the age of states and the duration of steps;
    `time` is the clock of the references, which may be simulated.

    Attributes:
        feedforward: computes the torque.
        settings: of all that follows.
        state: the last good measurement of each joint.
        supervisor: what is commanded, and why nothing is.
        followed: the reference, and why the last one was dropped.
        limiter: the last command, and how often it was limited.
        start: where commands begin.
        double_compensation: compares the measured effort with the commands.
        external: estimate of the external torques; None while it is off.
    """

    def __init__(self, feedforward: Feedforward, settings: Settings) -> None:
        """Guard a feedforward; not active yet.

        Args:
            feedforward: computes the torque.
            settings: of the guards.

        Raises:
            ParameterError: the settings do not fit the joints of the feedforward.
        """
        self.feedforward, self.settings = feedforward, settings
        feedforward.feed_back(settings.friction_share)
        self._model, joints = feedforward.dynamics.model, feedforward.joints
        self.state = StateFilter(self._model, feedforward.indices, settings.state_timeout)
        self.supervisor = Supervisor()
        self.followed = Reference(self._model, joints, feedforward.indices, settings)
        self.limiter = Limiter(torque_limits(self._model, joints, settings), settings.fade_time)
        self.start = StartTorque(self.limiter)
        self.double_compensation = DoubleCompensation(len(joints))
        self.external: ExternalForceEstimate | None = None
        # Whether a state has contained efforts.
        self._has_efforts = False
        # The target of the last command, and how often that was the final command.
        self._mode, self._reached = Mode.SILENT, 0
        # When the last step was [s].
        self._stepped = -math.inf

    def apply(self, settings: Settings) -> None:
        """Use other settings from the next step on; a running fade keeps its duration.

        Raises:
            ParameterError: they do not fit the joints.
        """
        joints = self.feedforward.joints
        allowed = reference_distances(self._model, joints, settings)
        self.limiter.use(torque_limits(self._model, joints, settings), settings.fade_time)
        self.followed.allowed = allowed
        self.state.use_timeout(settings.state_timeout)
        if settings.friction_share != self.settings.friction_share:
            self.feedforward.feed_back(settings.friction_share)
            self.request_fade()
        self.settings = settings

    @property
    def mode(self) -> Mode:
        """What is commanded."""
        return self.supervisor.mode(self.settings)

    @property
    def effort(self) -> Array:
        """The last command (k,) [N m or N]."""
        return self.limiter.effort

    @property
    def reference(self) -> Trajectory | None:
        """The motion to follow; None for the measured state."""
        return self.followed.trajectory

    @property
    def stopped(self) -> bool:
        """Whether the final command has been given, or none is due."""
        return self.supervisor.state is State.SILENT

    def age(self, now: float) -> float:
        """Age of the oldest measurement of a commanded joint [s]; infinite if one is missing."""
        return now - self.state.time

    def fresh(self, now: float) -> bool:
        """Whether each joint was measured, and not too long ago (see `StateFilter`)."""
        return self.state.fresh(now)

    def last_command(self) -> str:
        """The last command of each joint with its unit, for the log."""
        units = units_of(self._model, self.feedforward.joints)
        return joint_torques(self.feedforward.joints, self.effort.tolist(), units)

    def longest_fade(self) -> float:
        """Upper bound of the time until the final command is reached [s]."""
        largest = np.zeros_like(self.effort)
        if self.settings.on_stop == 'hold':
            self.feedforward.hold(self.state.q)
            limits = self.limiter.limits
            held = np.abs(self.feedforward.parts).sum(axis=0)
            largest = np.where(np.isfinite(limits), limits, held)
        return self.limiter.longest_time(largest)

    def request_fade(self, fade_time: float | None = None) -> None:
        """Begin a fade with the next command: the terms, gravity, friction or payload changed.

        Args:
            fade_time: duration of the fade [s]; None for that of the settings.
        """
        self.limiter.request_fade(fade_time)
        self.double_compensation.reset()

    def go_silent(self) -> None:
        """Command nothing from now on, without a fade and without a final command."""
        self.supervisor.state = State.SILENT

    def another_commanded(self) -> None:
        """Another publisher has commanded the robot while this one is silent."""
        if self.mode is Mode.SILENT:
            # It has taken over the robot: no final command is due.
            self.go_silent()
            self.start.another_commanded()

    def forget_command(self) -> None:
        """The controller may have dropped the last command: it was not seen, or is inactive."""
        # A driver that adds gravity holds the arm alone: its efforts equal the last command.
        self.start.forget(trusted=self.double_compensation.excluded)

    def set_reference(self, reference: Trajectory | None, time: float) -> None:
        """Follow a reference from now on.

        Args:
            reference: the motion; None to go back to the measured state, through a fade.
            time: when it came [s], on the clock of the references.

        Raises:
            StateError: it is too far from the last good state, or a collision has not been
                acknowledged; the one before stays.
        """
        if reference is not None and self.supervisor.collision:
            raise StateError(f'{self.supervisor.collision}: call ~/enable')
        if reference is None and self.reference is not None:
            self.request_fade()
        self.followed.set(reference, time, self.state.q if self.state.complete else None)

    def refuse_clock(self) -> None:
        """Count a state as refused whose stamp is of another clock; the next is compared anew."""
        self.state.refuse_clock()
        if self.external is not None:
            self.external.reset()
            self.external.distrust()

    def reset_times(self) -> None:
        """Drop the reference and compare the next stamp with none: the clock has been set."""
        self.state.reset_stamps()
        if self.external is not None:
            self.external.reset()
        self.set_reference(None, 0.0)
        # The robot may be elsewhere too, where a simulation starts again.
        self.request_fade()
        self.feedforward.forget()

    def take(
        self, stamp: float, q: Array, v: Array | None, effort: Array | None, *, now: float
    ) -> bool:
        """Take a joint state; whether it is to be answered by `command`, if no newer one waits.

        In arrays of n, NaN stands for what the state does not hold or was not measured.

        Args:
            stamp: of the state [s], on any clock.
            q: (n,) positions [rad or m].
            v: (n,) velocities [rad/s or m/s]; None if none was measured.
            effort: (n,) measured efforts [N m or N]; None if none was measured.
            now: [s], on a monotonic clock.

        Raises:
            StateError: the state filter refuses the state; the last good one stays.
        """
        # Only after a move: with each second state refused, a fade would begin again and again.
        if self.state.update(stamp, q, v, now):
            self.request_fade()
            self.feedforward.forget()
            if self.external is not None:
                self.external.reset()
        held = ~np.isnan(q[self.feedforward.indices])
        if not held.any():
            # A gripper, in a message of its own.
            return False
        measured = None if effort is None else effort[self.feedforward.indices]
        if measured is not None:
            self._compare(measured, now)
        if self.external is not None:
            self._observe(self.external, stamp, GivenState(q, v, effort))
        # Joints may come in several messages, of which one contains efforts.
        self._has_efforts |= measured is not None
        return self.start.known or self._decide_start(measured, held, now)

    def command(self, now: float, time: float) -> Array | None:
        """The command (k,) for the states that were taken [N m or N]; None for nothing.

        Raises:
            StateError: the torque is not finite; the last command stays.
        """
        if self.supervisor.inhibitions.interrupting:
            self.start.reconsider()
            self.forget_command()
        if self.followed.over(time):
            self._drop_reference(time)
        supervisor, before = self.supervisor, self.supervisor.state
        event = supervisor.event(
            self.settings,
            fresh=self.fresh(now),
            lost=not self.fresh(now - LONGEST_STALE),
            finished=self._mode is self.mode
            and self.limiter.reached_target
            and self._reached > REPEATS,
        )
        if event is Event.INHIBITED and before is not State.SILENT:
            # Nothing was published, as `on_stale` is 'stop': the controller is not known.
            self.forget_command()
        state = TRANSITIONS[before][event]
        # A reference belongs to the commands that follow it. It may wait for their begin.
        waits = state is before is State.SILENT
        if not (waits or state is State.TRACKING or self.reference is None):
            self._drop_reference(time)
        mode = supervisor.mode(self.settings, state)
        fade_time, elapsed = supervisor.enter(event), now - self._stepped
        self._stepped = now
        target = self._target(mode, time, elapsed)
        if target is None:
            self._mode = mode
            return None
        if not self.start.known:
            self.start.begin()
            self.double_compensation.begin()
        elif before is State.SILENT:
            self.start.decision = ''
        if mode is not self._mode or (event is Event.MISAPPLIED and self.limiter.fading):
            self.request_fade(fade_time)
            self._reached = 0
        self._mode = mode
        self.limiter.step(target, elapsed)
        final = self.limiter.reached_target and not supervisor.running
        self._reached = self._reached + 1 if final else 0
        return self.effort

    def command_without_state(self, now: float, time: float) -> Array | None:
        """The command (k,) [N m or N] while no good state comes; None if none is due.

        Call it some hundred times a second while no state comes.

        Args:
            now: [s], on a monotonic clock.
            time: [s], on the clock of the references.
        """
        running = self.supervisor.running and not self.supervisor.inhibitions.interrupting
        return None if running and self.fresh(now) else self.command(now, time)

    @property
    def watches(self) -> bool:
        """Whether states are watched before commands begin, to decide at which torque."""
        return (
            not (self.start.known or self.supervisor.inhibitions.keys() - {START})
            and self.supervisor.running
            and self.start.needs_states(self._has_efforts, self.settings.on_restart)
            and 'gravity' in self.feedforward.selected_terms
        )

    def _decide_start(self, effort: Array | None, held: npt.NDArray[np.bool_], now: float) -> bool:
        """Watch a state where that is needed; whether it was, or need not be, decided by it."""
        inhibition, rule = None, self.settings.on_restart
        self.start.revoke()
        if self.watches:
            q = self.state.q[self.feedforward.indices]
            timeout = self.settings.state_timeout
            if not self.start.watch(q, effort, held, now, timeout=timeout, rule=rule):
                return False
            self.feedforward.hold(self.state.q)
            inhibition = self.start.decide(self.feedforward.effort, rule)
        elif not self.supervisor.running or 'gravity' not in self.feedforward.selected_terms:
            self.start.reconsider()
        self.supervisor.inhibitions.put(START, inhibition)
        return True

    def _target(self, mode: Mode, time: float, elapsed: float) -> Array | None:
        """The torque (k,) that a mode asks for, before fade and limits [N m or N]; None: none."""
        feedforward, state = self.feedforward, self.state
        if mode is Mode.SILENT:
            feedforward.forget()
            return None
        if mode is Mode.ZERO:
            feedforward.relax()
        elif mode is Mode.HOLD:
            feedforward.hold(state.q)
        else:
            reference = self.followed.at(time, state.q)
            if reference is None and self.reference is not None:
                self._drop_reference(time)
            # The first command, and one after a pause, begin a motion.
            follows = elapsed <= self.settings.state_timeout
            dropped = feedforward.watch.dropped
            feedforward.compute(state.q, state.v, reference, elapsed=elapsed if follows else 0.0)
            if feedforward.watch.dropped != dropped:
                self.request_fade()
        return feedforward.effort

    def _drop_reference(self, time: float) -> None:
        """Go back to the measured state, through a fade."""
        self.set_reference(None, time)
        self.followed.dropped += 1

    def _compare(self, effort: Array, now: float) -> None:
        """Compare measured efforts (k,) with the last command, where gravity is commanded."""
        steady = self.supervisor.state is State.TRACKING and not self.limiter.fading
        if steady and 'gravity' in self.feedforward.selected_terms:
            gravity = self.feedforward.parts[GRAVITY]
            self.double_compensation.compare(effort, self.effort, gravity, now)

    def _observe(self, external: ExternalForceEstimate, stamp: float, given: GivenState) -> None:
        """Estimate external torques at the last good state, and react to a collision."""
        state, timeout = self.state, self.settings.state_timeout
        external.update(stamp, state.q, state.v, given, longest_interval=timeout)
        commanding = self.supervisor.running and self.mode is not Mode.SILENT
        if external.contact.collides and commanding:
            self.supervisor.collide(external.touch(), self.settings.on_collision)
