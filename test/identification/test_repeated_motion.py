"""A held-out motion that repeats the fitted one is found, at any shift; another one is not."""

from dataclasses import replace

import numpy as np
from torques_of_arrays import RATE, torques

from robot_dynamics_ros.identification.repeated_motion import repeated_share

PERIOD = 10.0


def motion(times, seed, period=PERIOD, split=13.3):
    """The torques of three joints that move with five harmonics of a period."""
    random = np.random.default_rng(seed)
    rates = 2.0 * np.pi * np.arange(1, 6) / period
    amplitudes = random.normal(size=(2, 5, 3)) / np.arange(1, 6)[:, None]
    angles = np.outer(times, rates)
    q = np.sin(angles) @ amplitudes[0] + np.cos(angles) @ amplitudes[1]
    v = (rates * np.cos(angles)) @ amplitudes[0] - (rates * np.sin(angles)) @ amplitudes[1]
    found = torques(times, q, nominal=np.sin(q), held_out=times >= split)
    return replace(found, velocities=v)


TIMES = np.arange(0.0, 20.0, 1.0 / RATE)


def test_a_period_that_is_played_again_is_found():
    """Its period shares nothing with the grid; the velocities have noise."""
    for period in (5.0, 9.9871):
        one = motion(TIMES, 1, period)
        noise = np.random.default_rng(2).normal(0.0, 5e-3, one.velocities.shape)
        assert repeated_share([replace(one, velocities=one.velocities + noise)]) == 1.0


def test_a_motion_that_is_not_repeated_is_not_found():
    """One long period, of which no part occurs twice; and the same motion at other poses."""
    one = motion(TIMES, 1, 20.0)
    assert repeated_share([one]) == 0.0
    again = motion(TIMES, 1)
    elsewhere = again.nominal + 0.5 * again.held_out[:, None]
    assert repeated_share([replace(again, nominal=elsewhere)]) == 0.0


def test_another_recording_of_the_same_motion_is_found_and_of_another_motion_is_not():
    fitted = motion(TIMES, 1, split=np.inf)
    for seed, expected in ((1, 1.0), (2, 0.0)):
        later = motion(TIMES[:200] + 4.321, seed, split=0.0)
        assert repeated_share([fitted, later]) == expected


def test_rest_is_no_repetition():
    resting = torques(TIMES, np.ones((len(TIMES), 3)), held_out=TIMES >= 10.0)
    assert np.isnan(repeated_share([replace(resting, velocities=0.0 * resting.velocities)]))
    assert np.isnan(repeated_share([motion(TIMES, 1, split=np.inf)]))
