"""What is taken off an arm at rest, and when it is not."""

import numpy as np
import pytest

from robot_dynamics_ros.control.external.tare import AVERAGED, LARGEST, SLOWEST, STEADY, Tare
from robot_dynamics_ros.core.errors import StateError

LIMITS, REST = np.array([50.0, 200.0]), np.zeros(2)
ERROR = np.array([1.0, -3.0])


def averaged(tare, residual, v=REST, *, seconds=1.01 * AVERAGED, limits=LIMITS, touched=''):
    """The tare after so many seconds of residuals: a value (2,), or a function of time."""
    tare.begin(limits)
    for time in np.arange(0.0, seconds, 0.01):
        r = residual(time) if callable(residual) else residual
        tare.step(np.array(r), v, 100.0 + time, touched)
    return tare


@pytest.fixture
def tare():
    return Tare(('turn', 'lift'), ('N m', 'N'))


def test_the_mean_takes_the_place_of_the_one_before(tare):
    for scale in (1.0, 0.5):
        noise = np.random.default_rng(1).normal(0.0, 0.05, (100, 2))
        averaged(tare, lambda time, s=scale, n=noise: s * ERROR + n[round(100 * time)])
        tare.take_off()
        np.testing.assert_allclose(tare.torque, scale * ERROR, atol=0.02)


def test_too_short_and_a_second_at_a_time_are_refused(tare):
    averaged(tare, ERROR, seconds=0.8 * AVERAGED)
    assert not tare.complete
    with pytest.raises(StateError, match='another call'):
        tare.begin(LIMITS)
    with pytest.raises(StateError, match='interrupted'):
        tare.take_off()


@pytest.mark.parametrize(
    ('given', 'words'),
    [
        ({'v': np.array([0.0, -1.5 * SLOWEST])}, r'lift at 0\.03 m/s'),
        ({'touched': 'push at hand'}, 'push at hand'),
        (
            {'residual': lambda time: [2.2 * STEADY * 50.0 * (time < 0.25), 0.0]},
            r'turn varies by 2\.\d+ N m, allowed are 2\.5 N m',
        ),
        ({'residual': [0.0, -1.1 * LARGEST * 200.0]}, 'lift is 22 N, allowed are 20 N'),
        ({'residual': [1.5, 0.0], 'limits': np.full(2, np.inf)}, r'turn is 1\.5 N m'),
    ],
)
def test_what_must_not_be_taken_off_is_named(tare, given, words):
    averaged(tare, **({'residual': ERROR} | given))
    with pytest.raises(StateError, match=words):
        tare.take_off()
    assert not tare.torque.any()
    assert not tare.averaging


def test_of_another_model_nothing_is_taken_off_any_more(tare):
    averaged(tare, ERROR).take_off()
    tare.begin(LIMITS)
    tare.drop('the payload')
    assert not tare.torque.any()
    assert not tare.averaging
    assert tare.dropped == 'the payload'
    averaged(tare, ERROR).take_off()
    assert not tare.dropped
