"""A state without an effort counts as lost: what is felt stays that of the push."""

import numpy as np
import pytest
from felt_arm import NONE, PERIOD, PUSH, SAMPLING, FeltArm, settled

from robot_dynamics_ros.control.external_forces.drive_torques import LARGEST

THRESHOLDS = {'collision_threshold': (1.5, 1.5, 0.5), 'push_threshold': (1.5, 1.5, 0.5)}
SLIDE = np.arange(3) == 1
# What a driver says instead of an effort: nothing, or what no drive has.
INSTEAD = [np.nan, LARGEST * 200.0 * 1.1]
# Of `FeltArm` [s].
LONGEST_INTERVAL = 0.1


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
    arm = flawed(every, instead, **THRESHOLDS)
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
    arm, twin = flawed(7, **THRESHOLDS), FeltArm(**THRESHOLDS)
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
    arm = settled(**THRESHOLDS)
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
    velocities, efforts = arm.estimate.sources.missing
    assert not velocities.any()
    assert efforts.tolist() == [0, 10, 0]
    assert arm.estimate.sources.states.tolist() == [100, 100, 100]
    arm.change = lambda effort: effort
    for index in range(3):
        arm.show(held=np.arange(3) == index)
    assert arm.estimate.sources.missing.sum() == 10
    assert arm.estimate.sources.states.tolist() == [101, 101, 101]
