"""The command reaches its target: continuously, within the limits, and in the time promised."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from three_joints import JOINTS, URDF

from robot_dynamics_ros.control.guards.command_transition import SPARE_TIME, CommandTransition
from robot_dynamics_ros.control.guards.limiter import LONGEST_STEP
from robot_dynamics_ros.control.guards.settings import GuardSettings
from robot_dynamics_ros.core import ParameterError, parse_urdf

MODEL = parse_urdf(URDF)
PERIOD = 0.01
SETTINGS = GuardSettings(fade_time=0.1, effort_limits=(10.0,), effort_rate_limits=(200.0,))
efforts = arrays(float, 3, elements=st.floats(-30.0, 30.0))


def transition(settings=SETTINGS):
    return CommandTransition(MODEL, JOINTS, settings)


def run(it, target, seconds):
    commands = []
    for _ in range(round(seconds / PERIOD)):
        it.step(target, PERIOD)
        commands.append(it.effort.copy())
    return np.array(commands)


@given(first=efforts, second=efforts, fade_time=st.sampled_from([None, 0.0, 0.05, 0.3]))
@settings(deadline=None)
def test_every_way_is_within_limits_and_rates_and_ends_at_the_target(first, second, fade_time):
    it = transition()
    commands = [np.zeros((1, 3))]
    for target in (first, second):
        it.request_fade(fade_time)
        assert not it.reached_target
        longest = it.longest_time(np.abs(target)) - SPARE_TIME
        commands.append(run(it, target, longest + 2 * PERIOD))
        assert it.reached_target
        np.testing.assert_allclose(it.effort, np.clip(target, -10.0, 10.0), rtol=1e-12)
    commands = np.concatenate(commands)
    assert (np.abs(commands) <= 10.0).all()
    assert (np.abs(np.diff(commands, axis=0)) <= 200.0 * PERIOD + 1e-12).all()


def test_without_a_request_there_is_no_fade():
    it = transition()
    it.step(np.array([0.1, -0.2, 0.3]), PERIOD)
    assert it.reached_target
    assert not it.fading
    np.testing.assert_array_equal(it.effort, [0.1, -0.2, 0.3])


def test_after_a_pause_the_rate_limit_holds():
    it = transition()
    it.step(np.full(3, 10.0), 5.0)
    np.testing.assert_array_equal(it.effort, 200.0 * LONGEST_STEP * np.ones(3))
    assert not it.reached_target


def test_a_successor_goes_on_with_command_and_fade_of_the_one_before():
    before, after, target = transition(), transition(), np.full(3, 5.0)
    before.request_fade()
    run(before, target, 0.05)
    after.continue_from(before)
    assert after.fading
    np.testing.assert_array_equal(run(after, target, 0.1), run(before, target, 0.1))
    np.testing.assert_array_equal(after.limiter.counts, before.limiter.counts)


def test_raised_limits_are_used_before_the_target_counts_as_reached():
    it, target = transition(), np.full(3, 15.0)
    run(it, target, 1.0)
    assert it.reached_target
    it.apply(GuardSettings(effort_limits=(20.0,)))
    assert not it.reached_target
    run(it, target, 1.0)
    np.testing.assert_array_equal(it.effort, target)


def test_settings_that_do_not_fit_change_nothing():
    it = transition()
    with pytest.raises(ParameterError, match='effort_limits has 2 values'):
        it.apply(GuardSettings(effort_limits=(1.0, 2.0)))
    assert it.limiter.limits.tolist() == [10.0] * 3
