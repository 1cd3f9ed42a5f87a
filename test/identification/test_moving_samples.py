"""Rest and motion of joints, from flags and from raw positions."""

import numpy as np
import pytest

from robot_dynamics_ros.identification.moving_samples import AVERAGED, REST, RawSpeeds, at_rest

INTERVAL = 0.01


def test_a_reversal_is_no_rest_and_a_stop_is():
    slow = np.zeros((400, 2), bool)
    slow[100 : 100 + round(0.9 * REST / INTERVAL), 0] = True
    slow[300:, 1] = True
    found = at_rest(slow, INTERVAL)
    assert not found[:, 0].any()
    np.testing.assert_array_equal(found[:, 1], slow[:, 1])


@pytest.mark.parametrize('size', [1, 7, 1000])
def test_speeds_are_those_of_the_motion_however_it_is_divided(size):
    times = np.arange(1000) * INTERVAL
    positions = np.stack([0.5 * times, np.full(1000, 2.0), -0.1 * times], axis=1)
    noisy = positions + np.random.default_rng(0).uniform(-1e-4, 1e-4, positions.shape)
    speeds = RawSpeeds()
    parts = [slice(k, k + size) for k in range(0, 1000, size)]
    found = np.concatenate([speeds.of(times[part], noisy[part]) for part in parts])
    settled = times > AVERAGED
    expected = np.array([0.5, 0.0, 0.1])
    assert (np.abs(found[settled] - expected) < 2.5e-4 / AVERAGED).all()
    np.testing.assert_array_equal(found, RawSpeeds().of(times, noisy))
