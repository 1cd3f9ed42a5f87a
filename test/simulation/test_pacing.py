import time

import pytest

from robot_dynamics_ros.simulation.pacing import CycleTimer


def test_beats_at_its_rate():
    beat = CycleTimer(200.0)
    began = time.monotonic()
    for _ in range(40):
        beat.wait()
    assert time.monotonic() - began == pytest.approx(0.2, abs=0.1)


def test_leaves_out_what_it_missed():
    beat = CycleTimer(100.0)
    time.sleep(0.055)
    began = time.monotonic()
    beat.wait()  # late: at once
    beat.wait()
    beat.wait()
    assert 0.005 < time.monotonic() - began < 0.05
