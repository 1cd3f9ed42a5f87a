"""The observer, written a second time from the mass matrix; and with a C that will not do."""

import math

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.complex_step import derivative
from mechanics.robots import hand_written
from pushed_motion import pushed_motion, uneven_times

from robot_dynamics_ros.control.external.momentum_observer import ExternalForceObserver
from robot_dynamics_ros.core import JointFriction, RobotDynamics
from robot_dynamics_ros.core.algorithms.crba import mass_matrix
from robot_dynamics_ros.core.dual import independent, slope_of

BANDWIDTH = 5.0
RATE = 2.0 * math.pi * BANDWIDTH


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
    friction = JointFriction(
        dynamics.model,
        coulomb=dict.fromkeys(joints, 0.2),
        viscous=dict.fromkeys(joints, 0.1),
        smoothing=dict(zip(joints, np.geomspace(0.01, 0.3, len(joints)), strict=True)),
    )
    motion = pushed_motion(
        dynamics,
        uneven_times(0.3, 2e-3),
        lambda times: np.outer(times, np.arange(1.0, dynamics.model.size + 1.0)),
        friction=friction,
    )
    return dynamics, motion, friction


def test_one_written_from_the_slopes_of_the_mass_matrix_agrees(scene):
    dynamics, motion, friction = scene
    found = motion.observed(ExternalForceObserver(dynamics, BANDWIDTH, friction=friction))
    expected = written_again(dynamics, motion, christoffel_torque, friction)
    assert_close(found, expected, 100.0 * np.abs(motion.efforts).max())


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
    assert np.abs(found - wrong).max() > 1e6 * np.abs(found - right).max()
    assert np.abs(found - wrong).max() > 0.01 * np.abs(bias).max()
