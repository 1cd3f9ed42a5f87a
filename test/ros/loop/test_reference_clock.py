"""The time of references: monotonic, and simulated where the node's clock is."""

import time
from dataclasses import dataclass

import pytest

pytest.importorskip('rclpy')

from rclpy.time import Time

from robot_dynamics_ros.ros.loop import ReferenceClock


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
