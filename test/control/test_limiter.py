"""A command reaches its target: continuously, within limits and rates, in the time promised."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from robot_dynamics_ros.control.limiter import LONGEST_STEP, Fade, Limiter

efforts = st.floats(-100.0, 100.0)
STEPS = 200


def faded(fade, target, elapsed):
    command = np.atleast_1d(np.array(target, float))
    fade.apply(command, elapsed)
    return command


def started(last, target, duration):
    """A fade just after its first command, which is the last one still."""
    fade = Fade(1)
    fade.begin(np.array([last]), np.array([target]), duration)
    assert faded(fade, target, 123.0)[0] == pytest.approx(last, abs=1e-12)
    return fade


@given(last=efforts, target=efforts, duration=st.floats(0.05, 5.0))
def test_goes_from_the_last_command_to_the_target_and_is_at_rest_there(last, target, duration):
    fade = started(last, target, duration)
    step = duration / STEPS
    commands = np.array([last, *(faded(fade, target, step)[0] for _ in range(STEPS + 1))])
    offset = abs(last - target)
    assert commands[-1] == target
    assert not fade.running
    changes = np.diff(commands) * np.sign(target - last)
    assert (changes >= -1e-12 * (1.0 + offset)).all()
    # The largest slope of the smooth step is 1.5; where it begins and ends there is none.
    assert changes.max() <= 1.5 * offset / STEPS + 1e-12 * (1.0 + offset)
    assert max(changes[0], *changes[-2:]) <= 10.0 * offset / STEPS**2 + 1e-12 * (1.0 + offset)


@given(last=st.floats(1.0, 100.0), further=st.floats(0.0, 100.0), share=st.floats(0.05, 0.5))
def test_a_target_that_moves_on_during_a_fade_keeps_its_slope(last, further, share):
    """By differences on both sides of the change, to the order of their step."""
    fade, step, scale = started(last, 0.0, 1.0), 1e-5, 1.0 + last + further
    # The second change meets a fade that began with a slope.
    for target, next_target in ((0.0, -further), (-further, -3.0 * last - 4.0 * further)):
        before = [faded(fade, target, share)[0], faded(fade, target, step)[0]]
        fade.begin(np.array([before[1]]), np.array([next_target]), 1.0)
        after = [faded(fade, next_target, step)[0], faded(fade, next_target, step)[0]]
        slopes = np.diff([before, after])[:, 0] / step
        assert slopes[1] == pytest.approx(slopes[0], abs=1e-3 * scale)


changes = st.tuples(efforts, st.floats(0.0, 60.0), st.floats(0.0, 1.0))


@given(last=efforts, changes=st.lists(changes, min_size=1, max_size=6))
def test_no_fade_leaves_the_way_from_its_last_command_to_its_target(last, changes):
    """However one interrupts another, and however long each takes."""
    fade, command = Fade(1), last
    for target, duration, share in changes:
        low, high = sorted((command, target))
        fade.begin(np.array([command]), np.array([target]), duration)
        faded(fade, target, 0.0)
        for _ in range(20):
            command = faded(fade, target, duration * share / 20)[0]
            assert low - 1e-9 <= command <= high + 1e-9


SIZE = 3
requests = arrays(float, SIZE, elements=st.floats(-1e4, 1e4))
limits = arrays(float, SIZE, elements=st.floats(0.0, 300.0) | st.just(np.inf))
times = st.floats(0.0, 0.05) | st.floats(0.05, 1e3) | st.just(np.inf)
steps = st.lists(st.tuples(requests, limits, times), min_size=1, max_size=30)


@given(steps)
def test_neither_limits_nor_rates_are_exceeded(sequence):
    """No sequence of requests, limits and pauses gets more than is allowed."""
    limiter, counts = Limiter(np.full(SIZE, np.inf), 0.0), np.zeros(SIZE, int)
    # The credit of a pause.
    assert LONGEST_STEP == 0.02
    for request, bounds, elapsed in sequence:
        limiter.use(bounds, 0.0)
        last = limiter.effort.copy()
        limiter.step(request, elapsed)
        command = limiter.effort
        step = limiter.rates * min(elapsed, LONGEST_STEP) if elapsed else np.zeros(SIZE)
        slack = 1e-15 * np.max(np.abs([last, command, request]), axis=0)
        assert np.isfinite(command).all()
        assert (np.abs(command - last) <= step + slack).all()
        # Within the limits, or on the way back to them as fast as is allowed.
        too_large = np.abs(command) > bounds
        back = np.abs(last) - np.abs(command)
        assert (back[too_large] >= (step - slack)[too_large]).all()
        # As near to what was asked for as both allow.
        goal = np.clip(request, -bounds, bounds)
        near = np.abs(goal - command)
        assert (near <= np.maximum(np.abs(goal - last) - step, 0.0) + slack).all()
        assert np.array_equal(limiter.saturated, command != request)
        assert limiter.reached_target == np.array_equal(command, goal)
        counts += limiter.saturated
        assert np.array_equal(limiter.counts, counts)


@pytest.mark.parametrize('lowered', [0.0, 20.0])
def test_limits_lowered_below_the_command_are_reached_as_fast_as_it_came(lowered):
    """Not at the rate of the new limits, which would keep the torque for long."""
    limiter, target = Limiter(np.array([50.0]), 0.0), np.array([-50.0])
    for _ in range(20):
        limiter.step(target, 0.01)
    assert limiter.reached_target
    limiter.use(np.array([lowered]), 0.0)
    assert not limiter.reached_target
    taken = []
    for _ in range(12):
        limiter.step(target, 0.01)
        taken.append(limiter.effort[0])
    np.testing.assert_allclose(taken, np.minimum(-50.0 + 5.0 * np.arange(1.0, 13.0), -lowered))
    assert limiter.reached_target


@given(first=requests, second=requests, fade_time=st.sampled_from([None, 0.0, 0.05, 0.3]))
def test_every_way_ends_at_the_target_in_the_time_that_is_promised(first, second, fade_time):
    limiter, period = Limiter(np.full(SIZE, 10.0), 0.1), 0.01
    for target in (first, second):
        limiter.request_fade(fade_time)
        assert not limiter.reached_target
        longest = limiter.longest_time(np.minimum(np.abs(target), 10.0))
        for _ in range(round(longest / period) + 2):
            limiter.step(target, period)
        assert limiter.reached_target
        np.testing.assert_allclose(limiter.effort, np.clip(target, -10.0, 10.0), rtol=1e-12)
