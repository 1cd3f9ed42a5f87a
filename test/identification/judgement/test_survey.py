"""A first look at a recording: the same whatever its chunks, and the split where it should be."""

import numpy as np
import pytest

from robot_dynamics_ros.identification.judgement.survey import FITTED_SHARE, joined, survey
from robot_dynamics_ros.identification.regression.moving_samples import RawSpeeds
from robot_dynamics_ros.recordings import JointSamples

JOINTS = ('one', 'two', 'three')
BANDS = np.full(3, 0.02)
INTERVAL = 0.005


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


@pytest.mark.parametrize('size', [1, 7, 100, 400])
def test_extremes_are_those_of_all_samples(size):
    whole = samples()
    chunks = [whole.part(slice(i, i + size)) for i in range(0, len(whole), size)]
    seen = survey(chunks, BANDS)
    assert seen.samples == len(whole)
    np.testing.assert_array_equal(seen.span[0], whole.positions.min(axis=0))
    np.testing.assert_array_equal(seen.span[1], whole.positions.max(axis=0))
    moves = RawSpeeds().of(whole.times, whole.positions) >= BANDS
    for joint in range(2):
        efforts = whole.efforts[:, joint]
        extremes = min(medians(efforts)), max(medians(efforts))
        for side, extreme in enumerate(extremes):
            assert seen.range[side, joint] == extreme
            hits = runs(moves[:, joint] & (efforts == extreme))
            assert seen.at_limit[side, joint] == sum(run for run in hits if run > 2)
            assert seen.longest[side, joint] == max(hits)
        others = set(efforts) - set(extremes)
        assert seen.elsewhere[joint] == max(
            max(runs(moves[:, joint] & (efforts == value)), default=0) for value in others
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
        survey([JointSamples(JOINTS, times, positions, positions, values)], BANDS)
        for values in (efforts, efforts + glitches)
    )
    np.testing.assert_array_equal(before.range, [[-5.0] * 3, [5.0] * 3])
    assert (after.range[1] > 5.0).tolist() == [False, False, True]
    np.testing.assert_allclose(after.at_limit[:, :2], before.at_limit[:, :2], atol=20.0)
    assert (after.longest[:, :2] > 0.5 * before.longest[:, :2]).all()


def test_the_split_divides_the_samples():
    whole = samples()
    seen = survey([whole], BANDS)
    share = np.mean(whole.times < seen.split)
    assert share == pytest.approx(FITTED_SHARE, abs=1.0 / len(whole))


@pytest.mark.parametrize('before', [0.0, 3.0], ids=['rest after', 'rest before and after'])
def test_the_split_divides_the_motion_and_not_the_rest(before):
    """Six seconds of motion: the last two of them are held out, and all of the rest after it."""
    times = np.arange(0.0, before + 14.0, INTERVAL)
    moving = np.clip(times - before, 0.0, 6.0)
    positions = np.stack([np.sin(moving), np.zeros_like(times), 1.0 + 0.1 * moving], axis=1)
    still = np.zeros_like(positions)
    seen = survey([JointSamples(JOINTS, times, positions, still, still)], BANDS)
    assert seen.split == pytest.approx(before + 4.0, abs=0.1)


def test_a_joint_that_waits_is_at_no_limit():
    """Its effort is the largest one while it rests; while it moves, it has no value for long."""
    times = np.arange(0.0, 10.0, INTERVAL)
    moving = np.clip(times - 3.0, 0.0, np.inf)
    positions = np.repeat(np.sin(moving)[:, None], 3, axis=1)
    efforts = 5.0 * np.cos(moving)[:, None] * np.ones(3)
    seen = survey([JointSamples(JOINTS, times, positions, positions, efforts)], BANDS)
    assert (seen.longest < 10).all()


def test_recordings_are_joined_as_if_they_were_one():
    one, two = samples(1), samples(2)
    together = joined([survey([one], BANDS), survey([two], BANDS)])
    whole = survey([one, two], BANDS)
    for name in ('samples', 'span', 'range'):
        np.testing.assert_array_equal(getattr(together, name), getattr(whole, name))
    # A recording begins without a speed.
    np.testing.assert_allclose(together.elsewhere, whole.elsewhere, atol=1.0)
