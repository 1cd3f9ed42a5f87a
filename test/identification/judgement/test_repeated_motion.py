"""A held-out motion that repeats the fitted one is found, at any shift; another one is not."""

import numpy as np
import pytest

from robot_dynamics_ros.identification.judgement.repeated_motion import (
    REPEATED,
    PositionTrace,
    repeated_share,
    repetition_findings,
)

RATE, PERIOD = 125.0, 10.0


def motion(times, seed, period=PERIOD):
    """Positions (N, 3) of three joints: five harmonics of a period."""
    random = np.random.default_rng(seed)
    rates = 2.0 * np.pi * np.arange(1, 6) / period
    amplitudes = random.normal(size=(2, 5, 3)) / np.arange(1, 6)[:, None]
    angles = np.outer(times, rates)
    return np.sin(angles) @ amplitudes[0] + np.cos(angles) @ amplitudes[1]


def trace(times, positions):
    """As it is read, in chunks."""
    result = PositionTrace()
    for part in np.array_split(np.arange(len(times)), 7):
        result.add(times[part], positions[part])
    return result


def held_out_share(positions, times, split):
    whole = trace(times, positions)
    return repeated_share(whole.between(-np.inf, split), whole.between(split, np.inf))


def samples(seconds=20.0, seed=1):
    """Stamps with jitter."""
    random = np.random.default_rng(seed)
    times = np.arange(round(RATE * seconds)) / RATE
    return times + random.uniform(-0.2, 0.2, len(times)) / RATE


def test_a_period_that_is_played_again_is_found():
    """Its period shares nothing with the grid; the encoders have noise."""
    times = samples()
    for period in (5.0, 9.9871):
        positions = motion(times, 1, period)
        positions += np.random.default_rng(2).normal(0.0, 1e-3, positions.shape)
        assert held_out_share(positions, times, 13.3) == 1.0


def test_a_motion_that_is_not_repeated_is_not_found():
    """One long period, of which no part occurs twice; and the same joints held out elsewhere."""
    times = samples()
    assert held_out_share(motion(times, 1, 20.0), times, 13.3) == 0.0


def test_another_recording_of_the_same_motion_is_found_and_of_another_motion_is_not():
    times, later = samples(), samples(10.0, seed=3)
    fitted = trace(times, motion(times, 1)).between(0.0, 20.0)
    for seed, expected in ((1, 1.0), (2, 0.0)):
        held_out = trace(later, motion(later + 4.321, seed)).between(0.0, 20.0)
        assert repeated_share(fitted, held_out) == expected


def test_rest_is_no_repetition():
    """Both parts end at rest at the same pose."""
    times = samples(20.0)
    moving = np.where(times % PERIOD < 0.7 * PERIOD, times, np.floor(times / PERIOD) * PERIOD)
    positions = motion(moving, 1, 40.0) * (times % PERIOD < 0.7 * PERIOD)[:, None]
    assert held_out_share(positions, times, 10.0) == 0.0
    resting = trace(times, np.ones((len(times), 3)))
    assert np.isnan(repeated_share(resting.between(0, 10), resting.between(10, 20)))


def test_gaps_and_missing_positions_end_a_stretch():
    times = samples()
    positions = motion(times, 1)
    positions[600:650, 1] = np.nan
    kept = (times < 8.0) | (times > 8.5)
    stretches = trace(times[kept], positions[kept]).between(0.0, 20.0)
    assert len(stretches) == 3
    # What lies a period before the last samples is in the gap of the positions.
    assert 0.7 < held_out_share(positions, times, 13.3) < 1.0
    assert PositionTrace().between(0.0, 1.0) == []


@pytest.mark.parametrize(('share', 'count'), [(1.0, 1), (REPEATED - 0.01, 0), (np.nan, 0)])
def test_the_finding_names_the_share_and_the_remedy(share, count):
    found = list(repetition_findings(share))
    assert len(found) == count
    for one in found:
        assert (one.code, one.value) == ('repeated_motion', share)
        assert '100% of the held-out' in one.message
        assert '--held-out' in one.message
