"""The observer follows what pushes on a robot, over whatever intervals, and nothing else."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.complex_step import derivative
from mechanics.robots import hand_written

from robot_dynamics_ros.control.external.momentum_observer import ExternalForceObserver
from robot_dynamics_ros.core import JointFriction, ParameterError, RobotDynamics, StateError
from robot_dynamics_ros.core.algorithms.crba import mass_matrix
from robot_dynamics_ros.core.dual import independent, slope_of

BANDWIDTH = 5.0
RATE = 2.0 * math.pi * BANDWIDTH
PUSH = np.array([3.0, -8.0, 2.0, 5.0])
PAYLOAD = {'frame': 'd', 'mass': 1.5, 'com': (0.1, 0.0, 0.05)}


@dataclass(frozen=True)
class PushedMotion:
    """States at some times, (N,) and (N, n); no noise."""

    times: Any
    q: Any
    v: Any
    a: Any
    efforts: Any

    def observed(self, observer):
        """r (N, n) of an observer that sees each state."""
        rows = zip(self.q, self.v, self.efforts, self.times, strict=True)
        return np.array([observer.step(q, v, effort, time) for q, v, effort, time in rows])


def pushed_motion(dynamics, times, push=0.0, *, speed=1.0, friction=None, offset=0.0):
    """Sums of two sines for each joint: effort = M a + C v + g + f(v) + offset - push.

    Of about 0.5 Hz and 1 Hz, times the speed; 0 for a robot at rest. The push is (n,) [N m or N],
    or a function of the times that gives (N, n).
    """
    size = dynamics.model.size
    joints = np.arange(size)
    rates = speed * 2.0 * np.pi * np.array([0.5 + 0.07 * joints, 1.0 - 0.05 * joints])
    angles = np.asarray(times)[:, None, None] * rates + np.array([joints, 2.0 * joints])
    q, v, a = ((0.4 * rates**k * np.sin(angles + k * np.pi / 2.0)).sum(axis=1) for k in range(3))
    efforts = dynamics.inverse_dynamics(q, v, a) + offset
    if friction is not None:
        efforts = efforts + friction.torque(v)
    efforts = efforts - (push(times) if callable(push) else push)
    return PushedMotion(np.asarray(times), q, v, a, efforts)


def uneven_times(seconds, interval, seed=0):
    """Times of states that come with jitter, of which each tenth is lost [s]."""
    random = np.random.default_rng(seed)
    times = np.arange(0.0, seconds, interval)
    times = times + random.uniform(-0.4, 0.4, len(times)) * interval
    return np.sort(times[random.uniform(size=len(times)) > 0.1])


@pytest.fixture(scope='module')
def dynamics():
    """A chain of turning and sliding joints."""
    return RobotDynamics(hand_written('oblique').model, payload_frame='d')


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


def test_commands_are_held_between_states():
    """One joint, no gravity: the momentum changes by exactly effort times interval."""
    model = hand_written('pendulum').model
    dynamics = RobotDynamics(model, gravity=(0.0, 0.0, 0.0))
    inertia = dynamics.mass_matrix([0.0])[0, 0]
    none = dict.fromkeys(model.joint_names, 0.0)
    frictionless = JointFriction(model, viscous=none, coulomb=none)
    observers = {
        held: ExternalForceObserver(dynamics, 50.0, held=held, friction=frictionless)
        for held in (True, False)
    }
    random, q, v, time = np.random.default_rng(2), np.zeros(1), np.zeros(1), 0.0
    largest = dict.fromkeys(observers, 0.0)
    effort = np.zeros(1)
    for _ in range(200):
        for held, observer in observers.items():
            largest[held] = max(largest[held], abs(observer.step(q, v, effort, time)[0]))
        effort, interval = random.uniform(-5.0, 5.0, 1), random.uniform(1e-3, 5e-3)
        # What acts from this state to the next.
        a = effort / inertia
        q, v, time = q + interval * v + 0.5 * interval**2 * a, v + interval * a, time + interval
    assert largest[True] <= 1e-12 < 0.1 < largest[False]


@pytest.mark.parametrize('name', ['oblique', 'mimic'])
def test_friction_and_offset_of_the_model_are_no_push(name):
    dynamics = RobotDynamics(hand_written(name).model)
    joints = [joint.name for joint in dynamics.model.joints]
    friction = JointFriction(
        dynamics.model,
        viscous=dict.fromkeys(joints, 0.7),
        coulomb=dict.fromkeys(joints, 1.3),
        viscous_negative=dict.fromkeys(joints, 0.4),
        coulomb_negative=dict.fromkeys(joints, 2.1),
        # Wide, so that the integration sees where the sign changes.
        smoothing=dict(zip(joints, np.linspace(0.4, 0.8, len(joints)), strict=True)),
    )
    offset = np.linspace(-1.0, 2.0, dynamics.model.size)
    motion = pushed_motion(dynamics, np.arange(0.0, 1.0, 1e-3), friction=friction, offset=offset)
    knowing = ExternalForceObserver(dynamics, BANDWIDTH, friction=friction, offset=offset)
    unknowing = ExternalForceObserver(dynamics, BANDWIDTH)
    assert np.abs(motion.observed(knowing)).max() < 2e-3
    assert np.abs(motion.observed(unknowing)).max() > 0.5


def test_a_payload_that_is_not_in_the_model_is_a_push(dynamics):
    """r is its torque at rest; and it vanishes when the model gets the payload, without a step."""
    loaded = dynamics.with_payload(**PAYLOAD)
    motion = pushed_motion(loaded, np.arange(0.0, 4.0, 5e-3), speed=0.0)
    observer = ExternalForceObserver(dynamics, BANDWIDTH)
    half = len(motion.times) // 2
    before = [observer.step(motion.q[i], motion.v[i], motion.efforts[i], motion.times[i])
              for i in range(half)]  # fmt: skip
    weight = loaded.gravity_torque(motion.q[0]) - dynamics.gravity_torque(motion.q[0])
    assert_close(before[-1], -weight, 1e8)
    observer.use(loaded)
    after = [observer.step(motion.q[i], motion.v[i], motion.efforts[i], motion.times[i])
             for i in range(half, len(motion.times))]  # fmt: skip
    assert np.array_equal(after[0], before[-1])
    steps = np.abs(np.diff([before[-1], *after], axis=0)).max(axis=0)
    assert (steps <= -np.expm1(-RATE * 5e-3) * np.abs(weight) * (1.0 + 1e-9)).all()
    assert np.abs(after[-1]).max() < 1e-6


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
    start = motion.times[-1] + shift
    fresh = ExternalForceObserver(dynamics, BANDWIDTH)
    # The robot is elsewhere, too.
    later = pushed_motion(dynamics, np.arange(7.0, 7.1, 2e-3), PUSH)
    for q, v, effort, time in zip(later.q, later.v, later.efforts, later.times, strict=True):
        found = observer.step(q, v, effort, start + time - 7.0)
        assert_close(found, fresh.step(q, v, effort, time), 100.0)
        assert not observer.settled


def test_a_repeated_state_changes_nothing(dynamics, observer):
    motion = pushed_motion(dynamics, np.arange(0.0, 0.1, 1e-3), PUSH)
    r = motion.observed(observer)[-1]
    other = motion.q[0], motion.v[0], motion.efforts[0]
    assert np.array_equal(observer.step(*other, motion.times[-1]), r)


@pytest.mark.parametrize('wrong', ['q', 'v', 'effort', 'time', 'size'])
def test_a_state_that_is_no_state_is_refused_and_r_stays(dynamics, observer, wrong):
    motion = pushed_motion(dynamics, np.arange(0.0, 0.1, 1e-3), PUSH)
    twin = ExternalForceObserver(dynamics, BANDWIDTH)
    motion.observed(twin)
    r = motion.observed(observer)[-1]
    state = {
        'q': motion.q[0].copy(), 'v': motion.v[0].copy(), 'effort': motion.efforts[0].copy(),
        'time': 0.1,
    }  # fmt: skip
    if wrong == 'time':
        state['time'] = math.nan
    elif wrong == 'size':
        state['effort'] = np.zeros(3)
    else:
        state[wrong][1] = math.nan
    with pytest.raises(StateError, match=wrong if wrong != 'size' else 'effort has 3 values'):
        observer.step(**state)
    assert np.array_equal(observer.torque, r)
    following = motion.q[0], motion.v[0], motion.efforts[0], 0.101
    assert np.array_equal(observer.step(*following), twin.step(*following))


@pytest.mark.parametrize('bandwidth', [0.0, -1.0, [5.0, 5.0, 0.0, 5.0]])
def test_a_bandwidth_is_positive(dynamics, bandwidth):
    with pytest.raises(ParameterError, match=r'bandwidth.*joint'):
        ExternalForceObserver(dynamics, bandwidth)
    with pytest.raises(StateError, match='bandwidth has 2 values'):
        ExternalForceObserver(dynamics, [1.0, 2.0])


# Written a second time, from the mass matrix; and with a C that will not do.


def mass_matrix_slopes(model, q):
    """dM_ij / dq_k (n, n, n), by dual numbers."""
    zero = np.zeros(len(q))
    matrix = mass_matrix(model, independent(q))
    return np.array([[slope_of(entry, zero) for entry in row] for row in matrix])


def christoffel_torque(model, q, v):
    """C^T v = v^T dM/dq v / 2: what the observer needs."""
    return 0.5 * np.einsum('i,ijk,j->k', v, mass_matrix_slopes(model, q), v)


def other_torque(model, q, v):
    """C^T v with the C of C v = M_dot v - v^T dM/dq v / 2, as it stands: M_dot / 2 v.

    That is C = M_dot - (d(M v)/dq)^T / 2: another factor of the same torque C v.
    """
    rate = derivative(lambda x: mass_matrix(model, x), q, v)
    slopes = mass_matrix_slopes(model, q)
    other = rate - 0.5 * np.einsum('ijk,j->ki', slopes, v)
    return other.T @ v


def written_again(dynamics, motion, turning, friction):
    """r (N, n) of all states, from M, a C^T v that is handed in, and NumPy's exponential."""
    momenta = np.einsum('tij,tj->ti', dynamics.mass_matrix(motion.q), motion.v)
    c = [turning(dynamics.model, q, v) for q, v in zip(motion.q, motion.v, strict=True)]
    u = motion.efforts - friction.torque(motion.v) + c - dynamics.gravity_torque(motion.q)
    r = np.zeros_like(momenta)
    for i, interval in enumerate(np.diff(motion.times), start=1):
        external = (momenta[i] - momenta[i - 1]) / interval - 0.5 * (u[i] + u[i - 1])
        r[i] = external + math.exp(-RATE * interval) * (r[i - 1] - external)
    return r


@pytest.fixture(scope='module', params=['oblique', 'mimic'])
def scene(request):
    """The dynamics, and a motion with friction and a push that grows."""
    dynamics = RobotDynamics(hand_written(request.param).model)
    joints = [joint.name for joint in dynamics.model.joints]
    smoothing = dict(zip(joints, np.geomspace(0.01, 0.3, len(joints)), strict=True))
    coulomb, viscous = dict.fromkeys(joints, 0.2), dict.fromkeys(joints, 0.1)
    friction = JointFriction(dynamics.model, coulomb=coulomb, viscous=viscous, smoothing=smoothing)
    motion = pushed_motion(
        dynamics,
        uneven_times(0.3, 2e-3),
        lambda times: np.outer(times, np.arange(1.0, dynamics.model.size + 1.0)),
        friction=friction,
    )
    return dynamics, motion, friction


def test_a_c_that_is_not_of_christoffel_symbols_takes_motion_for_a_push(scene):
    """It gives the same C v, so that inverse dynamics cannot tell; M_dot - 2 C is not skew."""
    dynamics, motion, friction = scene
    model, q, v = dynamics.model, motion.q[50], motion.v[50]
    rate = derivative(lambda x: mass_matrix(model, x), q, v)
    bias = dynamics.bias_torque(q, v) - dynamics.gravity_torque(q)
    assert_close(rate @ v - christoffel_torque(model, q, v), bias, np.abs(bias).max())
    right, wrong = (
        written_again(dynamics, motion, turning, friction)
        for turning in (christoffel_torque, other_torque)
    )
    found = motion.observed(ExternalForceObserver(dynamics, BANDWIDTH, friction=friction))
    assert_close(found, right, 100.0 * np.abs(motion.efforts).max())
    assert np.abs(found - wrong).max() > 1e6 * np.abs(found - right).max()
    assert np.abs(found - wrong).max() > 0.01 * np.abs(bias).max()
