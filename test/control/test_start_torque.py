"""Where commands begin that continue no known command: at zero, or at the torque of a held arm."""

from dataclasses import replace

import numpy as np
import pytest
from shown_states import DYNAMICS, GRAVITY, PARTS, PERIOD, REST, Driver, Q

from robot_dynamics_ros.control.limiter import LONGEST_STEP
from robot_dynamics_ros.control.settings import Settings
from robot_dynamics_ros.control.start_torque import WATCHED
from robot_dynamics_ros.control.supervisor import Inhibition

INACTIVE = Inhibition('the controller is inactive', interrupts=True)
OTHER_WRIST = GRAVITY + np.array([0.0, 0.0, 2.0])
NO_WRIST = np.where([False, False, True], np.nan, GRAVITY)


class Arm(Driver):
    """Shows its states to a guard until the first command; keeps all commands."""

    def __init__(self, terms=('gravity',), joints=(), **settings):
        given = {'on_restart': 'take_over', 'fade_time': 0.2} | settings
        super().__init__(Settings(**given), terms, joints)
        self.commands = []

    def show(self, q=Q, v=REST, effort=GRAVITY):
        command = super().show(q, v, effort)
        if command is not None:
            self.commands.append(command)
        return command

    def first(self, speed=0.0, **state):
        """The first command of an arm whose joints move at this speed, and its time."""
        begin = self.now
        for _ in range(200):
            q = Q + speed * (self.now - begin)
            if self.show(q, v=REST + speed, **state) is not None:
                return self.commands[-1], self.now - begin
        raise AssertionError('no command within a second')

    def change(self, **settings):
        self.guard.apply(replace(self.guard.settings, **settings))

    def interrupt(self, seconds=PERIOD):
        """The controller is deactivated, and activated."""
        self.guard.supervisor.inhibitions.put('controller', INACTIVE)
        assert all(self.show() is None for _ in range(round(seconds / PERIOD)))
        self.guard.supervisor.inhibitions.put('controller', None)


class ArmInParts(Arm):
    """An arm whose joints come in two messages in turn."""

    shown = 0

    def show(self, q=Q, v=REST, effort=GRAVITY):
        part = PARTS[self.shown % 2]
        self.shown += 1
        effort = None if effort is None else np.where(part, effort, np.nan)
        return super().show(np.where(part, q, np.nan), np.where(part, v, np.nan), effort)


KINDS = pytest.mark.parametrize('kind', [Arm, ArmInParts])


def interrupted(kind=Arm):
    """An arm at its gravity torque whose controller was deactivated and activated."""
    arm = kind(on_restart='fade_from_zero')
    arm.first()
    for _ in range(100):
        arm.show()
    np.testing.assert_allclose(arm.commands[-1], GRAVITY, rtol=1e-12)
    arm.interrupt(10 * PERIOD)
    assert arm.guard.silent
    return arm


# Rule, whether another publisher was seen, efforts as a multiple of gravity or as they are, the
# speed, and the share of gravity at which commands begin; None where they must not.
CASES = [
    ('take_over', False, 1.0, 0.0, 1.0),
    ('take_over', False, None, 0.0, 1.0),
    ('take_over', False, np.nan, 0.0, 1.0),
    ('take_over', False, 0.0, 0.0, 0.0),
    ('take_over', False, 2.0, 0.0, 0.0),
    ('take_over', False, OTHER_WRIST, 0.0, 0.0),
    ('take_over', False, None, -0.1, 0.0),
    ('automatic', True, 1.0, 0.0, 1.0),
    ('automatic', True, None, 0.0, 1.0),
    ('automatic', False, 1.0, 0.0, None),
    ('automatic', False, 0.1, 0.0, 0.0),
    ('automatic', False, None, 0.0, 0.0),
    # It carries a part of its weight: held by a command for another payload, or another position.
    *(('automatic', True, share, 0.0, None) for share in (0.5, 1.3, 1.5)),
    ('fade_from_zero', False, 1.0, 0.0, 0.0),
]


@KINDS
@pytest.mark.parametrize(('rule', 'seen', 'effort', 'speed', 'share'), CASES, ids=str)
def test_where_commands_begin(kind, rule, seen, effort, speed, share):
    """The table of docs/safety.md; then, and from there, the arm gets its gravity torque."""
    arm = kind(on_restart=rule)
    if seen:
        arm.guard.another_commanded()
    if effort is not None and effort is not OTHER_WRIST:
        effort = effort * GRAVITY
    if share is None:
        assert all(arm.show(effort=effort) is None for _ in range(200))
        return
    command, waited = arm.first(speed=speed, effort=effort)
    np.testing.assert_allclose(command, share * GRAVITY, rtol=1e-12)
    assert WATCHED * (share > 0.0) <= waited <= WATCHED + 3 * PERIOD
    if speed:
        return
    commands = [arm.show(effort=None) for _ in range(100)]
    np.testing.assert_allclose(commands[-1], GRAVITY, rtol=1e-9)
    if share:
        np.testing.assert_allclose(commands, [GRAVITY] * 100, rtol=1e-9)


def test_the_step_is_within_the_rate_limit_where_efforts_are_measured():
    """From the torque that the robot has to the first command, whatever is measured."""
    rates = np.array([1000.0, 2000.0, 200.0])
    begun = 0
    for share in np.linspace(-0.5, 2.0, 51):
        measured = share * GRAVITY
        command, _ = Arm().first(effort=measured)
        if command.any():
            begun += 1
            assert (np.abs(command - measured) <= rates * 0.02).all()
            assert 0.8 <= share <= 1.2
    assert begun


@pytest.mark.parametrize('touched', [{'effort': None}, {'q': Q + 0.04}, {}], ids=str)
def test_an_arm_that_an_unknown_torque_holds_waits_for_a_decision(touched):
    """A process that has ended may have commanded it, or the driver adds gravity."""
    arm = Arm(on_restart='automatic')
    assert all(arm.show() is None for _ in range(100))
    assert 'start' in arm.guard.supervisor.inhibitions
    for _ in range(0 if touched else 3):
        # Again and again, as long as it is there.
        arm.guard.another_commanded()
        arm.guard.supervisor.inhibitions.put('publishers', Inhibition('another'))
        arm.show()
    arm.guard.supervisor.inhibitions.put('publishers', None)
    assert all(arm.show(**touched) is None for _ in range(200))
    arm.change(on_restart='fade_from_zero')
    assert not arm.show(**touched).any()
    assert not arm.guard.supervisor.inhibitions


@pytest.mark.parametrize('given', [{'on_restart': 'fade_from_zero'}, {'terms': ('coriolis',)}])
def test_where_nothing_is_to_be_decided_it_begins_at_zero_with_the_first_state(given):
    """Also where the driver adds gravity."""
    command, waited = Arm(**given).first()
    assert not command.any()
    assert waited <= 2 * PERIOD


@pytest.mark.parametrize('paused', [True, False])
def test_states_that_come_slowly_are_watched_and_those_before_a_pause_are_not(paused):
    """If they are not stale, the time between them is no pause."""
    arm = Arm(state_timeout=0.1 if paused else 1.5)
    assert arm.show(effort=REST if paused else GRAVITY) is None
    arm.now += 1.5 * WATCHED
    command, waited = arm.first()
    np.testing.assert_allclose(command, GRAVITY, rtol=1e-12)
    assert (waited >= WATCHED) is paused


@KINDS
@pytest.mark.parametrize('speed', [0.0, 0.1])
def test_after_an_interruption_a_drive_that_has_kept_the_torque_goes_on_with_it(kind, speed):
    """Also if the arm moves: the torque is the same all the time."""
    command, waited = interrupted(kind).first(speed=speed)
    np.testing.assert_allclose(command, GRAVITY, rtol=1e-12)
    assert WATCHED <= waited <= WATCHED + 3 * PERIOD


def test_after_an_interruption_lowered_limits_are_reached_at_the_rate_limit():
    """The drive has kept more than the limits: one step down to them would be felt."""
    arm = interrupted()
    arm.change(effort_limits=(10.0, 10.0, 1.0))
    command, _ = arm.first()
    rates, limits = arm.guard.limiter.rates, arm.guard.limiter.limits
    assert (np.abs(command - GRAVITY) <= rates * LONGEST_STEP * (1.0 + 1e-9)).all()
    assert (np.abs(GRAVITY) > limits).any()
    steps = np.abs(np.diff([command, *(arm.show() for _ in range(400))], axis=0))
    assert (steps <= rates * PERIOD * (1.0 + 1e-9)).all()
    assert (np.abs(arm.commands[-1]) <= limits).all()


@pytest.mark.parametrize('effort', [None, NO_WRIST, REST, OTHER_WRIST, 0.5 * GRAVITY], ids=str)
@pytest.mark.parametrize('before', [0, 10])
@KINDS
def test_after_an_interruption_any_other_drive_is_faded_in_from_zero(kind, before, effort):
    """Also one that has kept the torque for a moment: another controller moves the arm."""
    arm = interrupted(kind)
    assert [arm.show() for _ in range(before)] == [None] * before
    command, waited = arm.first(effort=effort)
    assert not command.any()
    assert waited <= WATCHED + 5 * PERIOD
    np.testing.assert_allclose([arm.show() for _ in range(100)][-1], GRAVITY, rtol=1e-9)


@pytest.mark.parametrize('way', ['enabled', 'active', 'on_stale'])
@pytest.mark.parametrize('drive', ['timeout', 'keeps', 'no efforts'])
def test_what_a_drive_applies_after_silence_is_seen_and_not_remembered(way, drive):
    """A drive with a timeout has dropped the torque, one without has kept it.

    A drive that reports no effort may have done either: zero, as on_restart says.
    """
    stale = 'stop' if way == 'on_stale' else 'hold'
    arm = Arm(on_restart='automatic', on_stop='hold', on_stale=stale)
    arm.first(effort=None if drive == 'no efforts' else REST)
    for _ in range(200):
        arm.show(effort=None if drive == 'no efforts' else arm.commands[-1])
    np.testing.assert_allclose(arm.commands[-1], GRAVITY, rtol=1e-9)
    if way == 'on_stale':
        arm.now += 4.0
        assert arm.tick() is None
    else:
        setattr(arm.guard.supervisor, way, False)
        while not arm.guard.silent:
            arm.show(effort=None if drive == 'no efforts' else arm.commands[-1])
        kept = GRAVITY if drive == 'keeps' else REST
        for _ in range(800):
            assert arm.show(effort=None if drive == 'no efforts' else kept) is None
        setattr(arm.guard.supervisor, way, True)
    effort = {'timeout': REST, 'keeps': GRAVITY, 'no efforts': None}[drive]
    command, _ = arm.first(effort=effort)
    np.testing.assert_allclose(command, GRAVITY if drive == 'keeps' else REST, atol=1e-9)


def test_who_has_fallen_silent_publishes_nothing_at_its_end():
    """States are gone with on_stale stop: a final command would be for a pose long ago."""
    arm = Arm(on_restart='fade_from_zero', on_stale='stop')
    for _ in range(100):
        arm.show()
    arm.now += 4.0
    assert arm.tick() is None
    arm.guard.supervisor.active = False
    assert [arm.tick() for _ in range(400)] == [None] * 400
    np.testing.assert_allclose(arm.guard.effort, GRAVITY, rtol=1e-9)


def test_an_arm_that_was_moved_while_commands_were_refused_is_judged_by_where_it_is():
    """The operator sets take_over after it has come to rest: what was before says nothing."""
    arm, moved = Arm(on_restart='automatic'), Q + np.array([0.5, 0.1, 0.6])
    for share in np.clip(np.linspace(-2.0, 3.0, 1000), 0.0, 1.0):
        q = Q + share * (moved - Q)
        assert arm.show(q, effort=DYNAMICS.gravity_torque(q)) is None
    arm.change(on_restart='take_over')
    while (command := arm.show(q, effort=DYNAMICS.gravity_torque(q))) is None:
        assert arm.now < 30.0
    np.testing.assert_allclose(command, DYNAMICS.gravity_torque(moved), rtol=1e-12)


def test_a_decision_to_begin_at_gravity_does_not_outlive_the_rule():
    """It was taken while a joint that is not commanded was missing."""
    arm = Arm(joints=['turn', 'slide'])
    assert all(arm.show(np.where(PARTS[0], Q, np.nan), effort=None) is None for _ in range(200))
    arm.change(on_restart='fade_from_zero')
    assert not arm.show(effort=None).any()
