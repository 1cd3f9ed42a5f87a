"""The feedforward with its guards: joint states in, commands out that a robot can be given."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

from ..acceleration import AccelerationEstimate
from ..feedforward import GRAVITY, Feedforward
from ..trajectory import Trajectory
from .double_compensation import DoubleCompensation
from .fade import Fade
from .limiter import TorqueLimiter
from .settings import GuardSettings, torque_limits, torque_rates
from .state_guard import StateGuard
from .supervisor import Conditions, Mode, next_mode


class GuardedFeedforward:
    """Turns each state into a command: state guard, feedforward, fade, limits, in this order.

    Two clocks: `now` runs whatever happens, and tells what is stale and how long a step took;
    `time` is that of the references.

    Attributes:
        feedforward: what computes.
        effort: (k,) the last command, what the robot has from us [N m or N].
        mode: what is commanded.
        active, enabled: whether torque is wanted; both must be.
        fault: why there is no torque although it is wanted; empty for none.
        blocked: whether another publisher commands the robot: commands must not begin then.
        reference: the motion to follow; None for none.
        dropped_references: how many were over and forgotten.
        limiter: the bounds, and what they bounded.
        double_compensation: what the measured effort says about the driver.
        acceleration: estimate of the measured acceleration.
    """

    def __init__(self, feedforward: Feedforward, settings: GuardSettings) -> None:
        """Guard a feedforward; nothing is active yet.

        Raises:
            ParameterError: the settings do not fit its joints.
        """
        model, joints = feedforward.dynamics.model, feedforward.joints
        self.feedforward = feedforward
        self.mode = Mode.SILENT
        self.active, self.enabled, self.fault, self.blocked = False, True, '', False
        self.reference: Trajectory | None = None
        self._reference_since = 0.0
        self.dropped_references = 0

        size = len(joints)
        self.effort, self._command = np.zeros((2, size))
        self._zero = np.zeros(size)
        self._q, self._v = np.zeros((2, model.size))
        self._accepted, self._stepped = -math.inf, -math.inf
        # What is commanded has changed for another reason than the mode.
        self._changed = False
        # Whether a state was refused since the last good one.
        self._refused = False
        # Whether the robot has been given torque, and no last command since.
        self._final_command_pending = False

        self._state_guard = StateGuard(model, settings.jump_tolerance)
        self.acceleration = AccelerationEstimate(model.size, settings.acceleration_cutoff)
        self.double_compensation = DoubleCompensation()
        self._fade = Fade(size, settings.fade_time)
        self._fade_time = settings.fade_time
        self.limiter = TorqueLimiter(np.full(size, np.inf), np.full(size, np.inf))
        self.apply(settings)

    def apply(self, settings: GuardSettings) -> None:
        """Go by other settings from the next step on; a fade that runs keeps its time.

        Raises:
            ParameterError: they do not fit the joints.
        """
        model, joints = self.feedforward.dynamics.model, self.feedforward.joints
        limits = torque_limits(model, joints, settings)
        rates = torque_rates(limits / settings.effort_scale, joints, settings)
        self.settings = settings
        self.limiter.limits, self.limiter.rates = limits, rates
        # Where the old limits ended the way, the new ones may not.
        self.limiter.reached_target = False
        self._state_guard.jump_tolerance = settings.jump_tolerance
        self.acceleration.cutoff = settings.acceleration_cutoff

    def continue_from(self, other: GuardedFeedforward, fade_time: float | None = None) -> None:
        """Take over from another one of the same joints, through a fade [s].

        None is the fade of the settings.
        """
        self.mode, self.active, self.enabled = other.mode, other.active, other.enabled
        self.fault, self.blocked = other.fault, other.blocked
        self.reference, self._reference_since = other.reference, other._reference_since
        self.dropped_references = other.dropped_references
        self.effort[:], self._q[:], self._v[:] = other.effort, other._q, other._v
        self._accepted, self._stepped = other._accepted, other._stepped
        self._refused, self._final_command_pending = other._refused, other._final_command_pending
        self._state_guard.continue_from(other._state_guard)
        self._fade.continue_from(other._fade)
        self.limiter.counts[:] = other.limiter.counts
        # Whoever looks at the terms before the next state comes sees some of this robot.
        self.feedforward.hold(self._q)
        self.change(fade_time)

    def last_position(self) -> Array | None:
        """A copy of q (n,) of the last good state [rad or m]; None before there is one."""
        return None if math.isinf(self._accepted) else self._q.copy()

    @property
    def running(self) -> bool:
        """Whether torque is wanted."""
        return self.active and self.enabled and not self.fault

    def age(self, now: float) -> float:
        """Of the last good state [s]; infinite before there is one."""
        return now - self._accepted

    def fresh(self, now: float) -> bool:
        """Whether the last good state is recent enough."""
        return self.age(now) <= self.settings.state_timeout

    @property
    def stopped(self) -> bool:
        """Whether the robot has its last command, or none was ever due."""
        return self.mode is Mode.SILENT and (self.blocked or not self._final_command_pending)

    def cut(self) -> None:
        """Be silent, wherever the command is."""
        self.mode, self._final_command_pending = Mode.SILENT, False

    def longest_fade(self) -> float:
        """How long it may take until the last command is reached, with a second to spare [s]."""
        distance = np.abs(self.effort)
        if self.settings.on_stop == 'hold':
            self.feedforward.hold(self._q)
            limits, gravity = self.limiter.limits, np.abs(self.feedforward.parts[GRAVITY])
            distance += np.where(np.isfinite(limits), limits, gravity)
        longest = float((distance / self.limiter.rates).max())
        return max(self._fade.duration, self._fade_time, self.settings.fade_time) + longest + 1.0

    def change(self, fade_time: float | None = None) -> None:
        """Lead to what is commanded from now on through a fade [s], that of the settings if None.

        Call it when the terms, gravity, friction or the robot itself have changed.
        """
        self._fade_time = self.settings.fade_time if fade_time is None else fade_time
        self._changed = True
        self.double_compensation.forget()

    def follow(self, reference: Trajectory | None, time: float) -> None:
        """Follow a reference that came at that time [s]; None ends the present one."""
        if reference is None and self.reference is not None:
            self.change()
        self.reference, self._reference_since = reference, time

    def forget_times(self) -> None:
        """Forget what the stamps and the reference were: the clock has been set."""
        self._state_guard.forget()
        self.acceleration.forget()
        self.follow(None, 0.0)
        # The robot may be elsewhere too: a simulation that begins anew.
        self.change()

    def answer(
        self,
        stamp: float,
        q: Array,
        v: Array | None,
        effort: Array | None,
        *,
        now: float,
        time: float,
    ) -> Array | None:
        """The command (k,) [N m or N] for a state; None for silence.

        Args:
            stamp: of the state [s], on any clock.
            q: (n,) positions [rad or m].
            v: (n,) velocities [rad/s or m/s]; None if they were not measured.
            effort: (n,) measured efforts [N m or N]; None if they were not.
            now: [s].
            time: [s].

        Raises:
            StateError: the state cannot be trusted, or does not suffice.
        """
        accepted = self._accepted
        try:
            newer = self._state_guard.check(stamp, q, v)
        except StateError:
            self.acceleration.forget()
            self._refused = True
            raise
        # A fade for each state that comes between two good ones would never end.
        if self._refused and np.abs(q - self._q).max() > self.settings.jump_tolerance:
            self.change()
        self._refused = False
        before = self._q.copy()
        self._q[:] = q
        self._v[:] = 0.0 if v is None else v
        if self.settings.acceleration_cutoff and v is not None:
            self.acceleration.update(stamp, v)
        if effort is not None:
            self._compare(effort[self.feedforward.indices], now - accepted)
        if newer:
            self._accepted = now
        try:
            return self._step(now, time, measured_v=v is not None)
        except StateError:
            self._accepted, self._q[:] = accepted, before
            self.acceleration.forget()
            raise

    def tick(self, now: float, time: float) -> Array | None:
        """The command (k,) where no state came, or none that was good; None for silence.

        Call it some hundred times a second while nothing comes.
        """
        waits = self.running and self.fresh(now)
        return None if waits else self._step(now, time)

    def _step(self, now: float, time: float, *, measured_v: bool = True) -> Array | None:
        self._expire_reference(time)
        before = self.mode
        conditions = Conditions(
            running=self.running,
            fresh=self.fresh(now),
            blocked=self.blocked,
            reached_target=self.limiter.reached_target
            and not self._fade.running
            and not self._changed,
            final_command_pending=self._final_command_pending,
        )
        settings = self.settings
        mode = next_mode(before, conditions, on_stale=settings.on_stale, on_stop=settings.on_stop)
        elapsed = now - self._stepped
        if mode is Mode.SILENT:
            self.mode, self._stepped = mode, now
            # Whoever commands in our silence takes over what we owe.
            self._final_command_pending = (
                self._final_command_pending and self.running and not self.blocked
            )
            return None
        target = self._target(mode, time, measured_v)
        self.mode, self._stepped, self._final_command_pending = mode, now, True
        if mode is not before:
            self.change()
        if self._changed:
            self._fade.begin(self.effort, target, self._fade_time)
            self._changed = False
        self._command[:] = target
        self._fade.apply(self._command, elapsed)
        self.limiter.apply(self._command, self.effort, elapsed)
        self.effort[:] = self._command
        return self.effort

    def _target(self, mode: Mode, time: float, measured_v: bool) -> Array:
        feedforward = self.feedforward
        if mode is Mode.ZERO:
            feedforward.parts.fill(0.0)
            return self._zero
        if mode is Mode.HOLD:
            feedforward.hold(self._q)
            return feedforward.effort
        estimate = self.acceleration.a if self.settings.acceleration_cutoff else None
        if not measured_v:
            needing = feedforward.terms_of_measured_velocity(
                self.reference, estimates=estimate is not None
            )
            if needing:
                raise StateError(f'velocity is empty, but the term {needing[0]} needs it')
        reference = None if self.reference is None else self.reference.at(time)
        feedforward.compute(self._q, self._v, reference, estimate)
        return feedforward.effort

    def _expire_reference(self, time: float) -> None:
        if self.reference is None:
            return
        end = self._reference_since
        if self.reference.start < self.reference.end:
            # One point lasts from when it came, whatever its stamp says of the future.
            end = max(self.reference.end, end)
        if time > end + self.settings.reference_timeout:
            self.follow(None, time)
            self.dropped_references += 1

    def _compare(self, effort: Array, elapsed: float) -> None:
        steady = self.mode is Mode.FOLLOW and not self._fade.running
        if steady and 'gravity' in self.feedforward.chosen:
            gravity = self.feedforward.parts[GRAVITY]
            self.double_compensation.observe(effort - self.effort, gravity, elapsed)
