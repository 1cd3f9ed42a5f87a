"""Efforts that are late, put right: those of the states, in motions of any division."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from robot_dynamics_ros.identification.regression import shifted_efforts
from robot_dynamics_ros.recordings import Motion

RATE, SECONDS = 100.0, 4.0
# Of a cubic: the fourth power of its angle between two samples, at the highest frequency, 3 / 128.
FAST = 2.0 * np.pi * 1.5
ERROR = 1.1 * 3.0 / 128.0 * (FAST / RATE) ** 4


def motion(delay, start=1.0):
    """Two joints whose efforts are known functions of time, measured late."""
    times = start + np.arange(round(RATE * SECONDS)) / RATE
    states = np.stack([np.sin(times), np.cos(times)], axis=1)
    return Motion(
        ('one', 'two'), times, states, 2.0 * states, 3.0 * states,
        efforts(times - delay), 20.0, RATE,
    )  # fmt: skip


def efforts(times):
    return np.stack([np.sin(FAST * times), np.cos(0.3 * FAST * times)], axis=1)


def divided(whole, cuts):
    """The motion in parts, as a filter gives them."""
    bounds = [0, *cuts, len(whole)]
    for begin, end in pairwise(bounds):
        names = ('times', 'positions', 'velocities', 'accelerations', 'efforts')
        arrays = {name: getattr(whole, name)[begin:end] for name in names}
        yield replace(whole, **arrays, begins=begin == 0, number=begin)


def joined(motions):
    names = ('times', 'positions', 'velocities', 'accelerations', 'efforts')
    return {name: np.concatenate([getattr(one, name) for one in motions]) for name in names}


@pytest.mark.parametrize('delay', [0.0234, -0.0234, 0.02, -0.02, 0.001])
@pytest.mark.parametrize('cuts', [(), (3, 4, 150), (200,)], ids=['whole', 'thin', 'halves'])
def test_efforts_are_those_of_the_states(delay, cuts):
    found = list(shifted_efforts(divided(motion(delay), cuts), delay))
    all_of = joined(found)
    np.testing.assert_allclose(all_of['efforts'], efforts(all_of['times']), atol=ERROR)
    np.testing.assert_allclose(all_of['positions'][:, 0], np.sin(all_of['times']), atol=1e-12)
    np.testing.assert_allclose(all_of['accelerations'][:, 1], 3.0 * np.cos(all_of['times']))
    # No sample is lost or comes twice, but those without an effort at one end.
    np.testing.assert_allclose(np.diff(all_of['times']), 1.0 / RATE, rtol=1e-6)
    assert len(all_of['times']) >= SECONDS * RATE - abs(delay) * RATE - 4


def test_a_motion_says_where_it_is_in_its_segment():
    """Equations lie at multiples of a step from the beginning of the segment on."""
    found = list(shifted_efforts(divided(motion(-0.02), (100, 300)), -0.02))
    assert [one.begins for one in found] == [True, False, False]
    for one in found:
        assert one.number == round((one.times[0] - 1.0) * RATE)


def test_segments_do_not_mix():
    """An effort of the segment before belongs to no state of the next one."""
    segments = [motion(0.05), motion(0.05, start=100.0)]
    found = list(shifted_efforts(segments, 0.05))
    assert [one.begins for one in found] == [True, True]
    for one in found:
        np.testing.assert_allclose(one.efforts, efforts(one.times), atol=ERROR)


def test_without_a_delay_nothing_changes():
    whole = motion(0.0)
    (same,) = shifted_efforts([whole], 0.0)
    assert same is whole


def test_an_effort_that_is_not_measured_stays_so():
    whole = motion(0.01)
    half = replace(whole, efforts=np.where([True, False], whole.efforts, np.nan))
    (found,) = shifted_efforts([half], 0.013)
    assert np.isnan(found.efforts[:, 1]).all()
    assert np.isfinite(found.efforts[:, 0]).all()
