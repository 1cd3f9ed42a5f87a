"""States in several messages, with missing or impossible efforts."""

import re

import numpy as np
import pytest
from felt_arm import NONE, PERIOD, PUSH, SAMPLING, FeltArm, settled, thresholds
from three_joints import JOINTS

from robot_dynamics_ros.control.external.drive_torques import (
    LARGEST,
    GivenState,
)
from robot_dynamics_ros.control.external.estimate import SETTLING

PARTS = np.array([[True, True, False], [False, False, True]])
THRESHOLDS = thresholds((0.5, 0.5, 0.5))

LOW = thresholds((1.5, 1.5, 0.5))
HIGH = thresholds((1.0, 1.0, 1.0))
SLIDE = np.arange(3) == 1
# What a driver says instead of an effort: nothing, or what no drive has.
INSTEAD = [np.nan, LARGEST * 200.0 * 1.1]
# Of `FeltArm` [s].
LONGEST_INTERVAL = 0.1
# Of `three_joints`, which has none for the first joint.
LIMITS = {1: (200.0, 'N'), 2: (20.0, 'N m')}


class SplitArm(FeltArm):
    """Sends each state of all joints in two messages.

    Attributes:
        parts: (2, 3) the joints of each message.
        delay: of the stamp of the second message [s].
        late: of the clock of the second driver [s].
        reasons: of the estimate, after each message.
    """

    def __init__(self, delay=0.0, late=0.0, **changes):
        super().__init__(**changes)
        self.parts, self.delay, self.late = PARTS, delay, late
        self.reasons = []
        self._q, self._v = self.motion()[:2]

    def show(self, **_):
        self.time += PERIOD
        if self.drop:
            return
        q, v, _ = self.motion()
        effort = self.change(self.effort())
        for index, part in enumerate(self.parts):
            self._q, self._v = np.where(part, q, self._q), np.where(part, v, self._v)
            given = GivenState(*(np.where(part, each, np.nan) for each in (q, v, effort)))
            self.send(self.time + index * (self.delay + self.late), given)

    def send(self, stamp, given):
        self.estimate.update(stamp, self._q, self._v, given, longest_interval=0.1)
        self.collisions += self.estimate.contact.collides
        self.reasons.append(self.estimate.reason)


@pytest.mark.parametrize('parts', [PARTS, PARTS[::-1]], ids=['first', 'last'])
@pytest.mark.parametrize(
    ('delay', 'late'), [(0.0, 0.0), (0.3 * PERIOD, 0.0), (0.0, -3600.0)], ids=str
)
def test_joints_in_two_messages_are_felt_as_exactly_as_in_one(delay, late, parts):
    """Also where the two have the same stamp, or come from machines with other clocks."""
    arm = SplitArm(delay, late, **THRESHOLDS)
    arm.parts = parts
    arm.run(1.0)
    assert not arm.estimate.reason
    worst = 0.0
    for _ in range(500):
        arm.show()
        worst = max(worst, np.abs(arm.estimate.torque).max())
    assert worst < SAMPLING
    assert not arm.collisions
    arm.push = PUSH
    arm.run(0.16)
    np.testing.assert_allclose(arm.estimate.torque, PUSH, atol=SAMPLING)
    assert arm.collisions == 1


@pytest.mark.parametrize('lost', [0, 1])
def test_after_a_lost_part_the_parts_of_one_state_are_put_together_again(lost):
    arm = SplitArm()
    arm.run(1.0)
    arm.parts = PARTS[[1 - lost]]
    arm.show()
    arm.parts = PARTS
    # Then the error of that state has decayed by ten time constants.
    arm.run(0.08)
    worst = 0.0
    for _ in range(500):
        arm.show()
        worst = max(worst, np.abs(arm.estimate.torque).max())
    assert worst < SAMPLING


def test_a_part_that_comes_more_rarely_decides_when_a_step_is_taken():
    """The wrist comes with each fourth state of the other joints."""
    arm = SplitArm(moves=False)
    arm.push = PUSH
    stamps = set()
    for count in range(2000):
        arm.parts = PARTS if count % 4 == 0 else PARTS[:1]
        arm.show()
        stamps.add(arm.estimate.stamp)
    assert len(stamps) == pytest.approx(500, abs=2)
    np.testing.assert_allclose(arm.estimate.torque, PUSH, atol=1e-9)


def without(field, given):
    return given._replace(**{field: None})


@pytest.mark.parametrize('pattern', ['ve', 'vve', 'vee'])
def test_velocities_and_efforts_in_different_messages_are_one_reason(pattern):
    arm = SplitArm(moves=False)
    arm.parts = np.ones((len(pattern), 3), bool)
    send = arm.send
    kinds = {'v': 'effort', 'e': 'v'}

    def change(stamp, given):
        kind = pattern[len(arm.reasons) % len(pattern)]
        send(stamp, without(kinds[kind], given))

    arm.send = change
    arm.run(0.1)
    (reason,) = set(arm.reasons[len(pattern) :])
    assert re.search(f'velocity.*effort.*{", ".join(JOINTS)}', reason)
    arm.send = send
    arm.run(1.0)
    assert not arm.estimate.reason


@pytest.mark.parametrize('shift', [0.0, 0.01])
def test_a_state_that_repeats_its_stamp_is_no_second_step(shift):
    """With the same values, or with newer ones: the driver may stamp more rarely than it reads."""
    arm, twin = FeltArm(**THRESHOLDS), FeltArm(**THRESHOLDS)
    for count in range(2000):
        arm.push = twin.push = PUSH if count >= 1000 else NONE
        arm.show()
        twin.show()
        q, v, _ = arm.motion()
        again = GivenState(q + shift, v + shift, arm.effort() + shift)
        for _ in range(3):
            arm.estimate.update(arm.time, q + shift, v + shift, again, longest_interval=0.1)
            arm.collisions += arm.estimate.contact.collides
        assert arm.estimate.reason == twin.estimate.reason
        np.testing.assert_array_equal(arm.estimate.torque, twin.estimate.torque)
    assert arm.collisions == twin.collisions == 1


def test_a_part_that_repeats_its_stamp_is_not_new():
    """A driver of the wrist that hangs: its effort is not that of the present motion."""
    arm = SplitArm(**THRESHOLDS)
    arm.run(1.0)
    q, v, _ = arm.motion()
    hangs = GivenState(*(np.where(PARTS[1], x, np.nan) for x in (q, v, arm.effort())))
    stamp, felt = arm.time, arm.estimate.stamp
    arm.parts = PARTS[:1]
    for _ in range(40):
        arm.show()
        arm.send(stamp, hangs)
    assert arm.estimate.stamp == felt
    assert not arm.collisions
    arm.parts = PARTS
    arm.run(1.0)
    assert np.abs(arm.estimate.torque).max() < SAMPLING
    assert not arm.collisions


def test_stamps_that_are_set_back_begin_the_estimate_anew():
    arm = SplitArm()
    arm.run(1.0)
    arm.time -= 1e6
    arm.show()
    assert arm.estimate.reason == SETTLING
    arm.run(1.0)
    assert not arm.estimate.reason


def flawed(every, instead=np.nan, **changes):
    """An arm with one flawed effort in so many states, from the start on."""
    arm = FeltArm(**changes)
    states = [0]

    def change(effort):
        states[0] += 1
        return np.where(SLIDE, instead, effort) if states[0] % every == 0 else effort

    arm.change = change
    return arm


@pytest.mark.parametrize('instead', INSTEAD)
@pytest.mark.parametrize('every', [2, 10, 50])
def test_a_push_is_felt_as_itself_and_is_one_contact(every, instead):
    """In fast motion, and nothing is felt before it."""
    arm = flawed(every, instead, **LOW)
    arm.run(1.5)
    worst, kinds = 0.0, []
    for _ in range(500):
        arm.show()
        assert not arm.estimate.reason
        worst = max(worst, np.abs(arm.estimate.torque).max())
    # An interval of twice the length: the trapezoid is four times coarser.
    assert worst < 4.0 * SAMPLING
    assert not arm.collisions
    arm.push = PUSH
    for _ in range(500):
        arm.show()
        kinds.append(arm.estimate.contact.state.kind)
    np.testing.assert_allclose(arm.estimate.torque, PUSH, atol=4.0 * SAMPLING)
    assert arm.collisions == 1
    # The first state with the push may be a flawed one.
    assert set(kinds[2:]) == {'collision'}
    arm.push = NONE
    arm.run(0.5)
    assert not arm.estimate.contact.state


def test_it_is_the_same_as_if_the_state_were_lost():
    arm, twin = flawed(7, **LOW), FeltArm(**LOW)
    for count in range(1, 2000):
        arm.push = twin.push = PUSH if count >= 1000 else NONE
        arm.show()
        twin.drop = count % 7 == 0
        twin.show()
        np.testing.assert_array_equal(arm.estimate.torque, twin.estimate.torque)
        assert arm.estimate.reason == twin.estimate.reason
    assert arm.collisions == twin.collisions == 1


@pytest.mark.parametrize('instead', INSTEAD)
def test_from_the_longest_interval_on_there_is_no_estimate_and_a_reason(instead):
    arm = settled(**LOW)
    arm.push = PUSH
    arm.run(0.2)
    arm.change = lambda effort: np.where(SLIDE, instead, effort)
    arm.run(LONGEST_INTERVAL - PERIOD)
    assert not arm.estimate.reason
    np.testing.assert_allclose(arm.estimate.torque, PUSH, atol=SAMPLING)
    arm.run(2.0 * PERIOD)
    assert arm.estimate.reason.startswith('effort of slide')
    assert not arm.estimate.contact.state


def test_the_states_without_an_effort_are_counted_for_their_joint():
    arm = flawed(10)
    arm.run(100 * PERIOD)
    held, velocities, efforts = arm.estimate.drives.seen.tolist()
    assert held == velocities == [100, 100, 100]
    assert efforts == [100, 90, 100]
    arm.change = lambda effort: effort
    for index in range(3):
        arm.show(held=np.arange(3) == index)
    held, velocities, efforts = arm.estimate.drives.seen.tolist()
    assert held == velocities == [101, 101, 101]
    assert efforts == [101, 91, 101]


def replaced(joint, value):
    return lambda effort: np.where(np.arange(3) == joint, value, effort)


@pytest.mark.parametrize('value', [1.01, -5e4, 1e290, -1e305])
@pytest.mark.parametrize('joint', LIMITS)
def test_one_beyond_ten_times_its_limit_is_named_once_and_returns(joint, value):
    limit, unit = LIMITS[joint]
    arm = settled(**HIGH)
    reasons = set()
    with np.errstate(all='raise'):
        for count in range(100):
            arm.change = replaced(joint, value * LARGEST * limit * (1.0 + count))
            arm.show()
            reasons.add(arm.estimate.reason)
    # None while they count as lost states, then one.
    nothing, reason = sorted(reasons)
    assert not nothing
    expected = f'{value * LARGEST * limit:.3g} {unit}'
    assert reason.startswith(f'effort of {JOINTS[joint]} is {expected}')
    arm.change = lambda effort: effort
    arm.run(0.1)
    assert not arm.estimate.reason
    assert np.abs(arm.estimate.torque).max() < SAMPLING
    assert not arm.collisions


@pytest.mark.parametrize('joint', LIMITS)
def test_one_below_that_is_felt(joint):
    arm = settled(moves=False)
    effort = -0.99 * LARGEST * LIMITS[joint][0]
    push = arm.effort() - np.where(np.arange(3) == joint, effort, arm.effort())
    arm.change = replaced(joint, effort)
    arm.run(0.5)
    assert not arm.estimate.reason
    np.testing.assert_allclose(arm.estimate.torque, push, rtol=1e-9, atol=1e-9)
