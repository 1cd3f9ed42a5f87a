"""Commands in place of efforts: felt while they hold the arm, silent while they begin or end."""

from dataclasses import replace

import numpy as np
import pytest
from hit_arm import HitArm
from shown_states import GRAVITY, MODEL, REST

from robot_dynamics_ros.control.guards.inhibition import Inhibition
from robot_dynamics_ros.core.model.friction import JointFriction

# Of a residual by rounding; gravity is up to 50 N m.
ROUNDING = 1e-6
NO_CONTROLLER = Inhibition('the controller is inactive', 'when it is active', interrupts=True)


class BrakedArm(HitArm):
    """An arm that stands still whatever is commanded, and whose commands are taken for efforts.

    Attributes:
        reasons: why there was no estimate, without repetitions.
    """

    def __init__(self, on_collision='report', **options):
        super().__init__(on_collision, external_from='commanded', **options)
        self.reasons = []

    def show(self):
        command = super().show()
        estimate = self.guard.external
        assert not estimate.contact.state
        assert not estimate.contact.collides
        if not estimate.reason:
            np.testing.assert_allclose(estimate.torque, REST, atol=ROUNDING)
        if estimate.reason not in self.reasons[-1:]:
            self.reasons.append(estimate.reason)
        return command

    def feels(self, seconds=1.5):
        """Why there was no estimate in this time."""
        self.reasons.clear()
        self.settle(seconds)
        return ' | '.join(self.reasons)


@pytest.mark.parametrize('on_stop', ['zero', 'hold'])
@pytest.mark.parametrize(
    'way', [{'fade_time': 0.5}, {'fade_time': 0.0, 'effort_rate_limits': (80.0,)}], ids=str
)
def test_a_brake_that_holds_the_arm_while_commands_begin_and_end_is_no_push(way, on_stop):
    arm = BrakedArm(on_stop=on_stop)
    arm.guard.apply(replace(arm.guard.settings, **way))
    reasons = arm.feels()
    assert 'have not reached' in reasons
    assert arm.reasons[-1] == ''
    for _ in range(2):
        arm.guard.enabled = False
        reasons = arm.feels()
        assert reasons.startswith('the commands end')
        assert 'no torque is' in arm.reasons[-1]
        arm.guard.enabled = True
        assert arm.feels()
        assert arm.reasons[-1] == ''


def test_a_brake_is_no_push_after_a_reaction_of_zero_torque():
    arm = BrakedArm('zero')
    arm.feels()
    assert arm.guard.reaction.begin('collision', arm.guard.settings)
    assert 'torque is zero' in arm.feels()
    assert arm.reasons[-1]
    arm.guard.reaction.release()
    assert 'have not reached' in arm.feels()
    assert arm.reasons[-1] == ''


def test_commands_that_begin_while_efforts_are_used_are_no_push_after_a_change():
    arm = BrakedArm()
    arm.feels()
    estimate = arm.guard.external
    commanded = estimate.settings
    others = JointFriction(MODEL), REST
    estimate.apply(replace(commanded, external_from='measured'), *others)
    arm.guard.enabled = False
    arm.feels()
    arm.guard.enabled = True
    arm.show()
    estimate.apply(commanded, *others)
    assert 'have not reached' in arm.feels()
    assert arm.reasons[-1] == ''


def test_a_fade_between_torques_that_hold_the_arm_is_no_gap():
    """The drives apply it; else nothing would be felt for a second after each reference."""
    arm = BrakedArm()
    arm.feels()
    arm.guard.request_fade()
    assert arm.feels() == ''


def test_commands_of_another_controller_are_compared_with_gravity_anew():
    """Which may not apply them: here they have less than a millionth of gravity."""
    arm = BrakedArm()
    arm.feels()
    guard = arm.guard
    guard.inhibitions.put('controller', NO_CONTROLLER)
    assert 'no torque' in arm.feels()
    guard.inhibitions.put('controller', None)
    guard.apply(replace(guard.settings, effort_scale=1e-9))
    assert 'no gravity' in arm.feels()
    assert arm.reasons[-1]


def test_efforts_of_another_driver_are_compared_with_gravity_anew():
    """One that stamps its states in another way, and takes gravity out."""
    arm = HitArm('report')
    arm.settle()
    arm.hit = GRAVITY
    arm.settle()
    assert not arm.guard.external.reason
    arm.guard.refuse_clock()
    arm.settle()
    assert 'no gravity' in arm.guard.external.reason
