"""The feedforward with its guards: joint states in, safe torque commands out.

The way of a joint state: `AcceptedState` (and its `StateGuard`) accepts or refuses it,
`next_mode` decides what to command, `Feedforward` computes the target, `CommandTransition` leads
the command there: `Fade` keeps it continuous, `TorqueLimiter` limits it and its rate.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

from ..external.drive_torques import GivenState
from ..external.estimate import ExternalForceEstimate
from ..feedforward import GRAVITY
from ..trajectory import Trajectory
from .guard_parts import GuardParts
from .supervisor import Conditions, Mode, next_mode

# Time for which the state may be stale until the torque ends, as a fault [s].
LONGEST_STALE = 5.0
# How often the final command is repeated: controllers receive with best effort.
REPEATS = 5
# The concern of the inhibition that `CommandStart` decides on.
START = 'start'


class GuardedFeedforward(GuardParts):
    """Turns each joint state of a robot into a command.

    Two clocks: `now` is monotonic, and measures the age of states and the duration of steps;
    `time` is the clock of the references, which may be simulated.
    """

    @property
    def reference(self) -> Trajectory | None:
        """The motion to follow; None for the measured state."""
        return self.followed.trajectory

    def last_position(self) -> Array | None:
        """A copy of the last good q (n,) [rad or m]; None before each joint was measured."""
        return self.state.q.copy() if self.state.complete else None

    @property
    def running(self) -> bool:
        """Whether torque is wanted: active, enabled and without a fault."""
        return self.active and self.enabled and not self.fault

    def age(self, now: float) -> float:
        """Age of the oldest measurement of a commanded joint [s]; infinite if one is missing."""
        return now - self.state.time

    def fresh(self, now: float) -> bool:
        """Whether each joint was measured, and not too long ago (see `AcceptedState`)."""
        return self.state.fresh(now, self.settings)

    @property
    def start_inhibited(self) -> bool:
        """Whether commands must not start."""
        return bool(self.inhibitions)

    @property
    def stopped(self) -> bool:
        """Whether the final command has been given, or none is due."""
        return self.mode is Mode.SILENT and (
            self.start_inhibited or not self._final_command_pending
        )

    def go_silent(self) -> None:
        """Command nothing from now on, without a fade and without a final command."""
        self.mode, self._final_command_pending = Mode.SILENT, False

    def longest_fade(self) -> float:
        """Upper bound of the time until the final command is reached [s]."""
        largest = np.zeros_like(self.effort)
        if self.settings.on_stop == 'hold':
            self.feedforward.hold(self.state.q)
            limits = self.limiter.limits
            held = np.abs(self.feedforward.parts).sum(axis=0)
            largest = np.where(np.isfinite(limits), limits, held)
        return self._transition.longest_time(largest)

    def set_reference(self, reference: Trajectory | None, time: float) -> None:
        """Follow a reference from now on.

        Args:
            reference: the motion; None to go back to the measured state, through a fade.
            time: when it came [s], on the clock of the references.

        Raises:
            StateError: it is too far from the last good state, or a collision has not been
                acknowledged; the one before stays.
        """
        if reference is not None and self.reaction.reason:
            raise StateError(f'{self.reaction.reason}: call ~/enable')
        if reference is None and self.reference is not None:
            self.request_fade()
        self.followed.set(reference, time, self.last_position())

    def refuse_clock(self) -> None:
        """Count a state as refused whose stamp is of another clock; the next is compared anew."""
        self.state.refuse_clock()
        self.restart_estimate()
        if self.external is not None:
            self.external.distrust()

    def reset_times(self) -> None:
        """Drop the reference and compare the next stamp with none: the clock has been set."""
        self.state.reset_stamps()
        self.restart_estimate()
        self.set_reference(None, 0.0)
        # The robot may be elsewhere too, where a simulation starts again.
        self.request_fade()

    def take(
        self,
        stamp: float,
        q: Array,
        v: Array | None,
        effort: Array | None,
        *,
        now: float,
        time: float,
    ) -> bool:
        """Take a joint state; whether it is to be answered by `command`, if no newer one waits.

        In arrays of n, NaN stands for what the state does not hold or was not measured.

        Args:
            stamp: of the state [s], on any clock.
            q: (n,) positions [rad or m].
            v: (n,) velocities [rad/s or m/s]; None if none was measured.
            effort: (n,) measured efforts [N m or N]; None if none was measured.
            now: [s], on a monotonic clock.
            time: [s], on the clock of the references.

        Raises:
            StateError: the state guard refuses the state; the last good one stays.
        """
        self.observe(stamp, q, v, now=now)
        indices = self.feedforward.indices
        measured = None if effort is None else effort[indices]
        if measured is not None:
            self._compare(measured, now)
        if self.external is not None:
            self._feel(self.external, stamp, GivenState(q, v, effort))
        # Joints may come in several messages, of which one contains efforts.
        self._has_efforts |= measured is not None
        return self.start.known or self._decide_start(measured, ~np.isnan(q[indices]), now)

    def command(self, now: float, time: float) -> Array | None:
        """The command (k,) for the states that were taken [N m or N]; None for nothing.

        Raises:
            StateError: a selected term needs a velocity that was not measured; the last good state
                and the last command stay.
        """
        try:
            command = self._step(now, time)
        except StateError:
            self.state.withdraw()
            raise
        self.state.confirm()
        return command

    def observe(self, stamp: float, q: Array, v: Array | None, *, now: float) -> None:
        """Take a joint state without an answer; arguments as of `take`."""
        # Only after a move: with each second state refused, a fade would begin again and again.
        if self.state.update(stamp, q, v, now):
            self.request_fade()
            self.restart_estimate()

    def command_without_state(self, now: float, time: float) -> Array | None:
        """The command (k,) [N m or N] while no good state comes; None if none is due.

        Call it some hundred times a second while no state comes.

        Args:
            now: [s], on a monotonic clock.
            time: [s], on the clock of the references.
        """
        waits = self.running and self.fresh(now)
        return None if waits else self._step(now, time)

    def _decide_start(self, effort: Array | None, held: npt.NDArray[np.bool_], now: float) -> bool:
        """Watch a state where that is needed; whether it was, or need not be, decided by it."""
        inhibition, rule = None, self.settings.on_restart
        if self.watches:
            q = self.state.q[self.feedforward.indices]
            timeout = self.settings.state_timeout
            if not self.start.watch(q, effort, held, now, timeout=timeout, rule=rule):
                return False
            self.feedforward.hold(self.state.q)
            inhibition = self.start.decide(self.feedforward.effort, rule)
        elif not self.running or 'gravity' not in self.feedforward.selected_terms:
            self.start.reconsider()
        self.inhibitions.put(START, inhibition)
        return True

    def _step(self, now: float, time: float) -> Array | None:
        """Decide on the mode, and compute the command of this step."""
        if self.inhibitions.interrupting:
            self.start.reconsider()
            # A driver that adds gravity holds the arm alone: its efforts equal the last command.
            self.start.forget(trusted=self.double_compensation.excluded)
        if self.followed.over(time, self.settings.reference_timeout):
            self._drop_reference(time)
        # An arm that nobody sees leaves the pose whose gravity is commanded.
        commanding = self.running and self.mode is not Mode.SILENT
        if commanding and not self.fresh(now - LONGEST_STALE):
            self.fault = f'joint states have been stale for {LONGEST_STALE:g} s'
        before, mode, elapsed = self.mode, self._next_mode(now), now - self._stepped
        # It belongs to the commands that follow it: no later ones begin in its middle.
        waits = mode is before is Mode.SILENT
        if not (waits or mode is Mode.FOLLOW or self.reference is None):
            self._drop_reference(time)
        fade_time, self.reaction.fade_time = self.reaction.fade_time, None
        if mode is Mode.SILENT:
            self.mode, self._stepped = mode, now
            # A publisher that commands while this node is silent has taken over the robot.
            self._final_command_pending = (
                self._final_command_pending and self.running and not self.start_inhibited
            )
            return None
        target = self._target(mode, time)
        if not self.start.known:
            self.start.begin()
            self.double_compensation.begin()
        self.mode, self._stepped, self._final_command_pending = mode, now, True
        if mode is not before:
            self.request_fade(fade_time)
        self._transition.step(target, elapsed)
        final = not self.running and self._transition.reached_target
        self._final_commands = self._final_commands + 1 if final else 0
        return self.effort

    @property
    def watches(self) -> bool:
        """Whether states are watched before commands begin, to decide at which torque."""
        return (
            not (self.start.known or self.inhibitions.keys() - {START})
            and self.running
            and self.start.needs_states(self._has_efforts, self.settings.on_restart)
            and 'gravity' in self.feedforward.selected_terms
        )

    def _next_mode(self, now: float) -> Mode:
        conditions = Conditions(
            running=self.running,
            fresh=self.fresh(now),
            start_inhibited=self.start_inhibited,
            reached_target=(self._transition.reached_target and self._final_commands > REPEATS),
            final_command_pending=self._final_command_pending,
            interrupted=self.inhibitions.interrupting,
            reaction=self.reaction.mode,
        )
        on_stale, on_stop = self.settings.on_stale, self.settings.on_stop
        if any(inhibition.misapplied for inhibition in self.inhibitions.values()):
            on_stop = 'zero'
        return next_mode(self.mode, conditions, on_stale=on_stale, on_stop=on_stop)

    def _target(self, mode: Mode, time: float) -> Array:
        """The torque (k,) that a mode asks for, before fade and limits [N m or N]."""
        reference = None
        if mode is Mode.FOLLOW and self.reference is not None:
            reference = self.followed.at(time, self.state.q)
            if reference is None:
                self._drop_reference(time)
        return self._targets.torque(mode, reference)

    def _drop_reference(self, time: float) -> None:
        """Go back to the measured state, through a fade."""
        self.set_reference(None, time)
        self.followed.dropped += 1

    def _compare(self, effort: Array, now: float) -> None:
        """Compare measured efforts (k,) with the last command, where gravity is commanded."""
        steady = self.mode is Mode.FOLLOW and not self._transition.fading
        if steady and 'gravity' in self.feedforward.selected_terms:
            gravity = self.feedforward.parts[GRAVITY]
            self.double_compensation.compare(effort, self.effort, gravity, now)

    def _feel(self, external: ExternalForceEstimate, stamp: float, given: GivenState) -> None:
        """Estimate external torques at the last good state, and react to a collision."""
        external.update(
            stamp,
            self.state.q,
            self.state.v,
            given,
            longest_interval=self.settings.state_timeout,
        )
        if external.contact.collides and self.running and self.mode is not Mode.SILENT:
            collision = external.touch()
            if self.reaction.begin(collision, self.settings) and self.reaction.policy == 'stop':
                self.fault = collision
