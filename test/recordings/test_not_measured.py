"""States that were not measured are not believed; those around them are not lost with them."""

from dataclasses import replace

import arm_motions
import numpy as np
import pytest
from memory_source import in_memory
from recorded_states import START, States

from robot_dynamics_ros.core import parse_urdf

MODEL = parse_urdf(arm_motions.URDF)
RATE = 200.0
TIMES, Q, V, _ = arm_motions.sines(MODEL.size, seed=3, rate=RATE)
EFFORTS = 2.0 * Q + V + 0.5 * np.sign(V)
STAMPS = START + np.rint(1e9 * TIMES).astype(np.int64)
STATES = States(STAMPS, Q, V, EFFORTS, MODEL.joint_names)
# Every 37th, also where the arm is near its zero pose.
SOME = np.arange(20, len(STATES), 37)


def recorded(states, model=MODEL):
    return in_memory(states, model)


def changed(rows, positions=0.0, velocities=0.0, efforts=0.0):
    """The states with other values in some rows; None for the same."""
    new = {'positions': positions, 'velocities': velocities, 'efforts': efforts}
    for name, values in new.items():
        new[name] = getattr(STATES, name).copy()
        if values is not None:
            new[name][rows] = values
    return replace(STATES, **new)


def kept(recording):
    """Rows of the states in segments, and the lengths of these."""
    parts = recording.segments()
    times = np.concatenate([part.times for part in parts])
    return np.rint(times * RATE).astype(int), [len(part) for part in parts]


# 1.7 % of the efforts of a joint, which refused a whole recording.
BAD_EFFORTS = EFFORTS.copy()
BAD_EFFORTS[SOME, 1], BAD_EFFORTS[SOME, 2] = 1.04e224, 2.9e-321
GARBAGE = {
    'no efforts': replace(STATES, efforts=BAD_EFFORTS),
    'zeros of a driver': changed(SOME),
    'zeros without efforts': replace(changed(SOME), efforts=None),
    'of another time': changed(SOME, positions=Q[::-1][SOME] + 2.0, velocities=None, efforts=None),
    'huge': changed(SOME, positions=1e224, velocities=None, efforts=None),
    'velocities alone': changed(SOME, positions=None, velocities=-1e30, efforts=None),
    'denormal': changed(SOME, positions=2.9e-321, velocities=2.9e-321, efforts=-2.9e-321),
}


@pytest.mark.parametrize('name', GARBAGE)
def test_what_no_joint_reaches_is_left_out_and_counted(name):
    recording = recorded(GARBAGE[name])
    rows, lengths = kept(recording)
    np.testing.assert_array_equal(rows, np.setdiff1d(np.arange(len(STATES)), SOME))
    assert len(lengths) == 1
    assert recording.quality.jumps == 0
    if name == 'no efforts':
        counts = {joint: one.count for joint, one in recording.quality.implausible.items()}
        assert counts == {'lift': len(SOME), 'elbow': len(SOME)}
    elif name not in ('velocities alone', 'denormal'):
        assert recording.quality.out_of_reach == len(SOME)
        assert recording.quality.remarks()
    # All states are still as they were recorded.
    assert len(recording.states()) == len(STATES)


@pytest.mark.parametrize('name', ['zeros of a driver', 'of another time', 'huge', 'no efforts'])
def test_the_filtered_motion_is_as_without_them(name):
    """Their cutoff was another, and an offset of 0.18 N m was found where none is."""
    (found,), (clean,) = recorded(GARBAGE[name]).motions(), recorded(STATES).motions()
    assert found.cutoff == pytest.approx(clean.cutoff, rel=0.05)
    (found,), (clean,) = (recorded(one).motions(cutoff=10.0) for one in (GARBAGE[name], STATES))
    size = min(len(found), len(clean))
    for field in ('positions', 'velocities', 'accelerations', 'efforts'):
        one, other = (getattr(each, field)[:size] for each in (found, clean))
        # Where an effort jumps, a reversal may be in the interval that was bridged.
        bound = 0.02 if field == 'efforts' else 2e-4
        assert np.abs(one - other).max() < bound * np.abs(other).max()


def test_two_in_a_row_are_left_out_and_longer_ones_cut():
    rows = np.arange(1000, 1002)
    found, lengths = kept(recorded(changed(rows, [[1.0, -1.0, 2.5], [-2.0, 2.0, 0.5]])))
    np.testing.assert_array_equal(found, np.setdiff1d(np.arange(len(STATES)), rows))
    assert len(lengths) == 1
    # Longer than a gap: whoever is elsewhere for long may be there.
    recording = recorded(changed(np.arange(1000, 1030), Q[1000] + 1.0, velocities=None))
    found, lengths = kept(recording)
    assert lengths == [1000, 30, len(STATES) - 1030]
    assert (recording.quality.jumps, recording.quality.out_of_reach) == (2, 0)
    # A velocity that is none explains no step.
    garbage = changed(np.arange(1000, 1030), Q[1000] + 1.0, velocities=1e30)
    assert kept(recorded(garbage))[1] == lengths
    # But zero in all that is measured is no place.
    recording = recorded(changed(np.arange(1000, 1200)))
    assert kept(recording)[1] == [1000, len(STATES) - 1200]
    assert recording.quality.out_of_reach == 200


def test_a_rest_at_zero_a_fast_arm_and_a_coarse_clock_are_believed():
    still = changed(slice(1000), positions=Q[1000])
    still = replace(still, positions=still.positions - Q[1000])
    assert kept(recorded(still))[1] == [len(STATES)]
    # At 20 Hz, beyond the limit of 4 rad/s: three times as it measures itself, else 1.5 times.
    for factor, measured in ((3.0, True), (1.5, False)):
        scale = factor * 4.0 / np.abs(V).max()
        velocities = scale * V if measured else None
        fast = replace(STATES, positions=scale * Q, velocities=velocities)
        fast = fast.part(slice(None, None, 10))
        assert kept(recorded(fast))[1] == [len(fast)]
    jitter = np.random.default_rng(1).uniform(0.0, 4e6, len(STATES)).astype(np.int64)
    assert kept(recorded(replace(STATES, stamps=STAMPS + jitter)))[1] == [len(STATES)]


def test_without_a_model_no_joint_makes_half_a_turn_from_state_to_state():
    recording = recorded(changed(SOME, positions=Q[SOME] + 3.3, velocities=None), model=None)
    assert recording.quality.out_of_reach == len(SOME)
    # A model that comes later counts from then on: 0.25 rad in 5 ms are 50 rad/s.
    recording = recorded(changed(SOME, positions=Q[SOME] + 0.25, velocities=None), model=None)
    assert recording.quality.out_of_reach == 0
    recording.judge_efforts(MODEL)
    assert recording.quality.out_of_reach == len(SOME)
