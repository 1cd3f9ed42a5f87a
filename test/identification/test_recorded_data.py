"""A first look at a recording: its extremes, and the split where it should be."""

import numpy as np
import pytest
from simulated_recordings import urdf

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.identification.recorded_data import Survey
from robot_dynamics_ros.recordings import JointSamples

JOINTS = ('one', 'two', 'three')
INTERVAL = 0.005


def survey(chunks, size=3):
    return Survey.of(chunks, np.full(size, 0.02), INTERVAL)[0]


def split(chunk):
    return Survey.of([chunk], np.full(3, 0.02), INTERVAL)[1]


def samples(seed=1, count=400):
    """Efforts of few levels, so that extremes are met often and in a row."""
    random = np.random.default_rng(seed)
    positions = random.normal(size=(count, 3))
    efforts = np.round(2.0 * np.cumsum(random.normal(0.0, 0.2, (count, 3)), axis=0)) / 2.0
    efforts[:, 2] = np.nan
    return JointSamples(JOINTS, np.arange(count) * INTERVAL, positions, positions, efforts)


def runs(hits):
    return [len(run) for run in ''.join('x' if hit else ' ' for hit in hits).split()]


def medians(efforts):
    """Of each five in a row."""
    return [sorted(efforts[i : i + 5])[2] for i in range(len(efforts) - 4)]


def test_extremes_are_those_of_all_samples():
    whole = samples()
    seen = survey([whole])
    assert seen.samples == len(whole)
    np.testing.assert_array_equal(seen.span[0], whole.positions.min(axis=0))
    np.testing.assert_array_equal(seen.span[1], whole.positions.max(axis=0))
    # White noise of positions moves at each sample but the first.
    moves = np.arange(len(whole)) > 0
    for joint in range(2):
        efforts = whole.efforts[:, joint]
        extremes = min(medians(efforts)), max(medians(efforts))
        for side, extreme in enumerate(extremes):
            assert seen.range[side, joint] == extreme
            hits = runs(moves & (efforts == extreme))
            assert seen.at_limit[side, joint] == sum(run for run in hits if run > 2)
            assert seen.longest[side, joint] == max(hits)
        others = set(efforts) - set(extremes)
        assert seen.elsewhere[joint] == max(
            max(runs(moves & (efforts == value)), default=0) for value in others
        )
    assert not np.isfinite(seen.range[:, 2]).any()


def test_glitches_are_no_extremes():
    """One or two samples are none, three are; and those of an extreme do not count for less."""
    times = np.arange(0.0, 10.0, INTERVAL)
    positions = np.repeat(np.sin(times)[:, None], 3, axis=1)
    efforts = np.clip(8.0 * np.sin(3.0 * times), -5.0, 5.0)[:, None] * np.ones(3)
    glitches = np.zeros_like(efforts)
    for joint in range(3):
        for begin in range(100, 1900, 300):
            glitches[begin : begin + joint + 1, joint] = 20.0
    before, after = (
        survey([JointSamples(JOINTS, times, positions, positions, values)])
        for values in (efforts, efforts + glitches)
    )
    np.testing.assert_array_equal(before.range, [[-5.0] * 3, [5.0] * 3])
    assert (after.range[1] > 5.0).tolist() == [False, False, True]
    np.testing.assert_allclose(after.at_limit[:, :2], before.at_limit[:, :2], atol=20.0)
    assert (after.longest[:, :2] > 0.5 * before.longest[:, :2]).all()


@pytest.mark.parametrize('before', [0.0, 3.0], ids=['rest after', 'rest before and after'])
def test_the_split_divides_the_motion_and_not_the_rest(before):
    """Of six seconds of motion two are held out, and the rest after it; one joint creeps on."""
    times = np.arange(0.0, before + 14.0, INTERVAL)
    moving = np.clip(times - before, 0.0, 6.0)
    positions = np.stack([np.sin(moving), 0.01 * times, 1.0 + 0.1 * moving], axis=1)
    still = np.zeros_like(positions)
    found = split(JointSamples(JOINTS, times, positions, still, still))
    assert found == pytest.approx(before + 4.0, abs=0.1)


def test_a_joint_that_waits_is_at_no_limit():
    """Its effort is the largest one while it rests; while it moves, it has no value for long."""
    times = np.arange(0.0, 10.0, INTERVAL)
    moving = np.clip(times - 3.0, 0.0, np.inf)
    positions = np.repeat(np.sin(moving)[:, None], 3, axis=1)
    efforts = 5.0 * np.cos(moving)[:, None] * np.ones(3)
    seen = survey([JointSamples(JOINTS, times, positions, positions, efforts)])
    assert (seen.longest < 10).all()


def test_recordings_are_joined_as_if_they_were_one():
    one, two = samples(1), samples(2)
    together = Survey.joined([survey([one]), survey([two])])
    whole = survey([one, two])
    for name in ('samples', 'span', 'range'):
        np.testing.assert_array_equal(getattr(together, name), getattr(whole, name))
    # A recording begins without a speed.
    np.testing.assert_allclose(together.elsewhere, whole.elsewhere, atol=1.0)


def seen(efforts, times):
    """Of six joints that move alike, with efforts (N, 6)."""
    positions = np.repeat(np.sin(times)[:, None], 6, axis=1)
    return survey([JointSamples(tuple('abcdef'), times, positions, positions, efforts)], 6)


@pytest.mark.parametrize(('limit', 'found'), [(np.inf, 0), (14.0, 12)])
def test_steps_of_a_coarse_resolution_are_no_saturation(limit, found):
    """A step is held longest at a peak, at each peak; a limited effort at its limit alone."""
    times = np.arange(0.0, 20.0, INTERVAL)
    torques = 20.0 * np.sin(1.3 * times) * (1.0 + 0.05 * np.sin(0.4 * times))
    efforts = np.clip(np.round(2.0 * torques) / 2.0, -limit, limit)
    assert seen(np.repeat(efforts[:, None], 6, 1), times).saturated.sum() == found


@pytest.mark.parametrize('sign', [1.0, -1.0])
@pytest.mark.parametrize('step', [4.0, 8.0])
def test_two_steps_of_a_coarse_resolution_and_zero_are_no_limits(step, sign):
    """Coarse steps stay long at each level, and efforts of a dead zone long at 0."""
    times = np.arange(0.0, 20.0, INTERVAL)
    efforts = sign * step * np.round((3.0 + 3.0 * np.sin(1.3 * times)) / step)
    dead = np.where(efforts == 0.0, 0.0, efforts + 0.5 * np.sin(1.7 * times))
    for one in (efforts, dead):
        assert not seen(np.repeat(one[:, None], 6, 1), times).saturated.any()


def test_the_level_of_a_limit_is_that_without_a_glitch_and_efforts_beyond_it_have_none():
    """The last joint of the robot has a limit of 60 N m."""
    model, times = parse_urdf(urdf()), np.arange(0.0, 20.0, INTERVAL)
    torques = np.where(np.arange(6) == 5, 90.0, 20.0) * np.sin(1.3 * times)[:, None]
    efforts = np.where(np.arange(6) == 5, np.clip(torques, -60.0, 60.0), torques)
    efforts[1234, 5] = 72.0
    found = seen(efforts, times).levels(model)
    np.testing.assert_array_equal(found[:, 5], [-60.0, 60.0])
    assert np.isnan(found[:, :5]).all()
    beyond = seen(torques, times)
    assert beyond.exceeded(model).tolist() == [False] * 5 + [True]
    np.testing.assert_array_equal(beyond.levels(model)[:, 5], [-np.inf, np.inf])
