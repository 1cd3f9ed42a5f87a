"""What a robot can do is accepted; what it cannot do is refused once, by joint and numbers."""

import math
import re
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from three_joints import URDF

from robot_dynamics_ros.control.guards.state_guard import FASTEST, StateGuard
from robot_dynamics_ros.core import StateError, parse_urdf

MODEL = parse_urdf(URDF)
# Of turn, which turns without end and has no limit, slide and wrist.
SPEEDS = np.array([np.inf, 1.0, 3.0])
LOWER, UPPER = np.array([-np.inf, -0.5, -2.0]), np.array([np.inf, 0.5, 2.0])
# 5 % of a turn or of the range, or 50 ms at the velocity limit.
TOLERANCES = np.array([0.1 * np.pi, 0.05, 0.15])
Q = np.array([0.3, 0.1, -0.7])

shares = arrays(float, 3, elements=st.floats(-1.0, 1.0))
durations = st.floats(1e-6, 10.0)


def guarded(q=Q, time=10.0):
    guard = StateGuard(MODEL)
    guard.check(time, q)
    return guard


@given(motions=st.lists(st.tuples(durations, shares), max_size=20), wraps=st.booleans())
@settings(deadline=None)
def test_motion_within_the_limits_is_accepted(motions, wraps):
    guard, q, time = guarded(), Q.copy(), 10.0
    for elapsed, share in motions:
        time += elapsed
        q = np.clip(q + share * np.array([30.0, 1.0, 3.0]) * elapsed, LOWER, UPPER)
        shown = q.copy()
        if wraps:
            shown[0] = math.remainder(q[0], 2 * math.pi)
        guard.check(time, shown)


@given(
    elapsed=durations, excess=st.floats(1e-6, 10.0), joint=st.sampled_from([1, 2]),
    sign=st.sampled_from([-1.0, 1.0]),
)  # fmt: skip
def test_a_jump_is_refused_by_joint_and_numbers(elapsed, excess, joint, sign):
    explained = SPEEDS[joint] * elapsed + TOLERANCES[joint]
    jump = explained + excess
    q = Q.copy()
    q[joint] += sign * jump
    name = MODEL.joint_names[joint]
    with pytest.raises(StateError) as refusal:
        guarded().check(10.0 + elapsed, q)
    assert f"'{name}' jumps" in str(refusal.value)
    said = [float(number) for number in re.findall(r'(?<=[ ])\d[\d.e+-]*', str(refusal.value))]
    # Three digits of each.
    assert said == pytest.approx([abs(q[joint] - Q[joint]), elapsed, explained], rel=6e-3)


@given(st.floats(1e-6, 1e3))
def test_a_stamp_before_the_last_is_refused(earlier):
    with pytest.raises(StateError, match=r'stamp.* s before'):
        guarded().check(10.0 - earlier, Q)


def test_the_numbers_of_a_stamp():
    with pytest.raises(StateError, match=r'stamp.* 2\.5 s before'):
        guarded().check(7.5, Q)


def test_at_the_same_stamp_no_joint_may_jump_and_none_hides_another():
    """No time: a joint without a velocity limit then explains no step, and no error either."""
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        guarded().check(10.0, Q)
        guarded().check(10.0, Q + TOLERANCES / 2)
        for joint, name in enumerate(MODEL.joint_names):
            q = Q.copy()
            q[joint] += 0.4
            with pytest.raises(StateError, match=f"'{name}' .* 0.4 .* 0 s"):
                guarded().check(10.0, q)


@given(turns=st.integers(-3, 3), step=st.floats(-0.09, 0.09))
@settings(deadline=None)
def test_a_wrapped_turn_is_no_jump(turns, step):
    limited = parse_urdf(URDF.replace('<axis xyz="0 0 1"/></joint>',
                                      '<axis xyz="0 0 1"/><limit effort="9" velocity="2"/>'
                                      '</joint>', 1))  # fmt: skip
    guard = StateGuard(limited)
    guard.check(0.0, Q)
    guard.check(0.001, Q + np.array([2 * math.pi * turns + step, 0.0, 0.0]))
    with pytest.raises(StateError, match=r"'turn' jumps by 3.1"):
        guard.check(0.002, Q + np.array([math.pi + step, 0.0, 0.0]))


def test_other_joints_do_not_wrap():
    q = Q + np.array([0.0, 0.0, 2 * math.pi])
    with pytest.raises(StateError, match=r"'wrist' jumps by 6.28"):
        guarded().check(10.001, q)


def test_the_worst_joint_is_named():
    with pytest.raises(StateError, match="'wrist' jumps by 2 "):
        guarded().check(10.001, Q + np.array([0.0, 1.0, 2.0]))


def some(*held):
    """Q of some joints only."""
    return np.where([name in held for name in MODEL.joint_names], Q, np.nan)


def test_stamps_of_two_drivers_may_run_backwards_relative_to_each_other():
    guard = StateGuard(MODEL)
    for time in (10.0, 10.1, 10.2):
        guard.check(time, some('turn', 'slide'))
        guard.check(time - 5.0, some('wrist'))
    with pytest.raises(StateError, match=r'stamp.* 0\.1 s before.*wrist'):
        guard.check(5.1, some('wrist'))
    assert not guard.check(10.3, some('slide'))
    assert guard.newer.tolist() == [False, True, False]


def test_a_slow_joint_has_the_time_since_its_own_last_state():
    """A gripper at 30 Hz beside an arm at 1 kHz: its step is explained by its own period."""
    guard = StateGuard(MODEL)
    guard.check(0.0, Q)
    for step in range(1, 33):
        guard.check(0.001 * step, some('turn', 'slide'))
    guard.check(0.033, some('wrist') + np.array([0.0, 0.0, 3.0 * 0.033]))
    with pytest.raises(StateError, match=r"'wrist' jumps.* 0\.5 .* 0\.033 s"):
        guard.check(0.066, some('wrist') + np.array([0.0, 0.0, 3.0 * 0.033 + 0.5]))


def test_several_joints_far_outside_their_limits_are_asked_about_until_they_are_not():
    """Degrees for radians, from the first state on; one joint alone may have a wrong limit."""
    guard, degrees = StateGuard(MODEL), np.degrees(Q)
    for time in (1.0, 1.1, 1.2):
        with pytest.raises(StateError, match=r'slide.* 5\.73.*wrist.* -40\.11.*rad'):
            guard.check(time, degrees)
    guard.check(1.3, np.array([9.0, 0.1, 40.0]))
    guard.check(1.4, np.array([9.0, 0.1, 40.0]))


def test_degrees_that_begin_later_are_refused_until_they_end():
    """Each state after the jump is questioned as a first one is."""
    guard, degrees = guarded(), np.degrees(Q)
    for number in range(1, 51):
        with pytest.raises(StateError, match=r'wrist.* -40\.11.*not degrees'):
            guard.check(10.0 + 0.01 * number, degrees)
    with pytest.raises(StateError, match='jumps by'):
        guard.check(10.51, Q)
    guard.check(10.52, Q)


@given(pause=st.floats(14.0, 1e6))
def test_degrees_after_a_pause_are_refused_until_they_end(pause):
    """The velocity limits explain the way in that time; a first state is questioned too."""
    guard, degrees = guarded(), np.degrees(Q)
    for number in range(5):
        with pytest.raises(StateError, match=r'wrist.* -40\.11.*not degrees'):
            guard.check(10.0 + pause + 0.01 * number, degrees)
    with pytest.raises(StateError, match='jumps by'):
        guard.check(10.05 + pause, Q)
    guard.check(10.06 + pause, Q)


def test_degrees_after_the_clock_was_set_are_refused():
    guard = guarded()
    guard.reset()
    with pytest.raises(StateError, match=r'wrist.* -40\.11.*not degrees'):
        guard.check(-5.0, np.degrees(Q))
    with pytest.raises(StateError, match='jumps by'):
        guard.check(-4.99, Q)
    guard.check(-4.98, Q)


def test_one_joint_far_outside_its_limits_after_a_pause_may_have_a_wrong_limit():
    guarded().check(100.0, Q + np.array([0.0, 0.0, 40.0]))


@pytest.mark.parametrize(
    ('time', 'v'), [(9.0, None), (10.01, np.full(3, 1e6))], ids=['stamp', 'velocity']
)
def test_a_jump_with_another_defect_is_remembered(time, v):
    """A driver that is started again may have another clock and another unit."""
    guard = guarded()
    with pytest.raises(StateError):
        guard.check(time, np.degrees(Q), v)
    with pytest.raises(StateError, match='not degrees'):
        guard.check(time + 0.01, np.degrees(Q), np.zeros(3))


def test_one_joint_that_jumps_far_outside_its_limits_may_have_a_wrong_limit():
    guard, elsewhere = guarded(), Q + np.array([0.0, 0.0, 40.0])
    with pytest.raises(StateError, match='jumps'):
        guard.check(10.01, elsewhere)
    guard.check(10.02, elsewhere)


def test_slow_motion_far_outside_the_limits_is_not_questioned():
    guard, q = guarded(), Q.copy()
    for number in range(1000):
        q += np.array([0.0, 0.009, 0.02])
        guard.check(10.01 + 0.01 * number, q)


def test_a_moved_robot_has_one_state_refused():
    guard, elsewhere = guarded(), Q + 1.0
    with pytest.raises(StateError, match='jumps'):
        guard.check(10.001, elsewhere)
    guard.check(10.002, elsewhere)


def test_a_clock_that_was_set_back_costs_one_state():
    guard = guarded()
    with pytest.raises(StateError, match='before'):
        guard.check(3.0, Q)
    guard.check(3.001, Q)


def test_one_wrong_reading_does_not_become_the_truth():
    guard = guarded()
    for time, q in ((10.001, Q + 1.0), (10.002, Q)):
        with pytest.raises(StateError, match='jumps'):
            guard.check(time, q)
    guard.check(10.003, Q)


def test_after_forgetting_any_state_of_the_robot_may_come():
    guard = guarded()
    guard.reset()
    guard.check(-5.0, Q + np.array([100.0, 0.0, 100.0]))
    with pytest.raises(StateError, match='jumps'):
        guard.check(-4.999, Q)


def test_the_array_that_came_may_be_reused():
    q = Q.copy()
    guard = guarded(q)
    q += 1.0
    with pytest.raises(StateError, match='jumps'):
        guard.check(10.001, q)


@pytest.mark.parametrize('described', ['0', '-3'])
def test_a_velocity_limit_of_nothing_says_nothing(described):
    text = URDF.replace('velocity="3"', f'velocity="{described}"')
    guard = StateGuard(parse_urdf(text))
    guard.check(0.0, Q)
    guard.check(0.001, Q + np.array([0.0, 0.0, 3.0]))


def test_a_successor_compares_with_what_came_last_by_its_own_limits():
    faster = StateGuard(parse_urdf(URDF.replace('velocity="3"', 'velocity="300"')))
    faster.continue_from(guarded())
    with pytest.raises(StateError, match='before'):
        faster.check(9.0, Q)
    faster.continue_from(guarded())
    faster.check(10.01, Q + np.array([0.0, 0.05, 3.0]))
    with pytest.raises(StateError, match=r"'slide' jumps by 0.3 "):
        faster.check(10.02, Q + np.array([0.0, 0.35, 3.0]))


@given(share=st.floats(0.0, 20.0), joint=st.sampled_from([0, 1, 2]))
def test_velocities_far_beyond_their_limit_are_refused(share, joint):
    """A joint without a limit may have any."""
    guard, v = StateGuard(MODEL), np.zeros(3)
    limit = MODEL.independent_joints[joint].limits.velocity
    v[joint] = share * (limit if np.isfinite(limit) else 1e6)
    if np.isfinite(limit) and share > FASTEST * (1 + 1e-12):
        with pytest.raises(StateError, match='times its limit'):
            guard.check(1.0, np.zeros(3), v)
    elif share < FASTEST * (1 - 1e-12):
        assert guard.check(1.0, np.zeros(3), v)
