"""What is counted is what was lost; what is timed is what was timed."""

import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robot_dynamics_ros.core.cycle_statistics import WINDOW, CycleStatistics

# The same jitter in every run.
STEADY = settings(deadline=None, max_examples=30, derandomize=True)
periods = st.sampled_from([0.001, 0.002, 0.008, 0.01])
# The first cycles tell the period.
LEARNT = 20


def recorded(stamps, latency=1e-4):
    statistics = CycleStatistics()
    for stamp in stamps:
        statistics.record(stamp, latency)
    return statistics


@given(
    period=periods, start=st.floats(0.0, 2e9),
    gaps=st.dictionaries(st.integers(LEARNT + 1, 2500), st.integers(1, 50), max_size=8),
)  # fmt: skip
@STEADY
def test_lost_cycles_are_counted_exactly(period, start, gaps):
    """The stamps of a regular stream from which some runs of cycles are missing."""
    counts = np.cumsum([1 + gaps.get(cycle, 0) for cycle in range(2600)])
    summary = recorded(start + period * counts).summary()
    assert summary.lost == sum(gaps.values())
    assert summary.rate == pytest.approx(1.0 / period, rel=1e-3)


@given(period=periods, seed=st.integers(0, 2**32 - 1))
@STEADY
def test_jitter_below_half_a_period_is_no_loss(period, seed):
    """A quarter of a period on each stamp, half of one between two; the period being known."""
    jitter = np.random.default_rng(seed).uniform(-0.24, 0.24, WINDOW)
    jitter = np.concatenate([np.zeros(WINDOW), jitter])
    assert recorded(period * (np.arange(2 * WINDOW) + jitter)).summary().lost == 0


@given(period=periods, seed=st.integers(0, 2**32 - 1))
@STEADY
def test_a_quarter_of_jitter_may_be_there_from_the_beginning(period, seed):
    jitter = np.random.default_rng(seed).uniform(-0.12, 0.12, 1500)
    summary = recorded(period * (np.arange(1500) + jitter)).summary()
    assert summary.lost == 0
    assert summary.rate == pytest.approx(1.0 / period, rel=0.05)


def test_a_gap_that_was_announced_is_no_loss():
    statistics = recorded(0.001 * np.arange(100))
    statistics.interrupt()
    for stamp in 5.0 + 0.001 * np.arange(100):
        statistics.record(stamp, 1e-4)
    assert statistics.summary().lost == 0
    statistics.record(5.099 + 0.004, 1e-4)
    assert statistics.summary().lost == 3


def test_the_latencies_are_the_percentiles_of_the_latest():
    statistics = CycleStatistics()
    latencies = np.random.default_rng(3).exponential(1e-4, 2 * WINDOW + 137)
    for cycle, latency in enumerate(latencies):
        statistics.record(0.001 * cycle, latency)
    summary = statistics.summary()
    expected = np.percentile(latencies[-WINDOW:], [50.0, 99.0])
    assert [summary.median_latency, summary.late_latency] == pytest.approx(expected)


def test_a_new_rate_is_shown_when_most_of_the_window_has_it():
    stamps = np.concatenate([0.01 * np.arange(1000), 10.0 + 0.001 * np.arange(502)])
    assert recorded(stamps).summary().rate == pytest.approx(1000.0)


def test_before_there_is_anything():
    summary = CycleStatistics().summary()
    assert np.isnan([summary.rate, summary.median_latency, summary.late_latency]).all()
    assert summary.lost == 0
    summary = recorded([3.0]).summary()
    assert np.isnan(summary.rate)
    assert summary.median_latency == 1e-4


def test_stamps_that_stand_still_or_run_backwards_tell_no_period():
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert np.isnan(recorded([3.0] * 50).summary().rate)
    stamps = 0.001 * np.arange(100)
    stamps[60] -= 1.0
    assert recorded(stamps[:61]).summary().lost == 0
    assert recorded(stamps[:61]).summary().rate == pytest.approx(1000.0)


def test_it_does_not_grow():
    statistics = recorded(0.001 * np.arange(2 * WINDOW))
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for cycle in range(2 * WINDOW, 5 * WINDOW):
            statistics.record(0.001 * cycle, 1e-4)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # One number a cycle would be 24 kB.
    assert after - before < 4096
