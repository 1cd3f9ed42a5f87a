"""The estimate after a pause of the states: it begins anew, and knows what was felt before."""

import numpy as np
import pytest
from felt_arm import NONE, PUSH, SAMPLING, settled

from robot_dynamics_ros.control.external_forces.external_estimate import SETTLING


def test_lost_states_do_not_change_it():
    arm = settled()
    arm.push = PUSH
    arm.run(0.2)
    for _ in range(3):
        arm.drop = True
        arm.run(0.02)
        arm.drop = False
        arm.show()
        # Ten periods at once: the trapezoid is a hundred times coarser.
        np.testing.assert_allclose(arm.estimate.torque, PUSH, atol=100.0 * SAMPLING)


def test_after_a_pause_it_begins_anew_without_a_contact():
    arm = settled(collision_threshold=(1.0, 1.0, 1.0), push_threshold=(1.0, 1.0, 1.0))
    arm.drop = True
    arm.run(0.5)
    arm.drop = False
    arm.show()
    assert arm.estimate.reason == SETTLING
    arm.run(1.0)
    assert not arm.estimate.reason
    assert not arm.collisions
    assert not arm.estimate.contact.state


@pytest.mark.parametrize(('before', 'kind'), [(NONE, 'collision'), (PUSH, 'push')])
def test_what_hits_during_a_pause_is_a_collision_once_the_estimate_has_settled(before, kind):
    arm = settled(collision_threshold=(1.5, 1.5, 0.5), push_threshold=(1.5, 1.5, 0.5))
    arm.push = before
    arm.run(2.0)
    arm.collisions, arm.drop = 0, True
    arm.run(0.15)
    arm.push, arm.drop = PUSH, False
    arm.run(0.2)
    assert arm.estimate.contact.state.kind == kind
    assert arm.collisions == (kind == 'collision')
