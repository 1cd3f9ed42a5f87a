"""What a tap gets is of one model and one source of torques, or is said not to be."""

import numpy as np
import pytest
from felt_arm import FRICTION, MODEL, OFFSET, PUSH, settings, settled
from three_joints import JOINTS

from robot_dynamics_ros.control.external_forces.external_estimate import ExternalForceEstimate
from robot_dynamics_ros.control.external_forces.residual_average import ResidualAverage
from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.model.friction import JointFriction


def collecting():
    arm = settled(moves=False)
    average = ResidualAverage(JOINTS, ('N m', 'N', 'N m'), np.full(3, 1000.0), lambda r: '')
    arm.estimate.collect(average)
    return arm, average


def use(friction=FRICTION, offset=OFFSET, **changes):
    return lambda arm: arm.estimate.apply(settings(**changes), friction, offset)


def back_and_forth(*changes):
    def change(arm):
        for each in changes:
            each(arm)
        use()(arm)

    return change


def load(arm):
    loaded = RobotDynamics(MODEL.with_payload('hand', 2.0, (0.1, 0.0, 0.2)), backend='python')
    other = ExternalForceEstimate(loaded, JOINTS, settings(), friction=FRICTION, offset=OFFSET)
    other.continue_from(arm.estimate)
    arm.estimate = other


@pytest.mark.parametrize(
    ('change', 'what'),
    [
        (use(JointFriction(MODEL)), 'friction'),
        (back_and_forth(use(offset=2.0 * OFFSET)), 'torque_offset'),
        (use(external_bandwidth=(20.0, 5.0, 20.0)), 'external_bandwidth'),
        (back_and_forth(use(external_from='commanded')), 'external_from'),
        (load, 'payload'),
        (lambda arm: arm.estimate.distrust('measured'), 'the driver'),
    ],
    ids=['friction', 'offset', 'bandwidth', 'source', 'payload', 'driver'],
)
def test_estimates_of_another_kind_are_named_although_it_is_changed_back(change, what):
    arm, average = collecting()
    arm.run(0.2)
    assert not arm.estimate.collection.changed
    change(arm)
    use()(arm)
    assert what in arm.estimate.collection.changed
    arm.estimate.collect(average)
    assert not arm.estimate.collection.changed


@pytest.mark.parametrize(
    'change',
    [
        use(),
        use(push_threshold=(1.0, 1.0, 1.0), external_frame='slider'),
        lambda arm: arm.estimate.distrust('commanded'),
    ],
    ids=['nothing', 'thresholds', 'the other source'],
)
def test_what_the_estimates_do_not_depend_on_changes_nothing(change):
    arm, average = collecting()
    change(arm)
    arm.run(0.2)
    assert not arm.estimate.collection.changed
    assert average.samples == 100
    assert not average.remark


def test_an_average_begins_anew_after_a_pause_and_says_so():
    arm, average = collecting()
    arm.run(0.2)
    arm.drop = True
    arm.run(0.5)
    arm.drop, arm.push = False, PUSH
    arm.run(0.3)
    np.testing.assert_allclose(average.mean(np.zeros(3)), PUSH, atol=0.02)
    assert f'last {average.samples} states' in average.remark
