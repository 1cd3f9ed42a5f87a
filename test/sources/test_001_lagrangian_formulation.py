"""Document 001, "Dynamics (Lagrangian formulation)": each formula against the production code."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.lagrangian import on_every_robot, sample
from mechanics.laws import GRAVITY

from robot_dynamics_ros.core.dual import along, independent, slope_of
from robot_dynamics_ros.textbook import christoffel, lagrange, screw_rnea

pytestmark = pytest.mark.contract


@on_every_robot
def test_link_jacobians_are_the_derivatives_of_the_centres_of_mass(robot):
    """Equation 35: columns z x (p_c - p) and z; mimic joints share a column."""
    s = sample(robot)
    moving = lagrange.link_states(s.model, along(s.q, s.v))
    for link, dual in zip(lagrange.link_states(s.model, s.q), moving, strict=True):
        velocity = sum(
            (np.array(column) * s.v[index] for index, column in link.linear.items()), np.zeros(3)
        )
        reach = np.abs(link.center).max() + 1.0
        rates = [slope_of(x) for x in dual.center]
        assert_close(velocity, rates, scale=reach * np.abs(s.v).max())


@on_every_robot
def test_gravity_torque_is_the_gradient_of_potential_energy(robot):
    """Equations 38 and 42: dU/dq_i = g_i."""
    s = sample(robot)
    energy = lagrange.potential_energy(s.model, independent(s.q), tuple(GRAVITY))
    gradient = slope_of(energy, np.zeros(s.model.size))
    assert_close(gradient, s.production.gravity_torque(s.q))


@on_every_robot
def test_three_forms_of_the_velocity_terms_agree(robot):
    """Equations 39, 41 and 46: n(q, v), h_ijk and c_ijk give C v; 45: C_ij = sum of c_ijk v_k."""
    s = sample(robot)
    expected = s.C @ s.v
    h = christoffel.velocity_coefficients(s.slopes)
    c = christoffel.christoffel_symbols(s.slopes)
    assert_close(christoffel.velocity_torque(s.slopes, s.v), expected, s.torque_scale)
    assert_close(h @ np.array(s.v) @ s.v, expected, s.torque_scale)
    assert_close(c @ np.array(s.v), s.C, s.coriolis_scale)


@on_every_robot
def test_power_balance_with_a_wrench_at_a_tip(robot):
    """Equations 47 to 50: d/dt (T + U) = q_dot^T (tau - J^T h_e)."""
    s = sample(robot)
    q, v = along(s.q, s.v), along(s.v, s.a)
    # T at q + eps v, v + eps a: its slope is dT/dt along the motion.
    rate = slope_of(lagrange.kinetic_energy(s.model, q, v))
    rate += slope_of(lagrange.potential_energy(s.model, q, tuple(GRAVITY)))
    tau = s.production.inverse_dynamics(s.q, s.v, s.a)
    scale = np.abs(s.v) @ (np.abs(tau) + np.abs(s.M) @ np.abs(s.a))
    assert_close(tau @ s.v, rate, scale)

    # What the motors bear in addition flows into the environment.
    tip, h_e = s.model.frames[-1], (0.3, -0.2, 0.5, 2.0, 1.0, -3.0)
    loaded = screw_rnea.inverse_dynamics(s.model, s.q, s.v, s.a, tuple(GRAVITY), tip, h_e)
    twist = s.production.frame_velocity(s.q, s.v, tip.name, 'LOCAL')
    outflow = h_e @ np.roll(twist, 3)
    assert_close(loaded @ s.v - outflow, rate, scale + np.abs(s.v) @ np.abs(loaded))
