"""A driver that sends its joints, or what it measures of them, in several messages."""

import re

import numpy as np
import pytest
from felt_arm import NONE, PERIOD, PUSH, SAMPLING, FeltArm
from three_joints import JOINTS

from robot_dynamics_ros.control.external_forces.external_estimate import NO_STATE, SETTLING
from robot_dynamics_ros.control.external_forces.given_state import GivenState

PARTS = np.array([[True, True, False], [False, False, True]])
THRESHOLDS = {'collision_threshold': (0.5, 0.5, 0.5), 'push_threshold': (0.5, 0.5, 0.5)}


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
            given = GivenState(*(np.where(part, each, np.nan) for each in (q, v, effort)), None)
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


def test_the_first_message_of_some_joints_is_no_reason_to_warn():
    arm = SplitArm()
    arm.run(0.1)
    assert arm.reasons[0] == NO_STATE
    assert set(arm.reasons[1:]) <= {SETTLING, ''}


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


def test_an_effort_that_ceases_and_a_velocity_later_are_named_for_themselves():
    arm = SplitArm(moves=False)
    arm.parts = np.ones((1, 3), bool)
    send = arm.send
    for missing, text in (('effort', 'effort of turn, slide'), ('v', 'velocity of turn, slide')):
        arm.send = send
        arm.run(1.0)
        assert not arm.estimate.reason
        arm.send = lambda stamp, given, missing=missing: send(stamp, without(missing, given))
        arm.run(0.1)
        assert arm.estimate.reason.startswith(text)


@pytest.mark.parametrize('shift', [0.0, 0.01])
def test_a_state_that_repeats_its_stamp_is_no_second_step(shift):
    """With the same values, or with newer ones: the driver may stamp more rarely than it reads."""
    arm, twin = FeltArm(**THRESHOLDS), FeltArm(**THRESHOLDS)
    for count in range(2000):
        arm.push = twin.push = PUSH if count >= 1000 else NONE
        arm.show()
        twin.show()
        q, v, _ = arm.motion()
        again = GivenState(q + shift, v + shift, arm.effort() + shift, None)
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
    hangs = GivenState(*(np.where(PARTS[1], x, np.nan) for x in (q, v, arm.effort())), None)
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
