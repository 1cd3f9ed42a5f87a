"""Which terms, where, for which joints; and the limits of these joints."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from three_joints import JOINTS, URDF

from robot_dynamics_ros.control.feedforward import LONGEST_MOTION, TERMS, Feedforward
from robot_dynamics_ros.control.settings import (
    FRICTION_SHARE,
    Settings,
    torque_limits,
    torque_rates,
)
from robot_dynamics_ros.core import (
    JointFriction,
    RobotDynamics,
    parse_urdf,
)

MODEL = parse_urdf(URDF)
PLAIN = RobotDynamics(MODEL, backend='python')
Q, V = np.array([0.3, 0.1, -0.7]), np.array([0.5, -0.2, 0.4])
REFERENCE = np.array([[0.2, -0.1, 0.6], [1.0, 0.3, -0.8], [2.0, -1.0, 3.0]])
VISCOUS = {'turn': 2.0, 'slide': 30.0, 'wrist': 0.5}
COULOMB = {'turn': 1.0, 'slide': 0.0, 'wrist': 3.0}
OFFSET = np.array([0.7, -4.0, 0.2])


@pytest.fixture(scope='module')
def dynamics():
    return RobotDynamics(MODEL)


def rubbing(dynamics, *terms, **choices):
    friction = JointFriction(MODEL, viscous=VISCOUS, coulomb=COULOMB)
    return Feedforward(dynamics, friction=friction, terms=terms, **choices)


def test_effort_is_the_sum_of_its_parts_and_the_inputs_are_not_touched(dynamics):
    feedforward, given = Feedforward(dynamics), [Q.copy(), V.copy(), REFERENCE.copy()]
    feedforward.compute(*given)
    np.testing.assert_allclose(feedforward.effort, feedforward.parts.sum(axis=0), rtol=1e-14)
    expected = dynamics.inverse_dynamics(*REFERENCE)
    np.testing.assert_allclose(feedforward.effort, expected, rtol=1e-13)
    for value, before in zip(given, (Q, V, REFERENCE), strict=True):
        np.testing.assert_array_equal(value, before)


def test_others_take_their_measured_position_at_rest(dynamics):
    feedforward = Feedforward(dynamics, ['wrist'])
    feedforward.compute(Q, V, REFERENCE[:, 2:])
    q, v, a = np.array([Q, 0 * V, 0 * V])
    q[2], v[2], a[2] = REFERENCE[:, 2]
    expected = dynamics.inverse_dynamics(q, v, a)[2:]
    np.testing.assert_allclose(feedforward.effort, expected, rtol=1e-13)


def test_friction_and_offset_are_added_only_if_they_are_asked_for(dynamics):
    plain = rubbing(dynamics, *TERMS[:3], offset=OFFSET)
    asked = rubbing(dynamics, *TERMS, offset=OFFSET)
    for feedforward in (plain, asked):
        feedforward.compute(Q, V)
        expected = FRICTION_SHARE * feedforward.friction.torque(V) + OFFSET
        np.testing.assert_allclose(feedforward.parts[3], expected, rtol=1e-14)
    np.testing.assert_allclose(asked.effort, plain.effort + expected, rtol=1e-13)
    plain.select_terms(['friction'])
    plain.compute(Q, V)
    np.testing.assert_allclose(plain.effort, expected, rtol=1e-14)


def test_friction_is_exact_at_the_velocity_of_a_reference_and_a_share_at_a_measured_one(dynamics):
    feedforward = rubbing(dynamics, 'friction')
    law = feedforward.friction.torque
    for reference, expected in (
        (REFERENCE, law(REFERENCE[1])),
        (None, FRICTION_SHARE * law(V)),
        (REFERENCE, law(REFERENCE[1])),
    ):
        feedforward.compute(Q, V, reference)
        np.testing.assert_allclose(feedforward.effort, expected, rtol=1e-14)
    feedforward.feed_back(0.8)
    feedforward.compute(Q, V)
    np.testing.assert_allclose(feedforward.effort, 0.8 * law(V), rtol=1e-14)


def test_the_speed_of_friction_stays_inside_its_range_and_only_there(dynamics):
    """That of the velocity limit, or of the file; the other terms are full at such speeds."""
    friction = JointFriction(MODEL, viscous=VISCOUS, max_velocity={'turn': 0.25})
    feedforward = Feedforward(dynamics, terms=['friction'], friction=friction)
    feedforward.feed_back(1.0)
    held, slow = np.array([0.25, -1.0, 3.0]), np.array([0.2, -0.9, 2.9])
    for v in (np.array([0.5, -9.0, 3.5]), slow, np.array([0.5, -9.0, 3.5])):
        expected = friction.torque(np.clip(v, -np.abs(held), np.abs(held)))
        feedforward.compute(Q, v)
        np.testing.assert_allclose(feedforward.effort, expected, rtol=1e-14)
        feedforward.compute(Q, 0.0 * v, np.stack([Q, v, 0.0 * v]))
        np.testing.assert_allclose(feedforward.effort, expected, rtol=1e-14)


def moving(feedforward, seconds, v, reference=None):
    """The last effort of a motion that lasts so long."""
    for _ in range(round(seconds / 0.01)):
        feedforward.compute(Q, np.array(v), reference, elapsed=0.01)
    return feedforward.effort.copy()


def test_friction_is_dropped_where_a_motion_goes_on_until_the_arm_has_rested(dynamics):
    feedforward = rubbing(dynamics, 'friction', offset=OFFSET)
    on, rest = [0.3, 0.0, 0.0], [0.01, 0.004, -0.01]
    # Rest, a way back, or a reference end a motion.
    for between in (rest, [-0.1, 0.0, 0.0]):
        feedforward.hold(Q)
        moving(feedforward, 0.6 * LONGEST_MOTION, on)
        moving(feedforward, 0.1, between)
        moving(feedforward, 0.6 * LONGEST_MOTION, on)
        assert not feedforward.watch.dropped
    moving(feedforward, 0.1, on, REFERENCE)
    moving(feedforward, 0.6 * LONGEST_MOTION, on)
    assert not feedforward.watch.dropped
    # Neither friction nor offset.
    assert not moving(feedforward, 0.5 * LONGEST_MOTION, on).any()
    assert 'turn' in feedforward.watch.dropped
    # Turning back is not rest.
    assert not moving(feedforward, 0.1, [-0.1, 0.0, 0.0]).any()
    assert moving(feedforward, 0.1, rest) == pytest.approx(OFFSET, abs=1.5)
    assert not feedforward.watch.dropped


def test_motion_is_not_watched_without_the_term_friction(dynamics):
    feedforward = rubbing(dynamics, 'gravity')
    assert moving(feedforward, 2.0 * LONGEST_MOTION, [0.3, 0.0, 0.0]).any()
    assert not feedforward.watch.dropped


def test_friction_follows_the_way_and_the_load_and_is_forgotten_at_rest(dynamics):
    """As the law has it along the same motion; an arm that stood is not pushed when it starts."""
    friction = JointFriction(MODEL, presliding={'turn': 5.0}, load={'wrist': 0.1})
    feedforward = Feedforward(dynamics, friction=friction, terms=['friction'])
    times = np.arange(0.0, 1.0, 0.01)
    ways = 0.2 * times[:, None] * np.ones(3)
    speeds = np.diff(ways, axis=0, prepend=ways[:1]) / 0.01
    slips, load = friction.slips().along(ways), dynamics.bias_torque(ways, speeds)
    rest = np.zeros(3)
    for q, v, slip, own in zip(ways, speeds, slips, load, strict=True):
        feedforward.compute(q, rest, np.stack([q, v, rest]), elapsed=0.01)
        expected = friction.torque(v, load=own, slips=slip)
        np.testing.assert_allclose(feedforward.effort, expected, rtol=1e-9, atol=1e-9)
    assert feedforward.effort[0] > 4.0
    noise = np.random.default_rng(0).normal(0.0, 0.005, (100, 3))
    efforts = []
    for v in noise:
        feedforward.compute(rest, rest, np.stack([ways[-1], v, rest]), elapsed=0.01)
        efforts.append(feedforward.effort[0])
    assert abs(np.mean(efforts[50:])) < 0.01 * efforts[0]
    feedforward.hold(ways[-1])
    assert not feedforward.effort.any()
    feedforward.compute(rest, rest, np.stack([ways[-1], [1.0, 0.0, 0.0], rest]))
    assert feedforward.effort[0] == friction.torque([1.0, 0.0, 0.0], slips=np.zeros((2, 3)))[0]


@given(v=arrays(float, 3, elements=st.floats(-10.0, 10.0)))
def test_compensation_gives_no_more_power_than_friction_takes(v):
    """With the sharp sign of Coulomb's law, friction takes F_v v^2 + F_s |v|."""
    feedforward = rubbing(PLAIN, 'friction')
    feedforward.feed_back(1.0)
    feedforward.compute(Q, v)
    taken = np.array([*VISCOUS.values()]) * v**2 + np.array([*COULOMB.values()]) * abs(v)
    given_back = feedforward.effort * v
    assert (given_back >= 0.0).all()
    # Powers below the smallest normal number are rounded to fewer digits.
    assert (given_back <= taken * (1.0 + 1e-14) + np.finfo(float).tiny).all()


@pytest.mark.parametrize(
    ('joints', 'given', 'limits', 'rates'),
    [
        # Ten times as much in a second.
        (JOINTS, (), [np.inf, 200.0, 20.0], [1000.0, 2000.0, 200.0]),
        (('wrist', 'slide'), (), [20.0, 200.0], [200.0, 2000.0]),
        (('wrist', 'slide'), (1.0, 2.0), [1.0, 2.0], [10.0, 20.0]),
        (JOINTS, (5.0,), [5.0] * 3, [50.0] * 3),
        # Ten times zero would be no way down.
        (JOINTS, (0.0, 3.0, 4.0), [0.0, 3.0, 4.0], [1000.0, 30.0, 40.0]),
    ],
)
def test_limits_are_those_of_the_settings_or_of_the_description(joints, given, limits, rates):
    found = torque_limits(MODEL, joints, Settings(effort_limits=given))
    assert (found.tolist(), torque_rates(found).tolist()) == (limits, rates)
