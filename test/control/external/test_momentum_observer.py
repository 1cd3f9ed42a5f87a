"""The observer follows what pushes on a robot, over whatever intervals, and nothing else."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.robots import hand_written

from robot_dynamics_ros.control.external.momentum_observer import ExternalForceObserver
from robot_dynamics_ros.core import RobotDynamics, StateError

BANDWIDTH = 5.0
RATE = 2.0 * math.pi * BANDWIDTH
PUSH = np.array([3.0, -8.0, 2.0, 5.0])


@dataclass(frozen=True)
class PushedMotion:
    """States at some times, (N,) and (N, n); no noise."""

    times: Any
    q: Any
    v: Any
    efforts: Any

    def observed(self, observer):
        """r (N, n) of an observer that sees each state."""
        rows = zip(self.q, self.v, self.efforts, self.times, strict=True)
        return np.array([observer.step(q, v, effort, time) for q, v, effort, time in rows])


def pushed_motion(dynamics, times, push=0.0, *, speed=1.0):
    """Sums of two sines for each joint: effort = M a + C v + g - push (n,) [N m or N].

    Of about 0.5 Hz and 1 Hz, times the speed; 0 for a robot at rest.
    """
    joints = np.arange(dynamics.model.size)
    rates = speed * 2.0 * np.pi * np.array([0.5 + 0.07 * joints, 1.0 - 0.05 * joints])
    angles = np.asarray(times)[:, None, None] * rates + np.array([joints, 2.0 * joints])
    q, v, a = ((0.4 * rates**k * np.sin(angles + k * np.pi / 2.0)).sum(axis=1) for k in range(3))
    return PushedMotion(np.asarray(times), q, v, dynamics.inverse_dynamics(q, v, a) - push)


def uneven_times(seconds, interval, seed=0):
    """Times of states that come with jitter, of which each tenth is lost [s]."""
    random = np.random.default_rng(seed)
    times = np.arange(0.0, seconds, interval)
    times = times + random.uniform(-0.4, 0.4, len(times)) * interval
    return np.sort(times[random.uniform(size=len(times)) > 0.1])


@pytest.fixture(scope='module')
def dynamics():
    """A chain of turning and sliding joints."""
    return RobotDynamics(hand_written('oblique').model)


@pytest.fixture
def observer(dynamics):
    return ExternalForceObserver(dynamics, BANDWIDTH)


def lagging(motion, push):
    """A constant push behind the low pass, from the first state on."""
    return np.outer(-np.expm1(-RATE * (motion.times - motion.times[0])), push)


def integration_error(dynamics, motion, speed=1.0, spacing=1e-4):
    """(n,) bound of the error of the mean of u over an interval: h^2 / 12 max |u''|."""
    times = np.arange(motion.times[0], motion.times[-1], spacing)
    fine = pushed_motion(dynamics, times, speed=speed)
    c = dynamics.momentum_terms(fine.q, fine.v)[:, 1]
    u = fine.efforts + c - dynamics.gravity_torque(fine.q)
    curvature = np.abs(np.diff(u, 2, axis=0)).max(axis=0) / spacing**2
    return np.diff(motion.times).max() ** 2 / 12.0 * curvature


def test_a_robot_at_rest_feels_a_push_with_the_lag_of_the_low_pass(dynamics, observer):
    """Whatever the intervals, up to the longest: nothing is integrated but constants."""
    for times in (uneven_times(1.0, 4e-3), np.arange(2.0, 3.0, 0.09)):
        motion = pushed_motion(dynamics, times, PUSH, speed=0.0)
        observer.reset()
        assert_close(motion.observed(observer), lagging(motion, PUSH), 100.0)


@pytest.mark.parametrize(('push', 'speed'), [(PUSH, 1.0), (0.0 * PUSH, 2.0)])
def test_a_moving_robot_feels_it_as_one_at_rest(dynamics, observer, push, speed):
    """But for the error of the integration."""
    motion = pushed_motion(dynamics, uneven_times(1.0, 1e-3), push, speed=speed)
    assert (np.abs(motion.v).max(axis=0) > speed).all()
    error = np.abs(motion.observed(observer) - lagging(motion, push)).max(axis=0)
    assert (error <= integration_error(dynamics, motion, speed) + 1e-6).all()


def test_another_gain_takes_effect_without_a_step(dynamics, observer):
    motion = pushed_motion(dynamics, np.arange(0.0, 0.2, 1e-3), PUSH, speed=0.0)
    before = motion.observed(observer)[-1]
    observer.bandwidth = [1.0, 2.0, 4.0, 8.0]
    assert observer.bandwidth.tolist() == pytest.approx([1.0, 2.0, 4.0, 8.0])
    later = observer.step(motion.q[0], motion.v[0], motion.efforts[0], motion.times[-1] + 1e-3)
    share = np.exp(-2.0 * np.pi * 1e-3 * np.array([1.0, 2.0, 4.0, 8.0]))
    assert_close(PUSH - later, (PUSH - before) * share, 1e2)


# What breaks the motion: nothing of the time before it counts afterwards.


@pytest.mark.parametrize('break_it', ['reset', 'gap', 'clock set back'])
def test_after_a_break_r_starts_from_zero(dynamics, observer, break_it):
    motion = pushed_motion(dynamics, np.arange(0.0, 1.0, 2e-3), PUSH)
    motion.observed(observer)
    assert observer.settled
    shift = {'reset': 2e-3, 'gap': 0.2, 'clock set back': -5.0}[break_it]
    if break_it == 'reset':
        observer.reset()
        assert not observer.torque.any()
    # The robot is elsewhere, too.
    later = pushed_motion(dynamics, np.arange(7.0, 7.1, 2e-3), PUSH)
    expected = later.observed(ExternalForceObserver(dynamics, BANDWIDTH))
    shifted = replace(later, times=later.times - 7.0 + motion.times[-1] + shift)
    assert_close(shifted.observed(observer), expected, 100.0)
    assert not observer.settled


@pytest.mark.parametrize('wrong', ['q', 'v', 'effort', 'time'])
def test_a_state_that_is_no_state_is_refused_and_r_stays(dynamics, observer, wrong):
    motion = pushed_motion(dynamics, np.arange(0.0, 0.1, 1e-3), PUSH)
    before = motion.observed(observer)[-1]
    given = {'q': motion.q[0], 'v': motion.v[0], 'effort': motion.efforts[0], 'time': 0.1}
    with pytest.raises(StateError, match=wrong):
        observer.step(**(given | {wrong: given[wrong] * math.nan}))
    assert np.array_equal(observer.torque, before)
