"""The laws of the derivatives of torque and acceleration, and of the regressor."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechanics.closeness import assert_close, coriolis_scale, gravity, solvable, torque_scale
from mechanics.complex_step import gradient
from mechanics.float_dynamics import FloatDynamics
from mechanics.laws import GRAVITY
from mechanics.robots import Robot, State
from robot_dynamics_ros.core.algorithms.aba import forward_dynamics
from robot_dynamics_ros.core.algorithms.rnea import inverse_dynamics


def derivatives_are_those_of_the_torque(robot: Robot, dynamics: Any, state: State) -> None:
    n, (q, v, a, _) = robot.model.size, state

    def torque(x: Any) -> Any:
        return inverse_dynamics(robot.model, x[:n], x[n : 2 * n], x[2 * n :], tuple(GRAVITY))

    with gravity(dynamics, GRAVITY):
        in_q, in_v, in_a = dynamics.inverse_dynamics_derivatives(q, v, a)
    expected = np.split(gradient(torque, np.concatenate([q, v, a])), 3, axis=1)
    rates = coriolis_scale(dynamics, state)
    assert_close(in_q, expected[0], np.abs(torque([*q, *v, *a])).max() + rates)
    assert_close(in_v, expected[1], rates)
    assert_close(in_a, expected[2])
    assert_close(in_a, dynamics.mass_matrix(q))
    assert_close(in_v, 2.0 * dynamics.coriolis_matrix(q, v), rates)


def derivatives_are_those_of_the_acceleration(robot: Robot, dynamics: Any, state: State) -> None:
    n, (q, v, tau, _) = robot.model.size, state
    M = dynamics.mass_matrix(q)
    if solvable(M):

        def acceleration(x: Any) -> Any:
            return forward_dynamics(robot.model, x[:n], x[n : 2 * n], x[2 * n :], tuple(GRAVITY))

        with gravity(dynamics, GRAVITY):
            found = dynamics.forward_dynamics_derivatives(q, v, tau)
        expected = np.split(gradient(acceleration, np.concatenate([q, v, tau])), 3, axis=1)
        inertia, rates = 100.0 * np.abs(M).max(), coriolis_scale(dynamics, state)
        # M da/dq is a difference of terms of the size of the torque.
        offsets = torque_scale(dynamics, state._replace(a=found[2] @ tau)) + np.abs(tau).max()
        for ours, theirs, scale in zip(found, expected, (offsets, rates, 1.0), strict=True):
            assert_close(M @ ours, M @ theirs, inertia * np.abs(theirs).max() + scale)


def torque_is_linear_in_the_parameters(robot: Robot, dynamics: Any, state: State) -> None:
    """tau = Y pi, of its own bodies and of others, possible or not, which Y does not know."""
    q, v, a, _ = state
    with gravity(dynamics, GRAVITY):
        Y, own = dynamics.regressor(q, v, a), dynamics.model.inertial_parameters()
        scale = (np.abs(Y) @ np.abs(own)).max()
        assert_close(Y @ own, dynamics.inverse_dynamics(q, v, a), scale)
    other = np.random.default_rng(5).uniform(-1.0, 1.0, len(own))
    changed = robot.model.with_inertial_parameters(other, physical=False)
    tau = FloatDynamics(changed, GRAVITY).inverse_dynamics(q, v, a)
    assert_close(tau, Y @ other, np.abs(Y).sum(axis=1).max())


DERIVATIVE_LAWS = (
    derivatives_are_those_of_the_torque,
    derivatives_are_those_of_the_acceleration,
    torque_is_linear_in_the_parameters,
)
