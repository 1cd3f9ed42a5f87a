"""States that come one after the other are filtered as the recording of them is."""

import numpy as np
import pytest

from robot_dynamics_ros.recordings import LiveMotion

RATE, JOINTS = 200.0, ('lift', 'swing')


def states(count=2000, rate=RATE):
    """Times, positions, velocities and efforts of sines."""
    times = 100.0 + np.arange(count) / rate
    angles = np.outer(times, [1.0, 2.0])
    return times, np.sin(angles), [1.0, 2.0] * np.cos(angles), np.sin(3.0 * angles)


def put(live, times, *columns):
    for time, *row in zip(times, *columns, strict=True):
        live.put(time, *row)


def taken(live, columns, parts):
    """The motions of states that come in parts."""
    found = []
    for rows in np.array_split(np.arange(len(columns[0])), parts):
        put(live, *(column[rows] for column in columns))
        found += live.take()
    return found


@pytest.mark.parametrize('parts', [1, 7])
def test_it_is_the_motion(parts):
    columns = states()
    found = taken(LiveMotion(JOINTS, 10.0), columns, parts)
    times = np.concatenate([motion.times for motion in found])
    # Nothing twice, and only the edges are lost.
    np.testing.assert_allclose(np.diff(times), 1.0 / RATE, atol=1e-6)
    assert len(times) > len(columns[0]) - 0.5 * RATE
    for motion in found:
        rows = np.searchsorted(columns[0], motion.times - 1e-6)
        np.testing.assert_allclose(motion.positions, columns[1][rows], atol=1e-3)
        np.testing.assert_allclose(motion.velocities, columns[2][rows], atol=1e-3)
        np.testing.assert_allclose(
            motion.accelerations, [-1.0, -4.0] * columns[1][rows], atol=0.02
        )
        np.testing.assert_allclose(motion.efforts, columns[3][rows], atol=5e-3)


def test_arrays_may_be_used_again_and_efforts_be_missing():
    live, (times, q, v, _) = LiveMotion(JOINTS, 10.0), states(400)
    row = np.empty(2)
    for time, position, velocity in zip(times, q, v, strict=True):
        row[:] = position
        live.put(time, row, velocity, None)
    (motion,) = live.take()
    np.testing.assert_allclose(
        np.ptp(motion.positions, axis=0), np.ptp(q[36:-36], axis=0), rtol=0.1
    )
    assert np.isnan(motion.efforts).all()


def test_too_few_states_are_kept_until_there_are_more():
    live, columns = LiveMotion(JOINTS, 10.0), states(400)
    put(live, *(column[:40] for column in columns))
    assert live.take() == []
    assert live.doubt
    put(live, *(column[40:] for column in columns))
    (motion,) = live.take()
    assert live.doubt == ''
    assert live.received == 400
    assert len(motion) > 300


def test_pauses_and_a_clock_that_is_set_back():
    """What comes afterwards is another segment."""
    live = LiveMotion(JOINTS, 10.0)
    times, *columns = states(600)
    shifted = times + np.where(np.arange(600) >= 200, 1.0, 0.0) - np.where(times >= 102, 50.0, 0.0)
    found = taken(live, (shifted, *columns), 6)
    times = np.concatenate([motion.times for motion in found])
    steps = np.diff(times)
    assert np.sum(np.abs(steps - 1.0 / RATE) > 1e-6) == 2
    assert steps.max() > 1.0
    assert steps.min() < -40.0


def test_slow_states_have_a_lower_cutoff():
    (motion,) = taken(LiveMotion(JOINTS, 10.0), states(400, rate=20.0), 1)
    assert motion.cutoff == pytest.approx(5.0)
