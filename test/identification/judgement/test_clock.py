"""Delays along a recording: planted ones come out."""

import numpy as np
import pytest
from torques_of_arrays import RATE, torques

from robot_dynamics_ros.identification.judgement.clock import DelayLine, clock_findings, delay_line
from robot_dynamics_ros.identification.judgement.judged_evidence import Evidence

DURATION = 120.0
NOISE = np.array([0.05, 0.02])


def torque(times):
    """Of two joints, at times (N,) or (N, 1)."""
    t = np.asarray(times)
    return np.stack(
        [5.0 * np.sin(1.3 * t) + 2.0 * np.sin(4.1 * t), np.cos(0.9 * t) - 0.4 * np.sin(5.0 * t)],
        axis=-1,
    )


def evidence(delay):
    """Of a recording whose efforts are late by delay(t) [s]."""
    times = np.arange(0.0, DURATION, 1.0 / RATE)
    random = np.random.default_rng(5)
    efforts = torque(times - delay(times)) + random.normal(0.0, NOISE, (len(times), 2))
    one = Evidence.of_nothing('bag', 2)
    one.add_fitted(torques(times, efforts, identified=torque(times)))
    return one


def test_a_clock_that_drifts_is_found():
    one = evidence(lambda t: 2e-3 + 200e-6 * t)
    late = delay_line(one, NOISE)
    assert late.drift == pytest.approx(200e-6 * late.duration, rel=0.1)
    assert late.delay == pytest.approx(2e-3 + 200e-6 * DURATION / 2.0, rel=0.1)
    (finding,) = clock_findings([one], NOISE)
    assert finding.code == 'clock_drift'
    assert finding.value == pytest.approx(late.drift)
    assert 'bag: ' in finding.message
    assert 'ppm' in finding.message


@pytest.mark.parametrize(('delay', 'word'), [(0.0, None), (4e-3, 'later'), (-4e-3, 'earlier')])
def test_a_constant_delay_is_said_and_no_drift(delay, word):
    one = evidence(lambda t: delay)
    assert delay_line(one, NOISE).delay == pytest.approx(delay, abs=3e-4)
    found = list(clock_findings([one], NOISE))
    assert [each.code for each in found] == (['delay'] if word else [])
    if word:
        assert found[0].value == pytest.approx(delay, abs=3e-4)
        assert word in found[0].message


def test_what_the_fit_has_ruled_out_and_half_a_second_are_no_delay():
    one = evidence(lambda t: 4e-3)
    assert not list(clock_findings([one], NOISE, punctual=['bag']))
    one = evidence(lambda t: 2e-3 + 200e-6 * t)
    assert [each.code for each in clock_findings([one], NOISE, punctual=['bag'])] == [
        'clock_drift'
    ]
    assert DelayLine(0.08, 0.01, 1e-2, 60.0, 4e-3).is_late
    assert not DelayLine(0.5, 0.01, 1e-2, 60.0, 4e-3).is_late
    # It grows by most of its size, though not certainly: it is not that of a driver.
    assert not DelayLine(0.08, 0.06, 2e-2, 60.0, 4e-3).is_late


def test_a_short_recording_says_nothing_of_clocks():
    assert delay_line(Evidence.of_nothing('bag', 2), NOISE) is None
