"""Which terms, where, for which joints."""

import numpy as np
import pytest
from three_joints import JOINTS, URDF

from robot_dynamics_ros.core import (
    ParameterError,
    RobotDynamics,
    StateError,
    UnknownNameError,
    parse_urdf,
)
from robot_dynamics_ros.core.feedforward import Feedforward

Q, V = np.array([0.3, 0.1, -0.7]), np.array([0.5, -0.2, 0.4])
REFERENCE = np.array([[0.2, -0.1, 0.6], [1.0, 0.3, -0.8], [2.0, -1.0, 3.0]])


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
    with pytest.raises(StateError, match="q is nan at 'slide'"):
        feedforward.compute(np.array([0.0, np.nan, 0.0]), V)
    assert np.array_equal(feedforward.effort, before)


def test_bad_choices_are_named(dynamics):
    with pytest.raises(UnknownNameError, match="unknown joint 'elbow': known are turn, slide"):
        Feedforward(dynamics, ['elbow'])
    with pytest.raises(ParameterError, match="'turn' is named twice"):
        Feedforward(dynamics, ['turn', 'turn'])
    with pytest.raises(ParameterError, match="'weight' is unknown, allowed are gravity"):
        Feedforward(dynamics, terms=['weight'])
    with pytest.raises(ParameterError, match="'there' is unknown, allowed are reference, state"):
        Feedforward(dynamics, evaluate_at='there')
