"""A first look at a recording: the same whatever its chunks, and the split where it should be."""

import numpy as np
import pytest

from robot_dynamics_ros.identification.judgement.survey import FITTED_SHARE, joined, survey
from robot_dynamics_ros.recordings import JointSamples

JOINTS = ('one', 'two', 'three')


def samples(seed=1, count=400):
    """Efforts of few levels, so that extremes are met often and in a row."""
    random = np.random.default_rng(seed)
    positions = random.normal(size=(count, 3))
    efforts = np.round(2.0 * np.cumsum(random.normal(0.0, 0.2, (count, 3)), axis=0)) / 2.0
    efforts[:, 2] = np.nan
    return JointSamples(JOINTS, np.arange(count) * 0.005, positions, positions, efforts)


def longest_run(hits):
    return max(map(len, ''.join('x' if hit else ' ' for hit in hits).split()), default=0)


@pytest.mark.parametrize('size', [1, 7, 100, 400])
def test_extremes_are_those_of_all_samples(size):
    whole = samples()
    chunks = [whole.part(slice(i, i + size)) for i in range(0, len(whole), size)]
    seen = survey(chunks, 3)
    assert seen.samples == len(whole)
    np.testing.assert_array_equal(seen.span[0], whole.positions.min(axis=0))
    np.testing.assert_array_equal(seen.span[1], whole.positions.max(axis=0))
    for joint in range(2):
        efforts = whole.efforts[:, joint]
        for side, extreme in enumerate((efforts.min(), efforts.max())):
            assert seen.range[side, joint] == extreme
            assert seen.at_limit[side, joint] == np.count_nonzero(efforts == extreme)
            assert seen.longest[side, joint] == longest_run(efforts == extreme)
    assert not np.isfinite(seen.range[:, 2]).any()


def test_the_split_divides_the_samples():
    whole = samples()
    seen = survey([whole], 3)
    share = np.mean(whole.times < seen.split)
    assert share == pytest.approx(FITTED_SHARE, abs=1.0 / len(whole))


def test_recordings_are_joined_as_if_they_were_one():
    one, two = samples(1), samples(2)
    together = joined([survey([one], 3), survey([two], 3)])
    whole = survey([one, two], 3)
    for name in ('samples', 'span', 'range', 'at_limit'):
        np.testing.assert_array_equal(getattr(together, name), getattr(whole, name))
