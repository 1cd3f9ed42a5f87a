"""A model of what the guarded feedforward may command, for a state machine of tests."""

import math

import numpy as np
import pytest
from guard_answer import answer
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize
from three_joints import URDF

from robot_dynamics_ros.control.feedforward import TERMS, Feedforward
from robot_dynamics_ros.control.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.control.settings import Settings
from robot_dynamics_ros.control.supervisor import Mode, State
from robot_dynamics_ros.core import RobotDynamics, StateError, parse_urdf

MODEL = parse_urdf(URDF)
ROBOTS = [
    RobotDynamics(model, backend='python')
    for model in (MODEL, MODEL.with_payload('hand', 2.0, (0.1, 0.0, 0.2)))
]
EFFORTS = np.array([np.inf, 200.0, 20.0])
SPEEDS = np.array([np.inf, 1.0, 3.0])
LIMITS = np.array([np.inf, 0.5, 2.0])
# 5 % of a turn or of the range, or 50 ms at the velocity limit.
JUMP = np.array([0.1 * np.pi, 0.05, 0.15])
# A loop that ticks as it should.
PERIOD = 0.005
ROUNDING = 1e-9


def bounded(value, limits):
    return np.clip(value, -limits, limits)


class RobotAndGuard(RuleBasedStateMachine):
    """A robot that moves, what the guard was shown of it, and what the guard may answer."""

    @initialize(
        on_stale=st.sampled_from(['hold', 'zero', 'stop']),
        on_stop=st.sampled_from(['zero', 'hold']),
        offset=st.sampled_from([0.0, -15.0]),
    )
    def begin(self, on_stale, on_stop, offset=0.0):
        self.offset = np.array([offset, 0.5 * offset, -offset])
        self.settings = Settings(
            on_stale=on_stale, on_stop=on_stop, fade_time=0.1, reference_tolerance=(0.0,)
        )
        self.robot = 0
        self.guard = self.make()
        self.state, self.largest = self.guard.supervisor.state, self.limits
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
        self.given = False
        self.last, self.decided = np.zeros(3), -math.inf
        self.expected_end = math.inf

    def make(self):
        feedforward = Feedforward(ROBOTS[self.robot], terms=TERMS, offset=self.offset)
        return GuardedFeedforward(feedforward, self.settings)

    @property
    def time(self):
        """That of the references, on another clock."""
        return self.now - 3.0

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
        return (
            self.guard.supervisor.active
            and self.guard.supervisor.enabled
            and not self.guard.supervisor.fault
        )

    def wait(self, elapsed):
        self.now += elapsed
        self.stamp += elapsed

    def show(self, stamp, q, v):
        """Show a state, NaN for joints not in it; whether it can be accepted is decided here."""
        held = ~np.isnan(q)
        if self.questioned(q):
            return self.refuses('is the unit rad', stamp, q, v)
        self.ever |= held
        known = held & ~np.isnan(self.seen_at)
        elapsed = np.where(known, stamp - self.seen_at, math.inf)
        jumps = np.abs(q - self.seen_q) > self.explained(elapsed)
        refused = (elapsed < 0.0).any() or (known & jumps).any()
        self.ever &= ~(np.abs(q - self.seen_q) > JUMP)
        newer = held & (elapsed > 0.0)
        self.seen_at[held], self.seen_q[held] = stamp, q[held]
        silent = self.guard.mode is Mode.SILENT
        if refused:
            return self.refuses('before that|jumps', stamp, q, v)
        if self.questioned(q):
            return self.refuses('is the unit rad', stamp, q, v)
        self.ever |= held
        begins = self.running and not (silent and self.guard.supervisor.inhibitions)
        times = np.where(newer, self.now, self.good_at)
        until = np.where(newer, self.now + self.settings.state_timeout, self.until)
        begins = begins and (self.now <= until).all() and not self.interrupted
        command = answer(self.guard, stamp, q, v, None, now=self.now, time=self.time)
        self.good, self.good_at, self.until = np.where(held, q, self.good), times, until
        final_command_pending = self.final_command_pending
        self.check(command)
        if begins and self.fresh:
            assert self.guard.mode is Mode.FOLLOW
            assert command is not None
        elif silent and not final_command_pending:
            assert command is None
        else:
            assert self.guard.mode is not Mode.FOLLOW
        return True

    def questioned(self, q):
        """Whether several joints whose place was not checked yet are far outside their limits."""
        # The first turns without end, beyond no limit.
        return np.count_nonzero(~self.ever & (np.abs(q) > LIMITS + 0.5)) > 1

    def refuses(self, words, stamp, q, v):
        """The guard refuses a state with these words, and its last command stays."""
        with pytest.raises(StateError, match=words):
            answer(self.guard, stamp, q, v, None, now=self.now, time=self.time)
        assert np.array_equal(self.guard.effort, self.last)
        return False

    def explained(self, elapsed):
        reach = SPEEDS * np.where(elapsed > 0.0, elapsed, 1.0)
        return np.where(elapsed > 0.0, reach, 0.0) + JUMP

    def reference_over(self):
        return self.guard.reference is None or self.time > self.expected_end

    @property
    def fresh(self):
        return bool((self.now <= self.until).all())

    @property
    def interrupted(self):
        """Whether nothing applies commands to the robot."""
        return self.guard.supervisor.inhibitions.interrupting

    @property
    def final_command_pending(self):
        """Whether it must give a last command, from silence too."""
        return self.given and not self.running and not self.guard.supervisor.inhibitions

    def tick(self):
        waits = self.running and self.fresh and not self.interrupted
        silent = self.guard.mode is Mode.SILENT and not self.final_command_pending
        command = self.guard.command_without_state(self.now, self.time)
        if command is not None or not waits:
            self.check(command)
        if waits or silent:
            assert command is None
        elif self.running and self.settings.on_stale == 'stop':
            assert self.guard.mode is Mode.SILENT
        return command

    def check(self, command):
        """What holds of every decision."""
        elapsed, self.decided = self.now - self.decided, self.now
        assert (command is None) == (self.guard.mode is Mode.SILENT)
        before, self.state = self.state, self.guard.supervisor.state
        lost = before is State.HOLDING and self.state is State.SILENT
        if self.interrupted or lost:
            assert command is None
            # The robot has no torque of this guard any more.
            self.last, self.largest, self.expected_end = np.zeros(3), self.limits, math.inf
        if command is None:
            self.given = self.given and self.running and not self.guard.supervisor.inhibitions
            return
        self.given = True
        step = self.rates * min(elapsed, 0.02) if elapsed else np.zeros(3)
        assert np.isfinite(command).all()
        assert (np.abs(command - self.last) <= step + ROUNDING).all()
        back = np.abs(self.last) - np.abs(command)
        assert ((np.abs(command) <= self.limits) | (back >= step - ROUNDING)).all()
        self.last, self.commanded_at = command.copy(), self.good
