"""From joint states to safe torques: the five objects, and their order.

`StateFilter` takes or refuses a state, `Supervisor` decides what is commanded, `StartTorque` where
commands begin, `Feedforward` computes the target, `Limiter` leads the command there.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array, all_finite
from robot_dynamics_ros.core.errors import StateError

from .driver_effort import EffortFit, GravityFit, applied_torque, shows_added_gravity
from .external.drive_torques import GivenState
from .external.estimate import ExternalForceEstimate
from .feedforward import GRAVITY, Feedforward
from .first_fade import REMEDY, FirstFade
from .limiter import Limiter
from .reference import Reference
from .settings import Settings, torque_limits
from .start_torque import ZERO, StartTorque
from .state_filter import StateFilter
from .supervisor import AT_ONCE, LONGEST_STALE, REPEATS, TRANSITIONS, State, Supervisor, Target
from .torque_text import joint_torques, units_of
from .trajectory import Trajectory

# The concern of the inhibition that `StartTorque` decides on.
START = 'start'


class GuardedFeedforward:
    """Turns the joint states of a robot into commands.

    `now` is the clock of the node, for the age of states, fades and references alike.

    Attributes:
        feedforward: computes the torque.
        settings: of all that follows.
        state: the last good measurement of each joint.
        supervisor: what is commanded, and why nothing is.
        followed: the reference, and why the last one was dropped.
        limiter: the last command, and how often it was limited.
        start: where commands begin.
        first_fade: watches the arm while gravity fades in from zero.
        double_compensation: fits what exceeds the commands in the measured efforts: g(q), where a
            driver adds gravity.
        efforts: compares efforts at rest with what `driver_effort` says of them.
        external: estimate of the external torques; None while it is off.
    """

    def __init__(self, feedforward: Feedforward, settings: Settings) -> None:
        """Guard a feedforward; not active yet.

        Raises:
            ParameterError: the settings do not fit its joints.
        """
        self.feedforward, self.settings = feedforward, settings
        feedforward.feed_back(settings.friction_share)
        self._model, joints = feedforward.dynamics.model, feedforward.joints
        size = len(joints)
        self.state = StateFilter(self._model, feedforward.indices, settings.state_timeout)
        self.supervisor = Supervisor()
        limits = torque_limits(self._model, joints, settings)
        self.limiter = Limiter(limits, settings.fade_time)
        self.followed = Reference(feedforward)
        self.followed.allow(limits, settings.reference_tolerance)
        self.start = StartTorque(self.limiter)
        self.first_fade, self.double_compensation = FirstFade(joints), GravityFit()
        bounds = self._model.effort_bounds[feedforward.indices]
        self.efforts = EffortFit(bounds, settings.driver_effort)
        self.external: ExternalForceEstimate | None = None
        self._velocity_limits = self._model.velocity_bounds[feedforward.indices]
        # Whether a state has contained efforts of use; the last one of each joint (k,), as the
        # driver publishes it, NaN where it was not measured.
        self._has_efforts = False
        self._efforts = np.full(size, math.nan)
        # The target of the last command, whether gravity was in it, and how often that was the
        # final command.
        self._target, self._with_gravity, self._reached = Target.NOTHING, False, 0
        # The latest time; when the last step was, and since when a joint has been too fast [s].
        self._now, self._stepped, self._fast_since = 0.0, -math.inf, math.nan

    def apply(self, settings: Settings) -> None:
        """Use other settings from the next step on; a running fade keeps its duration.

        Raises:
            ParameterError: they do not fit the joints.
        """
        limits = torque_limits(self._model, self.feedforward.joints, settings)
        self.limiter.use(limits, settings.fade_time)
        self.followed.allow(limits, settings.reference_tolerance)
        self.state.use_timeout(settings.state_timeout)
        self.efforts.use(settings.driver_effort)
        if settings.driver_effort != self.settings.driver_effort:
            self.double_compensation.reset()
        if settings.friction_share != self.settings.friction_share:
            self.feedforward.feed_back(settings.friction_share)
            self.request_fade()
        self.settings = settings
        self.start.watch_anew()

    @property
    def target(self) -> Target:
        """What the command is led to."""
        return self.supervisor.target(self.settings)

    @property
    def effort(self) -> Array:
        """The last command (k,) [N m or N]."""
        return self.limiter.effort

    @property
    def reference(self) -> Trajectory | None:
        """The motion to follow; None for the measured state."""
        return self.followed.trajectory

    @property
    def fade_left(self) -> float:
        """Time left of a fade of commands [s]."""
        return 0.0 if self.silent else self.limiter.fade_left

    @property
    def silent(self) -> bool:
        """Whether nothing is published: the final command has been given, or none is due."""
        return self.supervisor.state is State.SILENT

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

        It takes `fade_time` [s]; None for that of the settings.
        """
        self.limiter.request_fade(fade_time)
        self.double_compensation.reset()

    def enable(self) -> None:
        """Torque is wanted: a fault and a reaction end, and the start is decided anew."""
        self.supervisor.enabled = True
        self.supervisor.acknowledge()
        self.start.watch_anew()

    def silence(self) -> None:
        """Command nothing from now on, without a fade and without a final command."""
        if not self.silent:
            self.supervisor.state = State.SILENT
            self._forget()

    def another_commanded(self) -> None:
        """Another publisher has commanded the robot while this one is silent."""
        if self.silent:
            self.start.forget(None, another=True)

    def set_reference(self, reference: Trajectory | None, now: float) -> None:
        """Follow a reference from now [s] on; None: the measured state, through a fade.

        Raises:
            StateError: it is too far from the last good state, or a reaction has not been
                acknowledged; the one before stays.
        """
        if reference is not None and self.supervisor.reaction:
            raise StateError(f'{self.supervisor.reaction}: call ~/enable')
        if reference is None and self.reference is not None:
            self.request_fade()
        self.followed.set(reference, now, self.state.q if self.state.complete else None)

    def begin_of_reference(self, now: float) -> Array | None:
        """Rows q, v, a (3, k) at which a new reference begins [rad or m, per s, per s^2].

        That is where the present reference is, so that references which follow each other are one
        motion; without one, where the arm is. None if that is not known.
        """
        if not self.state.complete:
            return None
        if self.reference is not None and not self.silent:
            return self.reference.at(now)
        indices = self.feedforward.indices
        q, v = self.state.q[indices], self.state.v[indices]
        return np.array([q, v, np.zeros_like(q)])

    def set_clock(self, now: float) -> None:
        """The clock has been set to this time [s]: drop what was compared with the one before."""
        step, self._now = now - self._now, now
        self.state.set_clock(step)
        self.efforts.reset()
        self._stepped += step
        self._fast_since = math.nan
        self.first_fade.end()
        if self.external is not None:
            self.external.reset()
        self.set_reference(None, now)
        self.start.watch_anew()
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
            effort: (n,) as the driver publishes it, see `driver_effort`; None if it does not.
            now: [s].

        Raises:
            StateError: the state filter refuses the state; the last good one stays.
        """
        self._now = now
        # Only after a move: with each second state refused, a fade would begin again and again.
        if self.state.update(stamp, q, v, now):
            self.request_fade()
            self.feedforward.forget()
            self.first_fade.end()
            if self.external is not None:
                self.external.reset()
        held = ~np.isnan(q[self.feedforward.indices])
        if not held.any():
            # A gripper, in a message of its own.
            return False
        own = None if effort is None else effort[self.feedforward.indices]
        measured = applied_torque(own, self.settings.driver_effort)
        np.copyto(self._efforts, math.nan if own is None else own, where=held)
        self._compare(now)
        if self.external is not None:
            self._observe(self.external, stamp, GivenState(q, v, effort))
        # Joints may come in several messages, of which one contains efforts.
        self._has_efforts |= measured is not None
        return not self.silent or self._decide_start(measured, held, now)

    def command(self, now: float) -> Array | None:
        """The command (k,) for the states that were taken [N m or N]; None for nothing.

        Raises:
            StateError: the torque is not finite; the last command stays.
        """
        if self.followed.over(now):
            self._drop_reference(now)
        supervisor, before = self.supervisor, self.supervisor.state
        self._watch_speed()
        event = supervisor.find(
            self.settings,
            fresh=self.state.fresh(now),
            lost=not self.state.fresh(now - LONGEST_STALE),
            finished=self._target is self.target
            and self.limiter.reached_target
            and self._reached > REPEATS,
        )
        state = TRANSITIONS[before][event]
        # A reference belongs to the commands that follow it. It may wait for their begin.
        waits = state is before is State.SILENT
        if not (waits or state is State.TRACKING or self.reference is None):
            self._drop_reference(now)
        target = supervisor.target(self.settings, state)
        fade_time, elapsed = supervisor.enter(event), max(now - self._stepped, 0.0)
        if before is State.SILENT:
            # The first command is where the drive is.
            elapsed = 0.0
        self._stepped = now
        if target is Target.NOTHING:
            if before is not State.SILENT:
                self._forget()
            return None
        torque = self._torque(target, now, elapsed)
        if before is State.SILENT:
            self.start.begin()
            self.double_compensation.reset()
        self._experiment(target, now, begins=before is State.SILENT)
        if target is not self._target or (event in AT_ONCE and self.limiter.fading):
            self.request_fade(fade_time)
            self._reached = 0
        self._target = target
        self.limiter.step(torque, elapsed)
        final = self.limiter.reached_target and not supervisor.running
        self._reached = self._reached + 1 if final else 0
        return self.effort

    def command_without_state(self, now: float) -> Array | None:
        """The command (k,) [N m or N] while no good state comes; None if none is due.

        Call it some hundred times a second while no state comes, with the time [s].
        """
        self._now = now
        supervisor = self.supervisor
        goes_on = supervisor.running and not (
            supervisor.inhibitions.interrupting or supervisor.double_gravity
        )
        return None if goes_on and self.state.fresh(now) else self.command(now)

    def _forget(self) -> None:
        """Whoever publishes nothing does not know what the drive applies."""
        self.start.forget(self.effort)
        self.first_fade.end()
        self.feedforward.forget()
        self._target, self._with_gravity, self._reached = Target.NOTHING, False, 0

    def _decide_start(self, effort: Array | None, held: npt.NDArray[np.bool_], now: float) -> bool:
        """Watch a state where that is needed; whether it was, or need not be, decided by it."""
        inhibition, supervisor, rule = None, self.supervisor, self.settings.on_restart
        gravity = 'gravity' in self.feedforward.selected_terms
        waits = not supervisor.running or supervisor.inhibitions.keys() - {START}
        if not waits and self.start.needs_states(self._has_efforts, rule, gravity):
            q, timeout = self.state.q[self.feedforward.indices], self.settings.state_timeout
            if not self.start.watch(q, effort, held, now, timeout=timeout):
                return False
            self.feedforward.hold(self.state.q)
            inhibition = self.start.decide(self.feedforward.effort, rule)
        else:
            self.start.watch_anew()
        supervisor.inhibitions.put(START, inhibition)
        return True

    def _torque(self, target: Target, now: float, elapsed: float) -> Array:
        """The torque (k,) of a target, before fade and limits [N m or N]."""
        feedforward, state = self.feedforward, self.state
        if target is Target.ZERO:
            feedforward.relax()
        elif target is Target.GRAVITY:
            feedforward.hold(state.q)
        else:
            reference = self.followed.at(now, state.q)
            if reference is None and self.reference is not None:
                self._drop_reference(now)
            # The first command, and one after a pause, begin a motion.
            follows = elapsed <= self.settings.state_timeout
            dropped = feedforward.watch.dropped
            feedforward.compute(state.q, state.v, reference, elapsed=elapsed if follows else 0.0)
            if feedforward.watch.dropped != dropped:
                self.request_fade()
            if not math.isnan(self._fast_since):
                return self._not_driven_on(feedforward.effort)
        return feedforward.effort

    def _experiment(self, target: Target, now: float, *, begins: bool) -> None:
        """Watch the arm while gravity fades in from zero: nothing else may lift it.

        A position loop that holds the arm, which the measured efforts then show, lifts it by its
        sag while gravity fades in: the efforts tell later, see `_compare`.
        """
        feedforward, watched = self.feedforward, self.first_fade
        gravity = target in (Target.TERMS, Target.GRAVITY) and (
            'gravity' in feedforward.selected_terms
        )
        q, needed = self.state.q[feedforward.indices], feedforward.parts[GRAVITY]
        if gravity and not self._with_gravity and (not begins or self.start.torque == ZERO):
            applied = applied_torque(self._efforts, self.settings.driver_effort)
            if applied is None or not self.start.equal(applied, needed).all():
                duration = self.settings.fade_time
                watched.begin(q, needed, self._kinetic_energy(), now, duration)
        elif not gravity or self.reference is not None:
            watched.end()
        self._with_gravity = gravity
        if watched.running:
            energy, lags = self._kinetic_energy(), self.state.derived[feedforward.indices].any()
            self.supervisor.double_gravity = watched.step(
                q, needed, energy, self.effort, now, self.limiter.limits, lags=bool(lags)
            )

    def _kinetic_energy(self) -> float:
        """That of the last good state [J]."""
        v = self.state.v
        return 0.5 * float(v @ self.feedforward.dynamics.mass_matrix(self.state.q) @ v)

    def _watch_speed(self) -> None:
        """Command gravity alone, or zero, where a joint stays beyond its velocity limit."""
        v = self.state.v[self.feedforward.indices]
        shares = np.abs(v) / self._velocity_limits
        if not (shares > 1.0).any() or self.supervisor.state is not State.TRACKING:
            self._fast_since = math.nan
            return
        if math.isnan(self._fast_since):
            self._fast_since = self.state.time
        elif self.state.time - self._fast_since > self.settings.state_timeout:
            worst = int(shares.argmax())
            # It cannot fall upwards: something else holds it too, or has thrown it.
            driven = bool((self._held() * v)[worst] > 0.0)
            self.supervisor.react(
                f'{self.feedforward.joints[worst]} moves at {v[worst]:.3g}, its velocity limit is '
                f'{self._velocity_limits[worst]:.3g} [rad/s or m/s]'
                + ', and gravity compensation drives it on: does the driver add gravity?'
                * driven,
                'zero' if driven else 'hold',
            )

    def _not_driven_on(self, effort: Array) -> Array:
        """A torque (k,) without what drives a joint on that is beyond its velocity limit."""
        v, held = self.state.v[self.feedforward.indices], self._held()
        drives = (np.abs(v) > self._velocity_limits) & ((effort - held) * v > 0.0)
        return np.where(drives, np.where(held * v > 0.0, 0.0, held), effort)

    def _held(self) -> Array:
        """The gravity torque (k,) of the last evaluation, if it is commanded [N m or N]."""
        selected = 'gravity' in self.feedforward.selected_terms
        return self.feedforward.parts[GRAVITY] * selected

    def _drop_reference(self, now: float) -> None:
        """Go back to the measured state, through a fade."""
        self.set_reference(None, now)
        self.followed.dropped += 1

    def _compare(self, now: float) -> None:
        """Compare the efforts with the last command, and with gravity at rest."""
        applied = applied_torque(self._efforts, self.settings.driver_effort)
        if applied is None or not all_finite(applied):
            return
        steady = self.supervisor.state is State.TRACKING and not self.limiter.fading
        commanded = steady and 'gravity' in self.feedforward.selected_terms
        if self.state.complete:
            v = self.state.v[self.feedforward.indices]
            self.efforts.watch(self._efforts, v, self._gravity, now, commanded=commanded)
        if not (commanded and shows_added_gravity(self.settings.driver_effort)):
            return
        compared, gravity = self.double_compensation, self.feedforward.parts[GRAVITY]
        compared.observe(applied - self.effort, gravity, compared.elapsed(now))
        if compared.is_gravity:
            self.supervisor.double_gravity = (
                f'the measured efforts exceed the command by {compared.share:.2f} times gravity: '
                f'{REMEDY}'
            )

    def _gravity(self) -> Array:
        """The gravity torque (k,) at the last good state [N m or N]."""
        dynamics = self.feedforward.dynamics
        return dynamics.gravity_torque(self.state.q)[self.feedforward.indices]

    def _observe(self, external: ExternalForceEstimate, stamp: float, given: GivenState) -> None:
        """Estimate external torques at the last good state, and react to a collision."""
        state, timeout = self.state, self.settings.state_timeout
        external.update(stamp, state.q, state.v, given, longest_interval=timeout)
        if external.contact.collides and self.supervisor.running and not self.silent:
            self.supervisor.react(external.touch(), self.settings.on_collision)
