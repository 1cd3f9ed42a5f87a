"""The estimate of a commanded robot: right where it gives numbers, and silent where it cannot."""

import re

import numpy as np
import pytest
from felt_arm import (
    DYNAMICS,
    FRICTION,
    MODEL,
    NONE,
    OFFSET,
    PERIOD,
    PUSH,
    SAMPLING,
    FeltArm,
    settings,
    settled,
)
from three_joints import JOINTS

from robot_dynamics_ros.control.external_forces.external_estimate import (
    ExternalForceEstimate,
)
from robot_dynamics_ros.control.external_forces.given_state import GivenState
from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.model.friction import JointFriction


def test_a_constant_push_is_felt_with_its_sign_and_nothing_without_it():
    """Friction and offset are those of the model, and count in the fast motion too."""
    arm = settled()
    assert np.abs(arm.estimate.torque).max() < SAMPLING
    arm.push = PUSH
    # 20 time constants of 8 ms.
    arm.run(0.16)
    np.testing.assert_allclose(arm.estimate.torque, PUSH, atol=SAMPLING)


@pytest.mark.parametrize('joint', range(3))
def test_an_effort_that_is_not_measured_is_named_and_returns(joint):
    arm = settled()
    arm.change = lambda effort: np.where(np.arange(3) == joint, np.nan, effort)
    # Longer than the longest interval between states.
    arm.run(0.11)
    assert re.search(f'effort.*{JOINTS[joint]}.*not measured', arm.estimate.reason)
    arm.change = lambda effort: effort
    arm.run(0.1)
    assert not arm.estimate.reason
    assert np.abs(arm.estimate.torque).max() < SAMPLING


def test_a_driver_of_positions_alone_is_refused_clearly():
    arm = FeltArm()
    arm.run(1.0, has_velocity=False)
    assert 'turn, slide, wrist' in arm.estimate.reason
    assert 'measured velocities' in arm.estimate.reason


def test_joints_in_two_messages_are_put_together():
    """Each message has the latest of its joints; at rest they are of one pose."""
    arm = FeltArm(moves=False)
    arm.push = PUSH
    for _ in range(500):
        arm.show(held=(True, False, True))
        arm.show(held=(False, True, False))
    assert not arm.estimate.reason
    np.testing.assert_allclose(arm.estimate.torque, PUSH, atol=1e-9)


def test_efforts_without_gravity_are_refused_until_they_have_it():
    arm = FeltArm()
    arm.change = lambda effort: effort - DYNAMICS.gravity_torque(arm.motion()[0])
    arm.run(2.0)
    assert 'contain no gravity' in arm.estimate.reason
    arm.change = lambda effort: effort
    arm.run(5.0)
    assert not arm.estimate.reason


def test_the_check_of_gravity_can_be_switched_off():
    arm = FeltArm(driver_gravity_check=False)
    arm.change = lambda effort: effort - DYNAMICS.gravity_torque(arm.motion()[0])
    arm.run(1.0)
    assert not arm.estimate.reason
    gravity = DYNAMICS.gravity_torque(arm.motion()[0])
    assert np.linalg.norm(arm.estimate.torque - gravity) < 0.2 * np.linalg.norm(gravity)


@pytest.mark.parametrize('gains', [(0.4, 0.2, 0.1), (2.0, 3.0, 1.5)], ids=['ampere', 'too much'])
def test_efforts_in_another_unit_are_asked_about(gains):
    arm = FeltArm()
    arm.change = lambda effort: gains * effort
    arm.run(2.0)
    assert arm.estimate.reason


def test_a_push_as_large_as_gravity_is_felt_once_the_efforts_have_fitted():
    """Not taken for efforts without gravity."""
    arm = settled(moves=False)
    gravity = DYNAMICS.gravity_torque(arm.motion()[0])
    arm.push = gravity
    arm.run(3.0)
    assert not arm.estimate.reason
    np.testing.assert_allclose(arm.estimate.torque, gravity, atol=1e-9)


def test_commands_take_the_place_of_efforts_and_are_held_between_states():
    """Each command acts from its state to the next one."""
    arm = FeltArm(external_from='commanded', moves=False)
    arm.push = PUSH
    for _ in range(500):
        q, v, _ = arm.motion()
        arm.time += PERIOD
        given = GivenState(q, v, None, arm.effort())
        arm.estimate.update(arm.time, q, v, given, longest_interval=0.1)
    assert not arm.estimate.reason
    np.testing.assert_allclose(arm.estimate.torque, PUSH, atol=1e-9)
    given = GivenState(q, v, None, None)
    arm.estimate.update(arm.time + PERIOD, q, v, given, longest_interval=0.1)
    assert 'no torque' in arm.estimate.reason


def test_another_payload_makes_no_step():
    """The efforts are those of the loaded arm from the moment on at which the model knows it."""
    arm = settled(collision_threshold=(0.1, 0.1, 0.1))
    arm.push = 0.01 * PUSH
    arm.run(0.3)
    loaded = RobotDynamics(MODEL.with_payload('hand', 2.0, (0.1, 0.0, 0.2)))
    other = ExternalForceEstimate(
        loaded,
        JOINTS,
        settings(collision_threshold=(0.1, 0.1, 0.1)),
        friction=FRICTION,
        offset=OFFSET,
    )
    other.continue_from(arm.estimate)
    arm.estimate, arm.dynamics = other, loaded
    for _ in range(100):
        arm.show()
        np.testing.assert_allclose(arm.estimate.torque, arm.push, atol=SAMPLING)
    assert not arm.collisions


def test_live_changes_keep_what_is_felt():
    arm = settled(push_threshold=(1.0, 1.0, 0.5))
    arm.push = PUSH
    arm.run(1.0)
    assert arm.estimate.contact.state.kind == 'push'
    changed = settings(push_threshold=(2.0, 2.0, 0.5), external_bandwidth=(30.0, 5.0, 10.0))
    arm.estimate.apply(changed, FRICTION, OFFSET)
    arm.show()
    np.testing.assert_allclose(arm.estimate.torque, PUSH, atol=1e-2)
    assert arm.estimate.contact.state.kind == 'push'
    arm.estimate.apply(settings(external_from='commanded'), FRICTION, OFFSET)
    arm.show()
    assert arm.estimate.reason


def test_what_is_taken_off_is_no_contact():
    arm = settled(moves=False, collision_threshold=(0.5, 0.5, 0.5), push_threshold=(5.0,) * 3)
    arm.push = np.array([0.4, 1.0, 0.3])
    arm.run(1.0)
    arm.collisions = 0
    arm.estimate.take_off(arm.estimate.torque.copy())
    arm.run(1.0)
    assert not arm.collisions
    np.testing.assert_allclose(arm.estimate.torque, NONE, atol=1e-9)
    arm.push = NONE
    arm.run(1.0)
    np.testing.assert_allclose(arm.estimate.torque, [-0.4, -1.0, -0.3], atol=1e-9)


def test_another_source_has_another_error_and_nothing_is_taken_off():
    arm = settled(moves=False)
    arm.push = PUSH
    arm.run(0.3)
    arm.estimate.take_off(PUSH)
    arm.estimate.apply(settings(external_from='commanded'), FRICTION, OFFSET)
    assert not arm.estimate.tare.torque.any()
    assert 'external_from was changed' in arm.estimate.tare.remark
    arm.estimate.apply(settings(), FRICTION, OFFSET)
    arm.run(1.0)
    np.testing.assert_allclose(arm.estimate.torque, PUSH, atol=1e-9)


def test_efforts_that_have_fitted_are_known_after_a_time_with_commands():
    """Then a lasting contact is not taken for missing gravity. Commands have not fitted yet."""
    arm = settled(moves=False)
    gravity = DYNAMICS.gravity_torque(arm.motion()[0])
    arm.push = gravity
    arm.run(1.0)
    arm.estimate.apply(settings(external_from='commanded'), FRICTION, OFFSET)
    for _ in range(1000):
        q, v, _ = arm.motion()
        arm.time += PERIOD
        given = GivenState(q, v, None, FRICTION.torque(v) + OFFSET)
        arm.estimate.update(arm.time, q, v, given, longest_interval=0.1)
    assert 'no gravity' in arm.estimate.reason
    arm.estimate.apply(settings(), FRICTION, OFFSET)
    arm.run(0.3)
    assert not arm.estimate.reason
    np.testing.assert_allclose(arm.estimate.torque, gravity, atol=1e-9)


def test_efforts_of_another_device_are_compared_anew():
    arm = settled(moves=False)
    arm.change = lambda effort: effort - DYNAMICS.gravity_torque(arm.motion()[0])
    arm.run(1.0)
    assert not arm.estimate.reason
    arm.estimate.distrust('commanded')
    arm.run(1.0)
    assert not arm.estimate.reason
    arm.estimate.distrust('measured')
    arm.run(1.0)
    assert 'contain no gravity' in arm.estimate.reason


def other_model(**changes):
    model = {'friction': FRICTION, 'offset': OFFSET} | changes
    return lambda estimate: estimate.apply(settings(), *model.values())


def payload(estimate):
    loaded = RobotDynamics(MODEL.with_payload('hand', 2.0, (0.1, 0.0, 0.2)), backend='python')
    other = ExternalForceEstimate(loaded, JOINTS, settings(), friction=FRICTION, offset=OFFSET)
    other.continue_from(estimate)


@pytest.mark.parametrize(
    ('change', 'what'),
    [
        (other_model(friction=JointFriction(MODEL)), 'friction'),
        (other_model(offset=2.0 * OFFSET), 'torque_offset'),
        (payload, 'payload'),
    ],
    ids=['friction', 'offset', 'payload'],
)
def test_another_model_makes_what_is_taken_off_doubtful(change, what):
    estimate = settled(moves=False).estimate
    change(estimate)
    other_model()(estimate)
    assert not estimate.tare.remark
    estimate.take_off(PUSH)
    other_model()(estimate)
    assert not estimate.tare.remark
    change(estimate)
    assert what in estimate.tare.remark
    assert '~/zero_external' in estimate.tare.remark
    np.testing.assert_array_equal(estimate.tare.torque, PUSH)
    estimate.take_off(NONE)
    assert not estimate.tare.remark


@pytest.mark.parametrize(('joint', 'link'), [(0, 'shoulder'), (1, 'slider'), (2, 'hand')])
def test_a_collision_is_assigned_to_the_last_link_that_feels_it_once(joint, link):
    arm = settled(collision_threshold=(1.0, 1.0, 1.0), push_threshold=(1.0, 1.0, 1.0))
    began = arm.time
    arm.push = 5.0 * np.eye(3)[joint]
    arm.run(0.3)
    contact = arm.estimate.contact
    assert arm.collisions == 1
    assert (contact.state.kind, contact.link) == ('collision', link)
    # The first-order lag of 8 ms passes 1 of 5 N m after 1.8 ms.
    assert 0.0 <= contact.state.since - began < 2.5 * PERIOD
    assert link in contact.sentence(arm.estimate.torque)
    arm.push = NONE
    arm.run(0.5)
    assert not contact.state
    assert not contact.link


def test_the_direction_is_that_of_the_force_on_a_link_that_feels_it():
    """A force along the axis of the sliding joint, at the link that slides."""
    arm = settled(moves=False, push_threshold=(1.0, 1.0, 1.0))
    arm.push = np.array([0.0, 20.0, 0.0])
    arm.run(1.0)
    contact = arm.estimate.contact
    assert contact.link == 'slider'
    direction = arm.estimate.contact_direction()
    assert abs(np.linalg.norm(direction) - 1.0) < 1e-12
    # The smallest force with that torque need not be along the axis; its part along it is.
    assert direction[2] > 0.5


def test_the_wrench_explains_the_torques():
    arm = settled(moves=False)
    wrench = np.array([2.0, -1.0, 3.0, 0.0, 0.0, 0.0])
    jacobian = DYNAMICS.jacobian(arm.motion()[0], 'hand', 'LOCAL')
    arm.push = jacobian.T @ wrench
    arm.run(0.3)
    assert arm.estimate.frame == 'hand'
    np.testing.assert_allclose(jacobian.T @ arm.estimate.wrench(), arm.push, atol=1e-3)
