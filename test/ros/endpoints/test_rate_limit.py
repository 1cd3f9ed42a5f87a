"""At most one event in each period, and every k-th of events at a multiple of the rate."""

import numpy as np
import pytest

from robot_dynamics_ros.ros.endpoints.rate_limit import RateLimit

RATE = 125.0


def passed(times):
    limit = RateLimit(RATE)
    return [time for time in times if limit.passes(time)]


@pytest.mark.parametrize('multiple', [1, 2, 4, 8])
def test_every_kth_event_passes_although_the_times_vary(multiple):
    random, period = np.random.default_rng(multiple), 1.0 / (multiple * RATE)
    times = 5.0 + period * (np.arange(2000) + random.uniform(-0.3, 0.3, 2000))
    # The first ones find the latest phase.
    assert len(passed(times.tolist())) == pytest.approx(2000 / multiple, abs=10)


def test_it_is_never_exceeded_in_the_mean_and_slow_events_all_pass():
    random = np.random.default_rng(0)
    times = np.cumsum(random.exponential(0.002, 5000))
    found = np.array(passed(times.tolist()))
    for length in (1, 10, 100):
        assert (found[length:] - found[:-length] > (length - 1) / RATE).all()
    slow = np.cumsum(random.uniform(1.01, 3.0, 200)) / RATE
    assert len(passed(slow.tolist())) == 200


def test_a_pause_saves_nothing_up():
    limit = RateLimit(RATE)
    assert limit.passes(0.0)
    assert limit.passes(100.0)
    assert not limit.passes(100.001)
