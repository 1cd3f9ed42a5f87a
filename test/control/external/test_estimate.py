"""The estimate of a commanded robot: right where it gives numbers, and silent where it cannot."""

import re

import numpy as np
import pytest
from felt_arm import (
    DYNAMICS,
    MODEL,
    NONE,
    PERIOD,
    PUSH,
    SAMPLING,
    FeltArm,
    settings,
    settled,
    thresholds,
)
from hypothesis import given
from hypothesis import strategies as st
from property_settings import examples
from three_joints import JOINTS

from robot_dynamics_ros.control.external.estimate import SETTLING
from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.errors import StateError


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


def test_efforts_without_gravity_are_refused_until_they_have_it():
    arm = FeltArm()
    arm.change = lambda effort: effort - DYNAMICS.gravity_torque(arm.motion()[0])
    arm.run(0.4)
    assert arm.estimate.reason == SETTLING
    arm.run(1.6)
    assert 'contain no gravity' in arm.estimate.reason
    arm.change = lambda effort: effort
    arm.run(5.0)
    assert not arm.estimate.reason


@pytest.mark.parametrize('gains', [(0.4, 0.2, 0.1), (2.0, 3.0, 1.5)], ids=['ampere', 'too much'])
def test_efforts_in_another_unit_are_asked_about(gains):
    arm = FeltArm()
    arm.change = lambda effort: gains * effort
    arm.run(2.0)
    assert arm.estimate.reason


def test_another_payload_makes_no_step_and_drops_the_tare():
    """The efforts are those of the loaded arm from the moment on at which the model knows it."""
    arm = settled(moves=False, **thresholds((0.1, 0.1, 0.1)))
    arm.push = 0.01 * PUSH
    arm.run(0.3)
    take_off(arm)
    np.testing.assert_allclose(arm.estimate.torque, NONE, atol=SAMPLING)
    loaded = RobotDynamics(MODEL.with_payload('hand', 2.0, (0.1, 0.0, 0.2)))
    arm.estimate.use(loaded)
    arm.dynamics = loaded
    assert arm.estimate.tare.dropped == 'the payload'
    for _ in range(100):
        arm.show()
        np.testing.assert_allclose(arm.estimate.torque, arm.push, atol=SAMPLING)
    assert not arm.collisions


def take_off(arm):
    arm.estimate.tare.begin(np.full(3, 1000.0))
    arm.run(0.51)
    arm.estimate.take_off()
    arm.show()


def test_what_is_taken_off_is_no_contact():
    arm = settled(moves=False, **thresholds((5.0, 5.0, 5.0)))
    arm.push = np.array([0.4, 1.0, 0.3])
    arm.run(1.0)
    take_off(arm)
    arm.run(1.0)
    assert not arm.collisions
    np.testing.assert_allclose(arm.estimate.torque, NONE, atol=1e-9)
    arm.push = NONE
    arm.run(1.0)
    np.testing.assert_allclose(arm.estimate.torque, [-0.4, -1.0, -0.3], atol=1e-9)


def test_the_tare_is_of_one_gravity():
    arm = settled(moves=False, dynamics=RobotDynamics(MODEL))
    arm.push = 0.1 * PUSH
    arm.run(0.3)
    take_off(arm)
    arm.estimate.apply(settings())
    assert arm.estimate.tare.torque.any()
    arm.dynamics.gravity = (0.0, 0.0, -9.7)
    arm.estimate.apply(settings())
    assert not arm.estimate.tare.torque.any()
    assert arm.estimate.tare.dropped == 'gravity'


@pytest.mark.parametrize('breaks', [lambda arm: arm.estimate.reset(), lambda arm: arm.run(0.2)])
def test_a_tare_is_not_of_an_estimate_that_was_interrupted(breaks):
    arm = settled(moves=False)
    arm.estimate.tare.begin(np.full(3, 1000.0))
    arm.run(0.3)
    arm.drop = True
    breaks(arm)
    arm.drop = False
    arm.run(1.0)
    assert not arm.estimate.reason
    with pytest.raises(StateError, match='interrupted'):
        arm.estimate.take_off()


def test_efforts_of_another_device_are_compared_anew():
    arm = settled(moves=False)
    arm.change = lambda effort: effort - DYNAMICS.gravity_torque(arm.motion()[0])
    arm.run(1.0)
    assert not arm.estimate.reason
    arm.estimate.distrust()
    arm.run(1.0)
    assert 'contain no gravity' in arm.estimate.reason


@pytest.mark.parametrize(('joint', 'link'), [(0, 'shoulder'), (1, 'slider'), (2, 'hand')])
def test_a_collision_is_assigned_to_the_last_link_that_feels_it_once(joint, link):
    arm = settled(**thresholds((1.0, 1.0, 1.0)))
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
    arm = settled(moves=False, **thresholds((1.0, 1.0, 1.0)))
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
    arm = settled(**thresholds((1.0, 1.0, 1.0)))
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
    arm = settled(**thresholds((1.5, 1.5, 0.5)))
    arm.push = before
    arm.run(2.0)
    arm.collisions, arm.drop = 0, True
    arm.run(0.15)
    arm.push, arm.drop = PUSH, False
    arm.run(0.2)
    assert arm.estimate.contact.state.kind == kind
    assert arm.collisions == (kind == 'collision')


MISSING = st.lists(st.booleans(), min_size=3, max_size=3)
EVENTS = st.one_of(
    st.tuples(st.just('states'), st.integers(1, 40)),
    st.tuples(st.just('elapsed'), st.sampled_from([-5.0, 0.0, 1e-9, 0.05, 0.5, 100.0])),
    st.tuples(st.just('no effort'), MISSING),
    st.tuples(st.just('held'), MISSING),
    st.tuples(st.just('no velocity'), st.none()),
    st.tuples(st.just('huge effort'), st.sampled_from([1e6, -1e6, 1e3])),
    st.tuples(st.just('reset'), st.none()),
)


def play(arm, event, value):
    if event == 'states':
        for _ in range(value):
            arm.show()
    elif event == 'elapsed':
        arm.time += value
        arm.show()
    elif event == 'no effort':
        arm.change = lambda effort: np.where(value, np.nan, effort)
        arm.show()
    elif event == 'held':
        arm.show(held=value)
    elif event == 'no velocity':
        arm.show(has_velocity=False)
    elif event == 'huge effort':
        arm.push = np.full(3, value)
        arm.show()
        arm.push = NONE
    else:
        arm.estimate.reset()
    arm.change = lambda effort: effort


@examples(25, deadline=None)
@given(st.lists(EVENTS, max_size=8))
def test_the_estimate_is_finite_or_has_a_reason(events):
    # Without the check of gravity, which takes half a second of states before there are numbers.
    arm = FeltArm(
        driver_gravity_check=False,
        **thresholds((1.0, 1.0, 1.0)),
    )
    for event, value in events:
        play(arm, event, value)
        estimate = arm.estimate
        if not estimate.reason:
            assert np.isfinite(estimate.torque).all()
            assert np.isfinite(estimate.wrench()).all()
        if estimate.contact.state:
            assert not estimate.reason
            assert np.isfinite(estimate.contact_direction()).all()
