"""Segments: nothing is invented, each defect is counted, and what is left follows each other."""

from dataclasses import replace

import numpy as np
import pytest
import three_joints
from hypothesis import given
from hypothesis import strategies as st
from memory_source import in_memory
from property_settings import examples
from recorded_states import sine_states

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.recordings.joint_samples import gap_limit

STATES = sine_states(rate=250.0, seconds=8.0)
MS, MODEL = 1_000_000, parse_urdf(three_joints.URDF)


def lengths(recording):
    return [len(one) for one in recording.segments()]


def without(rows):
    return in_memory(STATES.part(np.setdiff1d(np.arange(len(STATES)), rows)))


def test_a_good_recording_is_one_segment():
    recording = in_memory(STATES)
    (segment,) = recording.segments()
    np.testing.assert_array_equal(segment.positions, STATES.positions)
    np.testing.assert_allclose(segment.times, np.arange(len(STATES)) * 0.004, atol=1e-9)
    counts = recording.quality.as_json()
    assert counts.pop('samples') == len(STATES)
    assert counts.pop('interval') == pytest.approx(0.004)
    assert counts.pop('clock') == 'header'
    assert not any(counts.values())
    assert recording.quality.remarks() == []


def test_gaps_cut_and_dropouts_stay_in_the_segment():
    # One, two and four samples at 4 ms: at most 20 ms between those that are left.
    recording = without([100, 300, 301, 1000, 1001, 1002, 1003])
    assert len(lengths(recording)) == 1
    assert (recording.quality.dropouts, recording.quality.gaps) == (3, 0)
    recording = without([*range(500, 505), *range(1200, 1300)])
    assert lengths(recording) == [500, 695, 700]
    assert (recording.quality.dropouts, recording.quality.gaps) == (0, 2)
    assert recording.quality.longest_gap == pytest.approx(101 * 0.004)


def test_every_defect_is_counted_and_cuts_where_it_must():
    """Drivers of continuous joints may begin again at -pi: no joint moves so within a sample."""
    stamps, positions = STATES.stamps.copy(), STATES.positions.copy()
    stamps[700] = stamps[699]
    stamps[900] -= 10 * MS
    positions[1100, 1] = np.nan
    stamps[1300:] += 86_400_000 * MS
    positions[1600:, 1] -= 2.0 * np.pi
    stamps[1800:] -= 3_600_000 * MS
    positions[-1, 0] = np.inf
    recording = in_memory(replace(STATES, stamps=stamps, positions=positions))
    assert lengths(recording) == [1297, 300, 200, 199]
    expected = np.delete(positions, [700, 900, 1100, 1999], axis=0)
    found = np.concatenate([one.positions for one in recording.segments()])
    np.testing.assert_array_equal(found, expected)
    quality = recording.quality
    assert (quality.repeated, quality.backward, quality.not_finite) == (1, 2, 2)
    assert (quality.gaps, quality.jumps) == (1, 1)


def test_where_velocities_or_efforts_begin_or_end_is_cut():
    velocities, efforts = STATES.velocities.copy(), STATES.efforts.copy()
    velocities[:400, 0] = np.nan
    efforts[1500:] = np.inf
    recording = in_memory(replace(STATES, velocities=velocities, efforts=efforts))
    assert lengths(recording) == [400, 1100, 500]
    assert recording.quality.without_velocities == 400
    assert recording.quality.without_efforts == 500
    assert recording.quality.missing_efforts == dict.fromkeys(recording.joints, 500)


INTERVALS = st.lists(
    st.sampled_from([4 * MS] * 12 + [0, 1, 8 * MS, 19 * MS, 30 * MS, -3 * MS, -50 * MS, 10**12]),
    min_size=1,
    max_size=60,
)


@examples(60)
@given(INTERVALS, st.lists(st.integers(0, 60), max_size=4))
def test_any_clock_gives_increasing_times_and_no_other_samples(intervals, bad):
    stamps = STATES.stamps[0] + np.concatenate([[0], np.cumsum(intervals)])
    positions = 0.01 * np.arange(3.0 * len(stamps)).reshape(-1, 3)
    positions[[place for place in bad if place < len(positions)]] = np.nan
    states = replace(STATES.part(slice(len(stamps))), stamps=stamps, positions=positions)
    recording = in_memory(states)
    recorded = {row.tobytes() for row in positions}
    seen = set()
    limit = gap_limit(recording.interval)
    for segment in recording.segments():
        assert all(0.0 < step <= limit for step in np.diff(segment.times))
        for row in segment.positions:
            assert row.tobytes() in recorded - seen
            seen.add(row.tobytes())


def test_efforts_of_more_than_ten_thousand_times_the_limit_are_not_measured():
    """Efforts in mN m, a thousand times as large, are measured; without a limit it is 10 N m."""
    limit = MODEL.effort_limits[1]
    assert not np.isfinite(MODEL.effort_limits[0])
    efforts = STATES.efforts.copy()
    efforts[[300, 400, 700], 1] = limit * np.array([0.999e4, -1.001e4, 2e4])
    efforts[500:502, 0] = 0.9e5, 1.1e5
    recording = in_memory(replace(STATES, names=MODEL.joint_names, efforts=efforts))
    np.testing.assert_array_equal(recording.states().efforts, efforts)
    assert not recording.quality.implausible
    recording.judge_efforts(MODEL)
    efforts[[400, 700], 1] = efforts[501, 0] = np.nan
    np.testing.assert_array_equal(recording.states().efforts, efforts)
    first, second, _ = MODEL.joint_names
    implausible = recording.quality.implausible
    assert {name: one.count for name, one in implausible.items()} == {first: 1, second: 2}
    assert implausible[second].largest == pytest.approx(2e4 * limit)
    assert recording.quality.missing_efforts == {first: 1, second: 2}
