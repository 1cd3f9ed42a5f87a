"""Counts, latencies, and the clock of references: what was lost, how long it took, and when."""

import time
from dataclasses import dataclass

import numpy as np
import pytest
from guard_scene import figures
from hypothesis import given
from hypothesis import strategies as st
from rclpy.time import Time

from robot_dynamics_ros.ros.loop import WINDOW, CycleStatistics, ReferenceClock
from robot_dynamics_ros.ros.polling import PolledSubscription

ONE, OTHER = b'one', b'other'
Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]


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


def test_in_jazzy_without_the_name_of_the_publisher_losses_are_not_known(
    guarded, dynamics, monkeypatch
):
    poll = PolledSubscription.poll

    def poll_in_jazzy(subscription):
        for message, info in poll(subscription):
            info.pop('publisher_gid', None)
            yield message, info

    monkeypatch.setattr(PolledSubscription, 'poll', poll_in_jazzy)
    with guarded(fade_time=0.2) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        assert figures(scene.status('timing', 'Hz'))['lost cycles'] == 'not known'


@dataclass
class NodeClock:
    """Stands for the clock of a node."""

    nanoseconds: int = 10**18
    ros_time_is_active: bool = False

    def now(self):
        return Time(nanoseconds=self.nanoseconds)


@pytest.mark.parametrize('step', [-3600, -1, 1, 3600])
def test_setting_the_clock_of_the_machine_changes_no_reference_time(step):
    clock = NodeClock()
    references = ReferenceClock(clock)
    start = time.monotonic()
    before = references.time()
    clock.nanoseconds += step * 10**9
    now, after = references.both()
    assert now == clock.nanoseconds
    assert 0.0 <= after - before <= time.monotonic() - start


@pytest.mark.parametrize('step', [0, 1, 3600])
def test_simulated_time_is_used_to_the_nanosecond(step):
    clock = NodeClock(ros_time_is_active=True)
    references = ReferenceClock(clock)
    before = references.time()
    clock.nanoseconds += step * 10**9 + 7
    assert references.both() == (clock.nanoseconds, references.time())
    assert references.time() - before == pytest.approx(step + 7e-9, abs=1e-12)
