"""What lasts and is far beyond noise is a contact; friction near reversals and rest are none."""

import numpy as np
import pytest

from robot_dynamics_ros.identification.contacts_left_out import disturbed

RATE = 20.0
TIMES = np.arange(0.0, 60.0, 1.0 / RATE)


def found_in(push, velocities=None, friction=0.0, rests=False):
    """The disturbances of 60 s with noise, and a push (N, 3) [N m].

    Args:
        push: of each time.
        velocities: (N, 3) [rad/s]; None: 1.
        friction: that the model lacks, within 0.1 s of a reversal [N m].
        rests: (N, 3) where joints rest.
    """
    noise = np.random.default_rng(1).normal(0.0, 0.1, push.shape)
    v = np.ones_like(noise) if velocities is None else velocities
    missed = friction * (np.abs(v) < 0.1 * np.abs(np.gradient(v, 1.0 / RATE, axis=0)))
    residuals = np.where(rests, np.nan, noise + missed + push)
    return disturbed([(TIMES, residuals, v)])


def pushed(*periods, joints=(1, 2), size=3.0):
    during = np.any(
        [np.zeros_like(TIMES), *((a < TIMES) & (b > TIMES) for a, b in periods)], axis=0
    )
    return size * during[:, None] * np.isin(np.arange(3), joints)


def test_a_push_is_found_with_its_times():
    periods = [(20.0, 21.5), (40.0, 41.0)]
    found = found_in(pushed(*periods))
    np.testing.assert_allclose(found, periods, atol=0.21)


@pytest.mark.parametrize(
    'push',
    [pushed(), pushed((20.0, 20.05)), pushed((5.0, 55.0))],
    ids=['nothing', 'one spike', 'a model that is wrong'],
)
def test_what_is_no_contact(push):
    assert not found_in(push)


@pytest.mark.parametrize('periods', [[], [(20.0, 21.5)]], ids=['none', 'one'])
def test_pushes_while_joints_turn_all_the_time(periods):
    """No window is far from a reversal, where friction is far off too."""
    turning = np.repeat(np.sin(2.0 * np.pi * TIMES)[:, None], 3, axis=1)
    found = found_in(pushed(*periods, size=30.0), turning, friction=1.0)
    assert len(found) == len(periods)
    np.testing.assert_allclose(np.reshape(found, (-1, 2)), np.reshape(periods, (-1, 2)), atol=0.41)


def test_reversals_between_two_windows_are_reversals():
    """Each lies between the last sample of a window and the first one of the next."""
    turning = np.where(np.floor(TIMES / 2.0) % 2.0 == 0.0, 1.0, -1.0)[:, None] * np.ones(3)
    assert not found_in(pushed(), turning, friction=2.0)


def test_rest_is_not_what_is_usual():
    """Four fifths of the recording are rest, of which nothing is known."""
    rests = np.repeat(TIMES[:, None] < 48.0, 3, axis=1)
    ((begin, _),) = found_in(pushed((52.0, 53.0)), rests=rests)
    assert begin == pytest.approx(52.0, abs=0.21)
    assert not found_in(pushed(), rests=rests)
