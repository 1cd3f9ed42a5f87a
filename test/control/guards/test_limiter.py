"""No sequence of requests, limits, rates and pauses gets more than is allowed."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from robot_dynamics_ros.control.guards.limiter import LONGEST_STEP, TorqueLimiter

SIZE = 3
requests = arrays(float, SIZE, elements=st.floats(-1e4, 1e4))
limits = arrays(float, SIZE, elements=st.floats(0.0, 300.0) | st.just(np.inf))
rates = arrays(float, SIZE, elements=st.floats(1e-3, 1e5) | st.just(np.inf))
times = st.floats(0.0, 0.05) | st.floats(0.05, 1e3) | st.just(np.inf)
steps = st.lists(st.tuples(requests, limits, rates, times), min_size=1, max_size=30)


def allowed(rates, elapsed):
    """Without time there is no change, at any rate."""
    return rates * min(elapsed, 0.02) if elapsed else np.zeros(SIZE)


def rounding(*values):
    return 1e-15 * np.max(np.abs(values), axis=0)


@given(steps)
@settings(deadline=None)
def test_neither_limits_nor_rates_are_exceeded(sequence):
    limiter, last = TorqueLimiter(np.full(SIZE, np.inf), np.full(SIZE, np.inf)), np.zeros(SIZE)
    counts = np.zeros(SIZE, int)
    for request, bounds, rate, elapsed in sequence:
        limiter.limits, limiter.rates = bounds, rate
        command = request.copy()
        limiter.apply(command, last, elapsed)
        step, slack = allowed(rate, elapsed), rounding(last, command, request)
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
        counts += command != request
        assert np.array_equal(limiter.counts, counts)
        last = command


def test_the_credit_of_a_pause_is_twenty_milliseconds():
    assert LONGEST_STEP == 0.02
    limiter = TorqueLimiter(np.array([50.0]), np.array([100.0]))
    for elapsed, expected in ((0.01, 1.0), (0.02, 2.0), (1.0, 2.0), (np.inf, 2.0)):
        command = np.array([40.0])
        limiter.apply(command, np.zeros(1), elapsed)
        assert command[0] == expected


def test_limits_lowered_below_the_command_are_reached_at_the_rate():
    limiter = TorqueLimiter(np.array([50.0]), np.array([1000.0]))
    command = np.array([-50.0])
    limiter.limits = np.array([20.0])
    taken = []
    for _ in range(40):
        last, command = command, np.array([-50.0])
        limiter.apply(command, last, 0.001)
        taken.append(command[0])
        assert limiter.saturated[0]
        assert limiter.reached_target == (command[0] == -20.0)
    assert np.allclose(taken[:30], -50.0 + np.arange(1.0, 31.0), rtol=1e-14)
    assert taken[30:] == [-20.0] * 10


def test_without_limits_and_rates_everything_passes():
    limiter = TorqueLimiter(np.full(2, np.inf), np.full(2, np.inf))
    command = np.array([1e9, -1e-9])
    limiter.apply(command, np.zeros(2), 1e-9)
    assert command.tolist() == [1e9, -1e-9]
    assert limiter.reached_target
    assert not limiter.saturated.any()


def test_the_command_before_is_read_and_not_written():
    last = np.array([3.0])
    TorqueLimiter(np.array([5.0]), np.array([1.0])).apply(np.array([9.0]), last, 0.01)
    assert last[0] == 3.0
