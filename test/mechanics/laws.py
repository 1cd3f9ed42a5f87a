"""The laws of mechanics that every robot obeys, as functions that raise AssertionError.

They hold at any state for whatever computes the dynamics: float evaluation, plain Python, native
code. scripts/mutate.py runs them on a core in which one sign is wrong.
"""

from inspect import isfunction, signature

import numpy as np

from mechanics.closeness import (
    TOLERANCE,
    assert_close,
    coriolis_scale,
    gravity,
    gravity_scale,
    torque_scale,
)
from mechanics.complex_step import derivative, gradient
from mechanics.link_jacobians import LinkJacobians
from mechanics.robots import SINGULAR
from robot_dynamics_ros.core.algorithms.crba import mass_matrix

GRAVITY = np.array([1.5, -2.5, -9.0])


# Laws of the mass matrix


def mass_matrix_is_symmetric(robot, dynamics, state):
    M = dynamics.mass_matrix(state.q)
    assert np.array_equal(M, M.T)


def mass_matrix_is_positive_definite(robot, dynamics, state):
    eigenvalues = np.linalg.eigvalsh(dynamics.mass_matrix(state.q))
    if robot.name in SINGULAR:
        assert eigenvalues[0] >= -TOLERANCE * eigenvalues[-1]
    else:
        assert eigenvalues[0] > 0.0


def mass_matrix_is_the_sum_over_links(robot, dynamics, state):
    links = LinkJacobians(robot.text, robot.model.joint_names)
    assert_close(dynamics.mass_matrix(state.q), links.mass_matrix(state.q))


# Laws of gravity


def gravity_torque_is_the_sum_over_links(robot, dynamics, state):
    links = LinkJacobians(robot.text, robot.model.joint_names)
    with gravity(dynamics, GRAVITY):
        g, scale = dynamics.gravity_torque(state.q), gravity_scale(dynamics, state.q)
    assert_close(g, links.gravity_torque(state.q, GRAVITY), scale)


# Laws of the Coriolis matrix


def coriolis_matrix_is_that_of_the_christoffel_symbols(robot, dynamics, state):
    """c_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2, and C_ij = sum of c_ijk v_k."""
    slopes = gradient(lambda q: mass_matrix(robot.model, q), state.q)
    symbols = (slopes + slopes.transpose(0, 2, 1) - slopes.transpose(2, 1, 0)) / 2.0
    C = dynamics.coriolis_matrix(state.q, state.v)
    assert_close(C, symbols @ state.v, coriolis_scale(dynamics, state))


def mass_matrix_rate_minus_twice_coriolis_is_skew(robot, dynamics, state):
    rate = derivative(lambda q: mass_matrix(robot.model, q), state.q, state.v)
    skew = rate - 2.0 * dynamics.coriolis_matrix(state.q, state.v)
    assert_close(skew, -skew.T, coriolis_scale(dynamics, state))


# Laws that join them


def torque_is_the_sum_of_its_terms(robot, dynamics, state):
    q, v, a, _ = state
    g, velocity, inertial = dynamics.torque_terms(q, v, a)
    tau = dynamics.inverse_dynamics(q, v, a)
    scale = torque_scale(dynamics, state)
    assert_close(g, dynamics.gravity_torque(q), scale)
    assert_close(velocity, dynamics.coriolis_matrix(q, v) @ v, scale)
    assert_close(inertial, dynamics.mass_matrix(q) @ a, scale)
    assert_close(g + velocity, dynamics.bias_torque(q, v), scale)
    assert_close(g + velocity + inertial, tau, scale)


def laws_among(names, *parameters):
    """The functions among these names that take these parameters."""
    return tuple(
        each
        for each in [*names.values()]
        if isfunction(each) and [*signature(each).parameters] == [*parameters]
    )


LAWS = laws_among(globals(), 'robot', 'dynamics', 'state')
