"""What is kept of the joint states that the guard accepted."""

import numpy as np
import pytest
from three_joints import URDF

from robot_dynamics_ros.control.guards.accepted_state import AcceptedState
from robot_dynamics_ros.control.guards.settings import GuardSettings
from robot_dynamics_ros.core import StateError, parse_urdf

MODEL = parse_urdf(URDF)
Q, V = np.array([0.3, 0.1, -0.7]), np.array([0.2, -0.1, 0.4])
ELSEWHERE = Q + np.array([0.0, 0.3, 0.0])


@pytest.fixture
def state():
    state = AcceptedState(MODEL, np.arange(3), GuardSettings())
    assert np.isinf(state.time)
    assert not state.update(100.0, Q, V, now=5.0)
    state.confirm()
    return state


def check_is_first(state):
    np.testing.assert_array_equal(state.q, Q)
    assert state.time == 5.0


def test_a_good_state_is_copied_with_its_time(state):
    q = Q.copy()
    state.update(100.01, q, V, now=5.02)
    q += 1.0
    np.testing.assert_array_equal(state.q, Q)
    np.testing.assert_array_equal(state.v, V)
    assert state.has_velocity
    assert state.time == 5.02


def test_the_timeout_of_other_joints_does_not_apply_where_all_are_commanded(state):
    settings = GuardSettings(state_timeout=10.0, other_state_timeout=1.0)
    assert state.fresh(14.9, settings)
    assert not state.fresh(15.1, settings)


def test_without_measured_velocities_they_are_zero_and_said_to_be_missing(state):
    state.update(100.01, Q, None, now=5.01)
    assert not state.v.any()
    assert not state.has_velocity


def test_a_repeated_stamp_gives_a_position_and_no_new_time(state):
    state.update(100.0, Q + 0.01, V, now=5.05)
    np.testing.assert_array_equal(state.q, Q + 0.01)
    assert state.time == 5.0


def test_a_move_while_states_are_refused_is_reported_once(state):
    with pytest.raises(StateError, match='jumps'):
        state.update(100.001, ELSEWHERE, V, now=5.001)
    check_is_first(state)
    assert state.update(100.002, ELSEWHERE, V, now=5.002)
    assert not state.update(100.003, ELSEWHERE, V, now=5.003)


def test_a_refused_state_alone_is_no_move(state):
    with pytest.raises(StateError, match='before'):
        state.update(99.0, Q, V, now=5.001)
    assert not state.update(99.001, Q, V, now=5.002)


def test_a_withdrawn_state_leaves_the_one_before(state):
    state.update(100.01, Q + 0.01, V, now=5.01)
    state.withdraw()
    check_is_first(state)


def test_after_a_reset_any_stamp_and_position_is_accepted(state):
    state.reset_stamps()
    assert not state.update(1.0, ELSEWHERE + 3.0, V, now=5.01)
    assert state.time == 5.01


def test_a_successor_has_the_state_and_compares_with_it(state):
    successor = AcceptedState(MODEL, np.arange(3), GuardSettings())
    successor.continue_from(state)
    check_is_first(successor)
    with pytest.raises(StateError, match='jumps'):
        successor.update(100.001, ELSEWHERE, V, now=5.001)


NO = np.nan


def of_some(commanded=(0, 1), **settings):
    return AcceptedState(MODEL, np.array(commanded), GuardSettings(**settings))


def test_each_joint_has_the_time_of_its_own_measurement():
    state, settings = of_some(), GuardSettings(state_timeout=0.1, other_state_timeout=1.0)
    state.update(1.0, np.array([0.3, 0.1, NO]), None, now=5.0)
    assert not state.complete
    assert not state.fresh(5.0, settings)
    state.update(77.0, np.array([NO, NO, -0.7]), None, now=5.05)
    np.testing.assert_array_equal(state.q, Q)
    np.testing.assert_array_equal(state.times, [5.0, 5.0, 5.05])
    assert state.complete
    assert state.fresh(5.1, settings)
    assert not state.fresh(5.11, settings)
    for now in (5.5, 6.0, 6.06):
        state.update(now, np.array([0.3, 0.1, NO]), None, now=now)
        assert state.fresh(now, settings) == (now < 6.05)
    np.testing.assert_array_equal(state.counts, [4, 4, 1])


def test_the_older_half_of_the_commanded_joints_counts():
    state = of_some((0, 1, 2))
    state.update(1.0, np.array([0.3, NO, NO]), None, now=1.0)
    assert state.time == -np.inf
    state.update(1.5, np.array([NO, 0.1, -0.7]), None, now=1.5)
    assert state.time == 1.0
    state.update(2.0, np.array([0.3, NO, NO]), None, now=2.0)
    assert state.time == 1.5


def test_only_the_velocities_of_commanded_joints_are_needed():
    state = of_some()
    state.update(1.0, Q, np.array([0.2, -0.1, NO]), now=1.0)
    assert state.has_velocity
    np.testing.assert_array_equal(state.v, [0.2, -0.1, 0.0])
    state.update(1.1, Q, np.array([0.2, NO, 0.4]), now=1.1)
    assert not state.has_velocity
    assert state.without_velocity() == 'slide'
    # The other driver speaks: what slide lacks, it lacks still.
    state.update(1.2, np.array([0.3, NO, NO]), np.array([0.2, NO, NO]), now=1.2)
    assert not state.has_velocity


@pytest.mark.parametrize('measured', [None, np.full(3, NO)])
def test_velocities_that_are_not_measured_are_estimated_from_positions(measured):
    state, v = of_some(velocity_cutoff=20.0), np.array([0.2, -0.1, 0.4])
    for step in range(400):
        time = 0.002 * step
        state.update(time, Q + v * time, measured, now=time)
        assert state.has_velocity
    np.testing.assert_allclose(state.v, v, rtol=1e-9)
    # A measured one takes precedence.
    state.update(0.8, Q + v * 0.8, np.array([0.9, NO, NO]), now=0.8)
    np.testing.assert_allclose(state.v, [0.9, -0.1, 0.4], rtol=1e-9)


def test_velocities_of_joints_in_two_messages_are_estimated_from_their_own_stamps():
    state, v = of_some((0, 1, 2), velocity_cutoff=20.0), np.array([0.2, -0.1, 0.4])
    for step in range(400):
        for late, held in ((0.0, [True, False, True]), (0.001, [False, True, False])):
            time = 0.005 * step + late
            state.update(time, np.where(held, Q + v * time, NO), None, now=time)
    np.testing.assert_allclose(state.v, v, rtol=1e-9)
