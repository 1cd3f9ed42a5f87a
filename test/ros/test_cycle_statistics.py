"""What is counted is what was lost; what is timed is what was timed."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot_dynamics_ros.ros.loop import MOST_SOURCES, WINDOW, CycleStatistics

ONE, OTHER = b'one', b'other'


@given(
    first=st.integers(1, 10**9),
    came=st.lists(st.booleans(), min_size=1, max_size=200),
    interleaved=st.booleans(),
)
def test_lost_states_are_counted_exactly(first, came, interleaved):
    """Those that are missing between the first and the last that came; of each publisher."""
    statistics = CycleStatistics()
    for count, there in enumerate(came):
        if there:
            statistics.count_received(ONE, first + count)
        if interleaved:
            statistics.count_received(OTHER, 7 + count)
    heard = [count for count, there in enumerate(came) if there]
    missing = heard[-1] - heard[0] + 1 - len(heard) if heard else 0
    assert (statistics.lost or 0) == missing


def test_states_of_other_joints_are_no_gap_where_their_publisher_sends_ours():
    statistics = CycleStatistics()
    for number in range(1, 20, 2):
        statistics.count_received(ONE, number)
        statistics.count_ignored(ONE, number + 1)
    assert statistics.lost == 0


@pytest.mark.parametrize('numbers', [(5, 6, 1, 2), (7, 7, 8)])
def test_a_publisher_that_starts_again_has_lost_nothing(numbers):
    statistics = CycleStatistics()
    for number in numbers:
        statistics.count_received(ONE, number)
        statistics.count_ignored(OTHER, 10 * number)
    assert statistics.lost == 0


def test_a_middleware_that_does_not_number_tells_of_no_loss():
    statistics = CycleStatistics()
    for _ in range(3):
        statistics.count_received(ONE, None)
    assert np.isnan(statistics.latencies()).all()
    assert statistics.lost is None


def test_the_latencies_are_the_percentiles_of_the_latest():
    statistics = CycleStatistics()
    latencies = np.random.default_rng(3).exponential(1e-4, 2 * WINDOW + 137)
    for latency in latencies:
        statistics.record(latency)
    expected = np.percentile(latencies[-WINDOW:], [50.0, 99.0])
    assert statistics.latencies() == pytest.approx(expected)
    assert statistics.answered == latencies.size


def test_it_does_not_grow():
    statistics = CycleStatistics()
    for cycle in range(2 * WINDOW):
        statistics.record(1e-4)
        statistics.count_received(b'%d' % (cycle % (2 * MOST_SOURCES)), cycle)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for cycle in range(2 * WINDOW, 5 * WINDOW):
            statistics.record(1e-4)
            statistics.count_received(b'%d' % (cycle % (2 * MOST_SOURCES)), cycle)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # One number a cycle would be 24 kB.
    assert after - before < 4096
