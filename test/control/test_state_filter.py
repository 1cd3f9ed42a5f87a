"""What a robot can do is accepted; what it cannot do is refused once, by joint and numbers."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from three_joints import LIMITED, UNLIMITED, URDF

from robot_dynamics_ros.control.state_filter import (
    FASTEST,
    VELOCITY_CUTOFF,
    StateFilter,
    VelocityEstimate,
)
from robot_dynamics_ros.core import StateError, parse_urdf

MODEL = parse_urdf(URDF)
# Of turn, which turns without end and has no limit, slide and wrist.
SPEEDS = np.array([np.inf, 1.0, 3.0])
UPPER = np.array([np.inf, 0.5, 2.0])
# 5 % of a turn or of the range, or 50 ms at the velocity limit.
TOLERANCES = np.array([0.1 * np.pi, 0.05, 0.15])
Q = np.array([0.3, 0.1, -0.7])
TIMEOUT = 0.1

shares = arrays(float, 3, elements=st.floats(-1.0, 1.0))
durations = st.floats(1e-6, 10.0)


def new(model=MODEL, commanded=(0, 1, 2)):
    return StateFilter(model, np.array(commanded), TIMEOUT)


def shown(q=Q, time=10.0):
    state = new()
    take(state, time, q)
    return state


def take(state, time, q, v=None):
    """At the time of the stamp."""
    return state.update(time, q, v, time)


@given(
    elapsed=durations, excess=st.floats(1e-6, 10.0), joint=st.sampled_from([1, 2]),
    sign=st.sampled_from([-1.0, 1.0]),
)  # fmt: skip
def test_a_jump_is_refused_by_joint_and_numbers(elapsed, excess, joint, sign):
    explained = SPEEDS[joint] * elapsed + TOLERANCES[joint]
    jump = explained + excess
    q = Q.copy()
    q[joint] += sign * jump
    with pytest.raises(StateError) as refusal:
        take(shown(), 10.0 + elapsed, q)
    said = str(refusal.value)
    assert f"'{MODEL.joint_names[joint]}' jumps" in said
    assert float(said.split()[-1]) == pytest.approx(explained, rel=5.1e-3)  # three digits


def test_at_the_same_stamp_no_joint_may_jump_and_none_hides_another():
    """No time: a joint without a velocity limit then explains no step, and no error either."""
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        take(shown(), 10.0, Q + TOLERANCES / 2)
        for name, step in zip(MODEL.joint_names, 0.4 * np.eye(3), strict=True):
            with pytest.raises(StateError, match=f"'{name}' .* 0.4 .* 0 s"):
                take(shown(), 10.0, Q + step)


@given(turns=st.integers(-3, 3), step=st.floats(-0.09, 0.09))
def test_a_wrapped_turn_is_no_jump_but_of_a_joint_with_ends(turns, step):
    state = new(parse_urdf(LIMITED))
    take(state, 0.0, Q)
    take(state, 0.001, Q + np.array([2 * math.pi * turns + step, 0.0, 0.0]))
    with pytest.raises(StateError, match=r"'turn' jumps by 3.1"):
        take(state, 0.002, Q + np.array([math.pi + step, 0.0, 0.0]))
    # The worst is named.
    with pytest.raises(StateError, match="'wrist'"):
        take(shown(), 10.001, Q + np.array([0.0, 0.5, 2 * math.pi]))


FREE = parse_urdf(UNLIMITED)
# Ranges and jump tolerances of its joints: turn goes round.
RANGES = np.array([2.0 * math.pi, 1.0, 4.0])
FREE_TOLERANCES = 0.05 * RANGES
periods = st.floats(1e-3, 1.0 / 30.0)


@given(
    joint=st.sampled_from([0, 1, 2]), v=st.floats(-100.0, 100.0),
    halves=st.lists(st.tuples(periods, st.floats(-1.0, 1.0), st.floats(-1.0, 1.0)), max_size=40),
)  # fmt: skip
def test_a_motion_that_its_velocities_explain_is_accepted(joint, v, halves):
    """Of a joint without a limit, however fast, which accelerates by up to 4 tolerances / dt^2."""
    state, time, q, speeds = new(FREE), 0.0, Q.copy(), np.zeros(3)
    speeds[joint] = v
    take(state, time, q, speeds)
    for dt, *shares in halves:
        first, second = 0.999 * 4.0 * FREE_TOLERANCES[joint] / dt**2 * np.array(shares)
        time += dt
        q[joint] += speeds[joint] * dt + (3.0 * first + second) * dt**2 / 8.0
        speeds[joint] += 0.5 * (first + second) * dt
        take(state, time, q, speeds)
        np.testing.assert_array_equal(state.q, q)


@given(
    dt=periods | st.floats(0.1, 1e3), share=st.floats(-1.0, 1.0), joint=st.sampled_from([0, 1, 2]),
    measured=st.booleans(),
)  # fmt: skip
def test_a_slow_motion_needs_no_velocities(dt, share, joint, measured):
    """Of a joint without a limit: its range in a second. Some drivers measure zeros."""
    state, q = new(FREE), Q.copy()
    for number in range(5):
        take(state, number * dt, q, np.zeros(3) if measured else None)
        q[joint] = np.clip(q[joint] + share * RANGES[joint] * dt, -2.0, 2.0)


@given(
    dt=periods, joint=st.sampled_from([0, 1, 2]), share=st.floats(0.085, 0.5),
    sign=st.sampled_from([-1.0, 1.0]), measured=st.booleans(),
)  # fmt: skip
def test_zeros_between_good_states_are_refused_without_limits_too(
    dt, joint, share, sign, measured
):
    """They repeat the usual stamps, with velocities of zero or none."""
    state, q = new(FREE), np.zeros(3)
    q[joint] = sign * share * RANGES[joint]
    take(state, 0.0, q, np.zeros(3))
    take(state, dt, q, np.zeros(3))
    # The good state after it is compared with it.
    for time, seen in ((2.0 * dt, 0.0 * q), (3.0 * dt, q)):
        with pytest.raises(StateError, match=f"'{FREE.joint_names[joint]}' jumps"):
            take(state, time, seen, np.zeros(3) if measured else None)
    np.testing.assert_array_equal(state.q, q)
    assert not take(state, 4.0 * dt, q, np.zeros(3))


def some(*held):
    """Q of some joints only."""
    return np.where([name in held for name in MODEL.joint_names], Q, np.nan)


def test_stamps_of_two_drivers_may_run_backwards_relative_to_each_other():
    """A step is explained by the time since the last state of the same joint."""
    state = new()
    for time in (10.0, 10.1, 10.2):
        take(state, time, some('turn', 'slide'))
        take(state, time - 5.0, some('wrist') + 3.0 * (time - 10.2))
    with pytest.raises(StateError, match=r' 0\.1 s before.*wrist'):
        take(state, 5.1, some('wrist'))
    counts = state.counts
    take(state, 10.3, some('slide'))
    assert (state.counts - counts).tolist() == [0, 1, 0]


def test_several_joints_far_outside_their_limits_are_asked_about_until_they_are_not():
    """Degrees for radians, from the first state on; one joint alone may have a wrong limit."""
    state, degrees = new(), np.degrees(Q)
    for time in (1.0, 1.1, 1.2):
        with pytest.raises(StateError, match=r'slide.* 5\.73.*wrist.* -40\.11.*rad'):
            take(state, time, degrees)
    take(state, 1.3, np.array([9.0, 0.1, 40.0]))
    take(state, 1.4, np.array([9.0, 0.1, 40.0]))


@given(pause=st.just(0.01) | st.floats(14.0, 1e6))
def test_degrees_that_begin_later_are_refused_until_they_end(pause):
    """Also after a pause, in which the velocity limits explain any step."""
    state, degrees = shown(), np.degrees(Q)
    for number in range(5):
        with pytest.raises(StateError, match='degrees'):
            take(state, 10.0 + pause + 0.01 * number, degrees)
    take(state, 10.05 + pause, Q)


@given(share=st.floats(0.0, 20.0), joint=st.sampled_from([0, 1, 2]))
def test_velocities_far_beyond_their_limit_are_refused(share, joint):
    """A joint without a limit may have any that gives finite torques."""
    state, v = new(), np.zeros(3)
    with pytest.raises(StateError, match="'turn'"):
        take(state, 0.5, np.zeros(3), np.array([1e200, 0.0, 0.0]))
    limit = MODEL.independent_joints[joint].limits.velocity
    v[joint] = share * (limit if np.isfinite(limit) else 1e6)
    if np.isfinite(limit) and share > FASTEST * (1 + 1e-12):
        with pytest.raises(StateError, match='times its limit'):
            take(state, 1.0, np.zeros(3), v)
    elif share < FASTEST * (1 - 1e-12):
        take(state, 1.0, np.zeros(3), v)
        np.testing.assert_array_equal(state.v, v)


V, ELSEWHERE, NO = np.array([0.2, -0.1, 0.4]), Q + np.array([0.0, 0.3, 0.0]), np.nan


def test_a_good_state_is_copied_and_a_repeated_stamp_gives_no_new_time():
    state, q = shown(), Q + 0.01
    state.update(10.0, q, V, now=10.05)
    q += 1.0
    np.testing.assert_array_equal(state.q, Q + 0.01)
    np.testing.assert_array_equal(state.v, V)
    assert state.time == 10.0
    assert (state.repeated == 10.05).all()


def test_a_refused_state_leaves_the_one_before_and_a_move_is_reported_once():
    state = shown()
    with pytest.raises(StateError, match='jumps'):
        take(state, 10.001, ELSEWHERE, V)
    np.testing.assert_array_equal(state.q, Q)
    assert state.time == 10.0
    assert take(state, 10.002, ELSEWHERE, V)
    assert 'slide' in state.jump
    assert not take(state, 10.003, ELSEWHERE, V)
    assert not state.jump
    with pytest.raises(StateError, match='before'):
        take(state, 9.0, ELSEWHERE, V)
    assert not take(state, 9.001, ELSEWHERE, V)


@pytest.mark.parametrize('step', [1.8e9, -1.8e9])
def test_between_the_stamps_of_two_clocks_no_time_passes_for_a_jump(step):
    """As where some states have no stamp, and the time when they come stands in for it."""
    state = shown(time=2e9)
    with pytest.raises(StateError, match=r'slide|before'):
        take(state, 2e9 + step, ELSEWHERE, V)
    assert take(state, 2e9 + step + 0.001, ELSEWHERE, V)


def test_each_joint_has_the_time_of_its_own_measurement():
    state = new(commanded=(0, 1))
    state.update(1.0, np.array([0.3, 0.1, NO]), None, now=5.0)
    assert not state.complete
    assert not state.fresh(5.0)
    state.update(77.0, np.array([NO, NO, -0.7]), None, now=5.05)
    np.testing.assert_array_equal(state.q, Q)
    np.testing.assert_array_equal(state.times, [5.0, 5.0, 5.05])
    assert state.complete
    assert state.fresh(5.1)
    assert not state.fresh(5.11)
    # One that is not commanded may go silent.
    for now in (5.5, 6.0, 6.06):
        state.update(now, np.array([0.3, 0.1, NO]), np.array([0.0, 0.0, NO]), now=now)
        assert state.fresh(now)
    np.testing.assert_array_equal(state.q, Q)
    np.testing.assert_array_equal(state.counts, [4, 4, 1])
    # A shorter timeout counts at once.
    state = shown()
    state.use_timeout(0.5 * TIMEOUT)
    assert state.fresh(10.05)
    assert not state.fresh(10.06)


@pytest.mark.parametrize('measured', [None, np.full(3, NO)])
def test_velocities_that_are_not_measured_are_estimated_from_positions(measured):
    """Those of a joint that turns without end may be wrapped."""
    state = new()
    for step in range(400):
        if step == 200:
            # The estimate begins anew.
            state.set_clock(0.0)
        q = Q + V * 0.002 * step
        take(state, 0.002 * step, q - [2.0 * math.pi * (step % 3), 0.0, 0.0], measured)
    np.testing.assert_allclose(state.v, V, rtol=1e-9)
    # A measured one takes precedence.
    take(state, 0.8, Q + V * 0.8, np.array([0.9, NO, NO]))
    np.testing.assert_allclose(state.v, [0.9, -0.1, 0.4], rtol=1e-9)


def test_velocities_of_joints_in_two_messages_are_estimated_from_their_own_stamps():
    """What is refused of one joint takes nothing from the estimates of the others."""
    state = new()
    for step in range(400):
        for late, held in ((0.0, [True, False, True]), (0.001, [False, True, False])):
            time = 0.005 * step + late
            take(state, time, np.where(held, Q + V * time, NO))
        if step % 10 == 5:
            with pytest.raises(StateError, match='before'):
                take(state, -1.0 - step, some('wrist'))
            take(state, -0.9 - step, some('wrist'))
    np.testing.assert_allclose(state.v[:2], V[:2], rtol=1e-9)


@pytest.mark.parametrize('cutoff', [2.0, VELOCITY_CUTOFF])
def test_the_estimate_lags_behind_a_ramp_of_velocity_by_its_time_constant(cutoff):
    estimate, period, a = VelocityEstimate(MODEL, cutoff), 1e-4, np.array([2.0, -0.5, 1.0])
    delay = 1.0 / (2.0 * math.pi * cutoff)
    for step in range(round(15.0 * delay / period)):
        time = step * period
        estimate.update(time, 0.5 * a * time**2)
    np.testing.assert_allclose(time - estimate.v / a, delay, atol=1e-3 * delay)
