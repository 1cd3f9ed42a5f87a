"""Fitted and held-out part share no raw sample."""

from dataclasses import replace

import numpy as np
import pytest

from robot_dynamics_ros.identification.judgement.fitted_part import FittedPart
from robot_dynamics_ros.recordings import JointSamples, Quality, motions

JOINTS = ('one', 'two')
RATE, SPLIT = 100.0, 8.0


class Recording:
    """One of arrays, with a gap."""

    name, topic, is_whole = 'arrays', '/joint_states', True
    interval = 1.0 / RATE

    def __init__(self, samples):
        self._samples = samples
        self.quality = Quality('header', self.interval)

    def chunks(self, size=0):
        yield self._samples


def samples():
    random = np.random.default_rng(3)
    times = np.arange(1200) / RATE
    times[300:] += 0.5
    q, v, tau = (random.normal(0.0, 0.3, (1200, 2)) for _ in range(3))
    return JointSamples(JOINTS, times, np.clip(q, -1.0, 1.0), v, tau)


def changed(whole, rows):
    return replace(whole, velocities=np.where(rows[:, None], 5.0, whole.velocities))


def joined(parts):
    parts = list(parts)
    return {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ('times', 'positions', 'velocities', 'accelerations', 'efforts')
    }


def held_out(part):
    """As `FittedPart.fitted`, of the other part."""
    return lambda given: (motion for later, motion in part.parts(given) if later)


def of(whole, part):
    return [joined(choice(motions(Recording(whole), cutoff=8.0))) for choice in part]


@pytest.mark.parametrize('later', [True, False], ids=['held out', 'fitted'])
def test_a_part_does_not_depend_on_raw_samples_of_the_other(later):
    part, whole = FittedPart('split', SPLIT), samples()
    rows = whole.times >= SPLIT if later else whole.times < SPLIT
    before, after = (
        of(one, (part.fitted, held_out(part))) for one in (whole, changed(whole, rows))
    )
    kept, other = (0, 1) if later else (1, 0)
    for name, values in before[kept].items():
        # Transforms of other rows round differently.
        np.testing.assert_allclose(after[kept][name], values, rtol=0.0, atol=1e-9)
    assert not np.allclose(after[other]['velocities'], before[other]['velocities'], atol=0.1)


def test_only_the_margin_is_lost():
    part, whole = FittedPart('split', SPLIT), samples()
    fitted, later = of(whole, (part.fitted, held_out(part)))
    everything = joined(motions(Recording(whole), cutoff=8.0))
    lost = len(everything['times']) - len(fitted['times']) - len(later['times'])
    assert 0 < lost <= 2 * RATE * 1.9 / 8.0 + 20
    assert fitted['times'].max() < SPLIT < later['times'].min()


@pytest.mark.parametrize('role', ['fitted', 'held out'])
def test_a_whole_recording_has_one_role(role):
    part, whole = FittedPart(role), samples()
    parts = [list(choice(motions(Recording(whole)))) for choice in (part.fitted, held_out(part))]
    used = parts[0] if role == 'fitted' else parts[1]
    assert sum(map(len, used)) > 0
    assert sum(map(len, parts[0] + parts[1])) == sum(map(len, used))


def test_one_pass_gives_the_fitted_part_and_then_the_held_out_one():
    part = FittedPart('split', SPLIT)
    roles = [later for later, _ in part.parts(motions(Recording(samples()), cutoff=8.0))]
    assert roles == sorted(roles)
    assert set(roles) == {False, True}


def test_a_part_that_begins_inside_a_motion_begins_a_segment():
    part = FittedPart('split', SPLIT)
    (first, *_) = held_out(part)(motions(Recording(samples()), cutoff=8.0))
    assert first.begins
