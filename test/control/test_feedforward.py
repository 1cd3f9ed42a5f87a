"""Which terms, where, for which joints."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from three_joints import JOINTS, URDF

from robot_dynamics_ros.control.feedforward import Feedforward
from robot_dynamics_ros.core import (
    JointFriction,
    ParameterError,
    RobotDynamics,
    StateError,
    UnknownNameError,
    parse_urdf,
)

Q, V = np.array([0.3, 0.1, -0.7]), np.array([0.5, -0.2, 0.4])
REFERENCE = np.array([[0.2, -0.1, 0.6], [1.0, 0.3, -0.8], [2.0, -1.0, 3.0]])
PLAIN = RobotDynamics(parse_urdf(URDF), backend='python')


@pytest.fixture(scope='module')
def dynamics():
    return RobotDynamics(parse_urdf(URDF))


def test_effort_is_the_sum_of_its_parts(dynamics):
    feedforward = Feedforward(dynamics)
    feedforward.compute(Q, V, REFERENCE)
    np.testing.assert_allclose(feedforward.effort, feedforward.parts.sum(axis=0), rtol=1e-14)
    expected = dynamics.inverse_dynamics(*REFERENCE)
    np.testing.assert_allclose(feedforward.effort, expected, rtol=1e-13)


def test_others_take_their_measured_position_at_rest(dynamics):
    feedforward = Feedforward(dynamics, ['wrist'])
    feedforward.compute(Q, V, REFERENCE[:, 2:])
    q, v, a = np.array([Q, 0 * V, 0 * V])
    q[2], v[2], a[2] = REFERENCE[:, 2]
    np.testing.assert_allclose(
        feedforward.effort, dynamics.inverse_dynamics(q, v, a)[2:], rtol=1e-13
    )


def test_the_measured_state_is_not_touched(dynamics):
    q, v, reference = Q.copy(), V.copy(), REFERENCE.copy()
    Feedforward(dynamics, JOINTS).compute(q, v, reference)
    assert np.array_equal(q, Q)
    assert np.array_equal(v, V)
    assert np.array_equal(reference, REFERENCE)


def test_a_bad_value_raises_and_leaves_the_last_torque(dynamics):
    feedforward = Feedforward(dynamics)
    feedforward.compute(Q, V)
    before = feedforward.effort.copy()
    with pytest.raises(StateError, match="'slide'"):
        feedforward.compute(np.array([0.0, np.nan, 0.0]), V)
    assert np.array_equal(feedforward.effort, before)


def test_bad_choices_are_named(dynamics):
    with pytest.raises(UnknownNameError, match=r"joint 'elbow'.*turn, slide"):
        Feedforward(dynamics, ['elbow'])
    with pytest.raises(ParameterError, match=r"'turn'.*twice"):
        Feedforward(dynamics, ['turn', 'turn'])
    with pytest.raises(ParameterError, match=r"'weight'.*gravity"):
        Feedforward(dynamics, terms=['weight'])
    with pytest.raises(ParameterError, match=r"'there'.*reference, state"):
        Feedforward(dynamics, evaluate_at='there')


VISCOUS = {'turn': 2.0, 'slide': 30.0, 'wrist': 0.5}
COULOMB = {'turn': 1.0, 'slide': 0.0, 'wrist': 3.0}
WITH_FRICTION = ('gravity', 'coriolis', 'inertial', 'friction')


def rubbing(dynamics, **choices):
    friction = JointFriction(dynamics.model, viscous=VISCOUS, coulomb=COULOMB)
    return Feedforward(dynamics, friction=friction, **choices)


def test_friction_is_added_only_if_it_is_asked_for(dynamics):
    plain, asked = rubbing(dynamics), rubbing(dynamics, terms=WITH_FRICTION)
    for feedforward in (plain, asked):
        feedforward.compute(Q, V)
        expected = feedforward.friction.torque(V)
        np.testing.assert_allclose(feedforward.parts[3], expected, rtol=1e-14)
        assert expected.all()
    np.testing.assert_allclose(asked.effort, plain.effort + expected, rtol=1e-13)
    plain.select_terms(['friction'], evaluate_at='reference')
    plain.compute(Q, V)
    np.testing.assert_allclose(plain.effort, expected, rtol=1e-14)


@pytest.mark.parametrize(('evaluate_at', 'v'), [('reference', REFERENCE[1]), ('state', V)])
def test_friction_is_that_of_the_velocity_at_which_all_is_evaluated(dynamics, evaluate_at, v):
    feedforward = rubbing(dynamics, terms=['friction'], evaluate_at=evaluate_at)
    feedforward.compute(Q, V, REFERENCE)
    np.testing.assert_allclose(feedforward.effort, feedforward.friction.torque(v), rtol=1e-14)


def test_at_rest_friction_is_not_compensated(dynamics):
    feedforward = rubbing(dynamics, terms=['friction'])
    feedforward.compute(Q, 0 * V)
    assert not feedforward.effort.any()
    feedforward.compute(Q, V)
    feedforward.hold(Q)
    assert not feedforward.effort.any()


@given(v=arrays(float, 3, elements=st.floats(-10.0, 10.0)))
def test_compensation_gives_no_more_power_than_friction_takes(v):
    """With the sharp sign of Coulomb's law, friction takes F_v v^2 + F_s |v|."""
    feedforward = rubbing(PLAIN, terms=['friction'])
    feedforward.compute(Q, v)
    taken = np.array([*VISCOUS.values()]) * v**2 + np.array([*COULOMB.values()]) * abs(v)
    given_back = feedforward.effort * v
    assert (given_back >= 0.0).all()
    # Powers below the smallest normal number are rounded to fewer digits.
    assert (given_back <= taken * (1.0 + 1e-14) + np.finfo(float).tiny).all()


OFFSET = np.array([0.7, -4.0, 0.2])


def test_an_offset_is_part_of_friction_at_any_velocity(dynamics):
    plain = rubbing(dynamics, terms=['friction'])
    offset = rubbing(dynamics, terms=['friction'], offset=OFFSET)
    for v in (V, 0 * V):
        for feedforward in (plain, offset):
            feedforward.compute(Q, v)
        np.testing.assert_allclose(offset.effort - plain.effort, OFFSET, rtol=1e-13)
        np.testing.assert_array_equal(offset.parts[3], offset.effort)
    offset.select_terms(['gravity'], evaluate_at='reference')
    offset.compute(Q, V)
    np.testing.assert_array_equal(offset.effort, offset.parts[0])


def test_an_offset_holds_the_arm_too(dynamics):
    """A constant torque acts on an arm at rest as well."""
    feedforward = rubbing(dynamics, terms=['gravity', 'friction'], offset=OFFSET)
    feedforward.hold(Q)
    np.testing.assert_allclose(feedforward.effort, dynamics.gravity_torque(Q) + OFFSET, rtol=1e-13)
