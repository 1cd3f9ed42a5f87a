"""The laws of mechanics that every robot obeys, as functions that raise AssertionError.

They hold at any state for whatever computes the dynamics: float evaluation, plain Python, native
code. scripts/mutate.py runs them on a core in which one sign is wrong.
"""

from __future__ import annotations

from typing import Any

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
from mechanics.robots import SINGULAR, Robot, State
from robot_dynamics_ros.core.algorithms.crba import mass_matrix

GRAVITY = np.array([1.5, -2.5, -9.0])


# Laws of the mass matrix


def mass_matrix_is_symmetric(robot: Robot, dynamics: Any, state: State) -> None:
    M = dynamics.mass_matrix(state.q)
    assert np.array_equal(M, M.T)


def mass_matrix_is_positive_definite(robot: Robot, dynamics: Any, state: State) -> None:
    eigenvalues = np.linalg.eigvalsh(dynamics.mass_matrix(state.q))
    if robot.name in SINGULAR:
        assert eigenvalues[0] >= -TOLERANCE * eigenvalues[-1]
    else:
        assert eigenvalues[0] > 0.0


def mass_matrix_is_the_sum_over_links(robot: Robot, dynamics: Any, state: State) -> None:
    links = LinkJacobians(robot.text, robot.model.joint_names)
    assert_close(dynamics.mass_matrix(state.q), links.mass_matrix(state.q))


def unit_accelerations_give_the_columns_of_the_mass_matrix(
    robot: Robot, dynamics: Any, state: State
) -> None:
    rest = np.zeros(robot.model.size)
    with gravity(dynamics, np.zeros(3)):
        columns = [dynamics.inverse_dynamics(state.q, rest, unit) for unit in np.eye(len(rest))]
    M = dynamics.mass_matrix(state.q)
    assert_close(np.transpose(columns), M)


# Laws of gravity


def gravity_torque_is_the_sum_over_links(robot: Robot, dynamics: Any, state: State) -> None:
    links = LinkJacobians(robot.text, robot.model.joint_names)
    with gravity(dynamics, GRAVITY):
        g, scale = dynamics.gravity_torque(state.q), gravity_scale(dynamics, state.q)
    assert_close(g, links.gravity_torque(state.q, GRAVITY), scale)


def gravity_torque_is_the_gradient_of_potential_energy(
    robot: Robot, dynamics: Any, state: State
) -> None:
    links = LinkJacobians(robot.text, robot.model.joint_names)
    q = state.q + 1e-30j * state.v
    power = np.imag(links.potential_energy(q, GRAVITY)) / 1e-30
    with gravity(dynamics, GRAVITY):
        g, scale = dynamics.gravity_torque(state.q), gravity_scale(dynamics, state.q)
    assert_close(g @ state.v, power, scale * np.abs(state.v).max())


def gravity_torque_is_linear_in_gravity(robot: Robot, dynamics: Any, state: State) -> None:
    torques = []
    for value in (*np.eye(3), GRAVITY):
        with gravity(dynamics, value):
            torques.append(dynamics.gravity_torque(state.q))
            scale = gravity_scale(dynamics, state.q)
    assert_close(GRAVITY @ torques[:3], torques[3], scale)


# Laws of the Coriolis matrix


def coriolis_matrix_is_that_of_the_christoffel_symbols(
    robot: Robot, dynamics: Any, state: State
) -> None:
    """c_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2, and C_ij = sum of c_ijk v_k."""
    slopes = gradient(lambda q: mass_matrix(robot.model, q), state.q)
    symbols = (slopes + slopes.transpose(0, 2, 1) - slopes.transpose(2, 1, 0)) / 2.0
    C = dynamics.coriolis_matrix(state.q, state.v)
    assert_close(C, symbols @ state.v, coriolis_scale(dynamics, state))


def mass_matrix_rate_minus_twice_coriolis_is_skew(
    robot: Robot, dynamics: Any, state: State
) -> None:
    rate = derivative(lambda q: mass_matrix(robot.model, q), state.q, state.v)
    skew = rate - 2.0 * dynamics.coriolis_matrix(state.q, state.v)
    assert_close(skew, -skew.T, coriolis_scale(dynamics, state))


def coriolis_matrix_is_linear_in_velocity(robot: Robot, dynamics: Any, state: State) -> None:
    q, v, w = state.q, state.v, state.w
    parts = dynamics.coriolis_matrix(q, v), dynamics.coriolis_matrix(q, w)
    combined = dynamics.coriolis_matrix(q, v - 2.0 * w)
    assert_close(combined, parts[0] - 2.0 * parts[1], coriolis_scale(dynamics, state))


def coriolis_torque_commutes(robot: Robot, dynamics: Any, state: State) -> None:
    """C(q, v) w = C(q, w) v, as the Christoffel symbols are symmetric in j and k."""
    q, v, w = state.q, state.v, state.w
    scale = coriolis_scale(dynamics, state) * np.abs([v, w]).max()
    assert_close(dynamics.coriolis_matrix(q, v) @ w, dynamics.coriolis_matrix(q, w) @ v, scale)


# Laws that join them


def torque_is_the_sum_of_its_terms(robot: Robot, dynamics: Any, state: State) -> None:
    q, v, a, _ = state
    g, velocity, inertial = dynamics.torque_terms(q, v, a)
    tau = dynamics.inverse_dynamics(q, v, a)
    scale = torque_scale(dynamics, state)
    assert_close(g, dynamics.gravity_torque(q), scale)
    assert_close(velocity, dynamics.coriolis_matrix(q, v) @ v, scale)
    assert_close(inertial, dynamics.mass_matrix(q) @ a, scale)
    assert_close(g + velocity, dynamics.bias_torque(q, v), scale)
    assert_close(g + velocity + inertial, tau, scale)


def torque_is_affine_in_acceleration(robot: Robot, dynamics: Any, state: State) -> None:
    q, v, a, w = state
    tau = [dynamics.inverse_dynamics(q, v, x) for x in (0.0 * a, a, w, a - 3.0 * w)]
    assert_close(tau[3] - tau[0], (tau[1] - tau[0]) - 3.0 * (tau[2] - tau[0]), np.abs(tau).max())


def velocity_torque_is_quadratic_in_velocity(robot: Robot, dynamics: Any, state: State) -> None:
    """h(v + w) + h(v - w) = 2 h(v) + 2 h(w), and h(-2 v) = 4 h(v)."""
    q, v, _, w = state
    g = dynamics.gravity_torque(q)
    h = [dynamics.bias_torque(q, x) - g for x in (v, w, v + w, v - w, -2.0 * v)]
    scale = np.abs([g, *h]).max()
    assert_close(h[2] + h[3], 2.0 * h[0] + 2.0 * h[1], scale)
    assert_close(h[4], 4.0 * h[0], scale)


def power_changes_the_kinetic_energy(robot: Robot, dynamics: Any, state: State) -> None:
    """d/dt (v^T M v / 2) = v^T (tau - g)."""
    q, v, a, _ = state
    M, n = dynamics.mass_matrix(q), len(q)

    def energy(x: list[Any]) -> Any:
        rows = mass_matrix(robot.model, x[:n])
        return sum(0.5 * x[n + i] * rows[i][j] * x[n + j] for i in range(n) for j in range(n))

    rate = derivative(energy, np.concatenate([q, v]), np.concatenate([v, a]))
    tau, g = dynamics.inverse_dynamics(q, v, a), dynamics.gravity_torque(q)
    scale = np.abs(v) @ (np.abs(tau) + np.abs(g) + np.abs(M) @ np.abs(a))
    assert_close(v @ (tau - g), rate, scale)


LAWS = (
    mass_matrix_is_symmetric,
    mass_matrix_is_positive_definite,
    mass_matrix_is_the_sum_over_links,
    unit_accelerations_give_the_columns_of_the_mass_matrix,
    gravity_torque_is_the_sum_over_links,
    gravity_torque_is_the_gradient_of_potential_energy,
    gravity_torque_is_linear_in_gravity,
    coriolis_matrix_is_that_of_the_christoffel_symbols,
    mass_matrix_rate_minus_twice_coriolis_is_skew,
    coriolis_matrix_is_linear_in_velocity,
    coriolis_torque_commutes,
    torque_is_the_sum_of_its_terms,
    torque_is_affine_in_acceleration,
    velocity_torque_is_quadratic_in_velocity,
    power_changes_the_kinetic_energy,
)
