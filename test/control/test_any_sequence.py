"""Whatever happens to the guarded feedforward, in any order: what it commands is safe."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from property_settings import examples
from shown_states import answer
from three_joints import URDF

from robot_dynamics_ros.control.feedforward import TERMS, Feedforward
from robot_dynamics_ros.control.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.control.reference import TIMEOUT
from robot_dynamics_ros.control.settings import Settings
from robot_dynamics_ros.control.supervisor import REPEATS, Inhibition, Target
from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core import RobotDynamics, StateError, parse_urdf

MODEL = parse_urdf(URDF)
ROBOTS = [
    RobotDynamics(model) for model in (MODEL, MODEL.with_payload('hand', 2.0, (0.1, 0.0, 0.2)))
]
EFFORTS = np.array([np.inf, 200.0, 20.0])
# The first has no velocity limit: its range in a second, or what is measured or estimated.
SPEEDS = np.array([2.0 * np.pi, 1.0, 3.0])
LIMITS = np.array([np.inf, 0.5, 2.0])
# 5 % of a turn or of the range, or 50 ms at the velocity limit.
JUMP = np.array([0.1 * np.pi, 0.05, 0.15])
# A loop that ticks as it should.
PERIOD = 0.005
ROUNDING = 1e-9
SWITCHES = ('active', False), ('enabled', False), ('fault', 'wrong')
shares = arrays(float, 3, elements=st.floats(-1.0, 1.0))
some = st.lists(st.booleans(), min_size=3, max_size=3)
short = st.sampled_from([1e-4, 0.001, 0.01, 0.05])
REACTIONS = {
    'on_stale': st.sampled_from(['hold', 'zero', 'stop']),
    'on_stop': st.sampled_from(['zero', 'hold']),
}


def bounded(value, limits):
    return np.clip(value, -limits, limits)


class RobotAndGuard(RuleBasedStateMachine):
    """A robot that moves, what the guard was shown of it, and what the guard may answer."""

    @initialize(offset=st.sampled_from([0.0, -15.0]), **REACTIONS)
    def begin(self, on_stale, on_stop, offset):
        self.offset = np.array([offset, 0.5 * offset, -offset])
        self.settings = Settings(
            on_stale=on_stale, on_stop=on_stop, fade_time=0.1, reference_tolerance=math.inf
        )
        self.robot = 0
        feedforward = Feedforward(ROBOTS[self.robot], terms=TERMS, offset=self.offset)
        self.guard = GuardedFeedforward(feedforward, self.settings)
        self.largest = self.limits
        self.now, self.stamp = 5.0, 100.0
        self.q, self.v = np.array([0.3, 0.1, -0.7]), np.zeros(3)
        # Of each joint: the stamp and position that the state guard saw last, whether it ever saw
        # one and no large step since, the last good position and its time.
        self.seen_at, self.seen_q = np.full(3, np.nan), np.zeros(3)
        self.ever = np.zeros(3, dtype=bool)
        self.good, self.good_at = np.zeros(3), np.full(3, -math.inf)
        # Until when it is fresh: a longer timeout counts from the next state on.
        self.until = np.full(3, -math.inf)
        # The last good position when the last command was given.
        self.commanded_at = None
        self.last = self.spoken = np.zeros(3)
        self.decided = math.inf
        self.expected_end = math.inf

    @property
    def limits(self):
        return np.array(self.settings.effort_limits or EFFORTS)

    @property
    def rates(self):
        """Ten times the limits, or the command at which they were lowered, in a second."""
        known = np.isfinite(self.largest) & (self.largest > 0.0)
        return np.where(known, 10.0 * self.largest, 1000.0)

    @property
    def running(self):
        supervisor = self.guard.supervisor
        stopped = supervisor.fault or supervisor.double_gravity
        return supervisor.active and supervisor.enabled and not stopped

    def wait(self, elapsed):
        self.now += elapsed
        self.stamp += elapsed

    def show(self, stamp, q, v):
        """Show a state, NaN for joints not in it; whether it can be accepted is decided here."""
        held = ~np.isnan(q)
        step = np.abs(q - self.seen_q)
        # The first turns without end: some drivers wrap its angle.
        step[0] = min(step[0], abs(np.remainder(step[0] + np.pi, 2.0 * np.pi) - np.pi))
        self.ever &= ~(step > JUMP)
        # Whether several joints whose place was not checked yet are far outside their limits; the
        # first turns without end, beyond no limit.
        if np.count_nonzero(~self.ever & (np.abs(q) > LIMITS + 0.5)) > 1:
            return self.refuses('is the unit rad', stamp, q, v)
        self.ever |= held
        known = held & ~np.isnan(self.seen_at)
        elapsed = np.where(known, stamp - self.seen_at, math.inf)
        speeds, shown = SPEEDS.copy(), 0.0 if v is None else v[0]
        speeds[0] = np.nanmax(np.abs([speeds[0], self.guard.state.v[0], shown]))
        reach = speeds * np.maximum(elapsed, 0.0) + JUMP
        jumps = step > reach
        newer = held & (elapsed > 0.0)
        self.seen_at[held], self.seen_q[held] = stamp, q[held]
        silent = self.guard.silent
        if (elapsed < 0.0).any() or (known & jumps).any():
            return self.refuses('before that|jumps', stamp, q, v)
        begins = self.running and not (silent and self.guard.supervisor.inhibitions)
        times = np.where(newer, self.now, self.good_at)
        until = np.where(newer, self.now + self.settings.state_timeout, self.until)
        begins = begins and (self.now <= until).all() and not self.interrupted
        command = answer(self.guard, stamp, q, v, None, now=self.now)
        self.good, self.good_at, self.until = np.where(held, q, self.good), times, until
        self.check(command)
        if begins and self.fresh:
            assert self.guard.target is Target.TERMS
            assert command is not None
        elif silent:
            assert command is None
        else:
            assert self.guard.target is not Target.TERMS
        return True

    def refuses(self, words, stamp, q, v):
        """The guard refuses a state with these words, and its last command stays."""
        with pytest.raises(StateError, match=words):
            answer(self.guard, stamp, q, v, None, now=self.now)
        assert np.array_equal(self.guard.effort, self.spoken)
        return False

    @property
    def fresh(self):
        return bool((self.now <= self.until).all())

    @property
    def interrupted(self):
        """Whether nothing applies commands to the robot."""
        return self.guard.supervisor.inhibitions.interrupting

    def tick(self):
        waits = self.running and self.fresh and not self.interrupted
        silent = self.guard.silent
        command = self.guard.command_without_state(self.now)
        if command is not None or not waits:
            self.check(command)
        if waits or silent:
            assert command is None
        elif self.running and self.settings.on_stale == 'stop':
            assert self.guard.target is Target.NOTHING
        return command

    def check(self, command):
        """What holds of every decision."""
        elapsed, self.decided = self.now - self.decided, self.now
        assert (command is None) == (self.guard.target is Target.NOTHING)
        if command is None:
            # What the drive applies is not known: what follows begins at zero.
            self.last, self.largest, self.expected_end = np.zeros(3), self.limits, math.inf
            self.decided = math.inf
            return
        step = self.rates * min(elapsed, 0.02) if elapsed > 0.0 else np.zeros(3)
        assert np.isfinite(command).all()
        assert (np.abs(command - self.last) <= step + ROUNDING).all()
        back = np.abs(self.last) - np.abs(command)
        assert ((np.abs(command) <= self.limits) | (back >= step - ROUNDING)).all()
        self.last = self.spoken = command.copy()
        self.commanded_at = self.good


class AnySequence(RobotAndGuard):
    """Everything that may happen to the robot and to the guard, in any order."""

    def move(self, elapsed, share):
        self.wait(elapsed)
        self.v = share * np.array([5.0, 1.0, 3.0])
        self.q = bounded(self.q + self.v * elapsed, LIMITS)

    @rule(elapsed=short, share=shares, measured=st.booleans())
    def moves(self, elapsed, share, measured):
        self.move(elapsed, share)
        self.show(self.stamp, self.q, self.v if measured else None)

    @rule(elapsed=short, share=shares, held=some.filter(any), measured=some)
    def is_shown_in_part(self, elapsed, share, held, measured):
        """Some joints, and the velocities of some: one of several drivers speaks."""
        self.move(elapsed, share)
        shown = np.where(held, self.q, np.nan)
        self.show(self.stamp, shown, np.where(np.array(held) & measured, self.v, np.nan))

    @rule(share=shares)
    def jumps(self, share):
        """A wrong reading: the robot is where it was."""
        self.wait(PERIOD)
        self.show(self.stamp, self.q + 5.0 * share, self.v)

    @rule(earlier=st.floats(0.0, 10.0))
    def is_shown_late(self, earlier):
        self.wait(PERIOD)
        self.show(self.stamp - earlier, self.q, self.v)

    @rule(elapsed=st.sampled_from([0.0, 0.003, 0.05, 0.5, 10.0]))
    def pauses(self, elapsed):
        self.wait(elapsed)
        self.tick()

    @rule(switch=st.sampled_from([*SWITCHES, ('active', True), ('enabled', True), ('fault', '')]))
    def is_switched(self, switch):
        setattr(self.guard.supervisor, *switch)

    @rule(interrupts=st.sampled_from([None, False, True]))
    def is_inhibited(self, interrupts):
        inhibition = None if interrupts is None else Inhibition('other', interrupts)
        self.guard.supervisor.inhibitions.put('test', inhibition)

    @rule()
    def begins(self):
        supervisor = self.guard.supervisor
        supervisor.active = True
        self.guard.enable()
        supervisor.inhibitions.clear()
        self.wait(PERIOD)
        self.show(self.stamp, self.q, self.v)

    @rule(share=shares, count=st.integers(1, 4), start=st.floats(-0.5, 0.5))
    def gets_a_reference(self, share, count, start):
        points = [
            Point(self.now + start + 0.2 * index, (index + 1) * share, share, -share)
            for index in range(count)
        ]
        self.guard.set_reference(Trajectory(points), self.now)
        # A single point lasts from when it came, even if it is for later.
        end = self.now if count == 1 else max(points[-1].time, self.now)
        self.expected_end = end + TIMEOUT

    @rule(
        scale=st.sampled_from([0.0, 0.1, 1.0]),
        fade_time=st.sampled_from([0.0, 0.05, 0.3]),
        state_timeout=st.sampled_from([0.04, 0.1, 0.3]),
        **REACTIONS,
    )
    def gets_other_settings(self, **values):
        # A joint without a limit has none then either, but where all torque is taken away.
        scale = values.pop('scale')
        values['effort_limits'] = tuple(scale * EFFORTS if scale else (0.0,) * 3)
        self.settings = replace(self.settings, **values)
        self.guard.apply(self.settings)
        self.largest = np.maximum(self.limits, np.abs(self.last))
        self.until = np.minimum(self.until, self.good_at + self.settings.state_timeout)

    @rule(fade_time=st.sampled_from([None, 0.0, 0.2]))
    def gets_another_payload(self, fade_time):
        self.robot = 1 - self.robot
        self.guard.feedforward.use(ROBOTS[self.robot])
        self.guard.request_fade(fade_time)

    @rule(jump=st.floats(-100.0, 100.0))
    def has_its_clock_set(self, jump):
        self.stamp += jump
        self.guard.set_clock(self.now)
        self.seen_at[:] = np.nan

    @precondition(lambda self: self.running and not self.guard.supervisor.inhibitions)
    @rule()
    def settles(self):
        """At rest, in the end, it is told what it weighs, or what its reference needs."""
        self.v = np.zeros(3)
        dynamics = ROBOTS[self.robot]
        present = self.guard.reference
        for _ in self.rest():
            self.show(self.stamp, self.q, self.v)
        if self.guard.reference is not present:
            # It was over meanwhile, perhaps just now.
            for _ in self.rest():
                self.show(self.stamp, self.q, self.v)
        if self.guard.supervisor.double_gravity:
            # A joint that no message showed had moved, by no torque: that is seen now.
            assert self.guard.target in (Target.ZERO, Target.NOTHING)
            assert not self.last.any()
            return
        target = dynamics.gravity_torque(self.q)
        reference = self.guard.reference
        if reference is not None:
            if len(reference.points) > 1 and self.now < reference.end + 0.1:
                return
            target = dynamics.inverse_dynamics(*reference.at(self.now))
        self.has_reached(target + self.offset)
        assert self.guard.target is Target.TERMS

    def rest(self):
        """Periods, long enough for any fade, and for the way from one limit to the other."""
        largest = np.maximum(np.abs(self.last), np.where(self.limits < 1e9, self.limits, 100.0))
        longest = 0.41 + 2.0 * float((largest / self.rates).max())
        for _ in range(math.ceil(longest / PERIOD)):
            self.wait(PERIOD)
            yield

    def has_reached(self, target):
        assert np.allclose(self.last, bounded(target, self.limits), rtol=1e-12, atol=1e-12)

    @precondition(
        lambda self: self.running and self.guard.target is Target.TERMS and not self.interrupted
    )
    @rule()
    def falls_stale(self):
        """Ticks alone lead to what on_stale says, from the last good state."""
        self.wait(self.settings.state_timeout + 0.001)
        for _ in self.rest():
            self.tick()
        if self.settings.on_stale == 'stop':
            assert self.guard.target is Target.NOTHING
            return
        held = ROBOTS[self.robot].gravity_torque(self.good) + self.offset
        self.has_reached(held if self.settings.on_stale == 'hold' else np.zeros(3))

    @precondition(lambda self: self.guard.target is not Target.NOTHING and not self.interrupted)
    @rule(switch=st.sampled_from(SWITCHES), moves=st.booleans())
    def stops(self, switch, moves):
        """On any of the three ways; while states come, or while none does."""
        setattr(self.guard.supervisor, *switch)
        end = self.now + self.guard.longest_fade() + (REPEATS + 4) * PERIOD
        while self.guard.target is not Target.NOTHING:
            self.wait(PERIOD)
            if moves:
                self.show(self.stamp, self.q, np.zeros(3))
            self.tick()
            assert self.now <= end
        target = np.zeros(3)
        if self.settings.on_stop == 'hold' and not self.guard.supervisor.double_gravity:
            # Not that of the last state: the one in whose cycle it falls silent has no command.
            target = ROBOTS[self.robot].gravity_torque(self.commanded_at) + self.offset
        np.testing.assert_allclose(
            self.spoken, bounded(target, self.limits), rtol=1e-12, atol=1e-12
        )

    @invariant()
    def the_effort_is_what_was_commanded_last(self):
        assert np.array_equal(self.guard.effort, self.spoken)

    @invariant()
    def a_reference_is_dropped_in_time(self):
        if self.decided == self.now and self.now > self.expected_end + ROUNDING:
            assert self.guard.reference is None


AnySequence.TestCase.settings = examples(60, stateful_step_count=30, deadline=None)
TestAnySequence = AnySequence.TestCase
