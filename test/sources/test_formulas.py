"""Formulas of documents 000, 001, 003 and 004 against the production code, on every robot."""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.examples import MOVING_EXAMPLES
from mechanics.float_dynamics import FloatDynamics
from mechanics.laws import GRAVITY, laws_among
from mechanics.random_trees import COUNT, random_robot
from mechanics.robots import HAND_WRITTEN

from robot_dynamics_ros.core.dual import along, independent, slope_of
from robot_dynamics_ros.textbook import christoffel, kronecker, lagrange, screw_rnea

pytestmark = pytest.mark.contract

FALL, WRENCH = tuple(GRAVITY), (0.3, -0.2, 0.5, 2.0, 1.0, -3.0)
ROBOTS = HAND_WRITTEN + MOVING_EXAMPLES + [random_robot(i) for i in range(0, COUNT, 10)]


@cache
def sample(robot):
    """A robot in motion, with rotors: dM/dq of many joints is slow, so it is computed once."""
    q, v, a = (x.tolist() for x in next(robot.states(1))[:3])
    random = np.random.default_rng(11)
    rotors = {joint.name: float(random.uniform(0.01, 0.5)) for joint in robot.model.joints}
    model = robot.model.with_armature(rotors)
    production, slopes = FloatDynamics(model, GRAVITY), christoffel.mass_matrix_slopes(model, q)
    M, C, speed = production.mass_matrix(q), production.coriolis_matrix(q, v), np.abs(v).max()
    # Entries of C may all be zero; those of M times v are not.
    return SimpleNamespace(
        model=model, q=q, v=v, a=a, production=production, slopes=slopes, M=M, C=C,
        coriolis_scale=np.abs(M).max() * speed, torque_scale=np.abs(M).max() * speed**2,
    )  # fmt: skip


def kinetic_energy_is_a_quadratic_form(s):
    """000, 4.3.2 and 4.3.4: the sum over the links is q_dot^T M q_dot / 2."""
    assert_close(lagrange.kinetic_energy(s.model, s.q, s.v), 0.5 * np.array(s.v) @ s.M @ s.v)


def mass_matrix_is_the_sum_over_link_jacobians(s):
    """000, 4.3.4: M = sum of m Jv^T Jv + Jw^T I Jw is CRBA's."""
    assert_close(lagrange.mass_matrix(s.model, s.q), s.M)


def split_into_centrifugal_and_coriolis(s):
    """000, 4.3.7: C(q) [q_dot^2] + B(q) [q_dot q_dot] is C q_dot."""
    squares, products = christoffel.centrifugal_and_coriolis(s.slopes)
    V = squares @ np.square(s.v) + products @ np.array(christoffel.velocity_products(s.v))
    assert_close(V, s.C @ s.v, s.torque_scale)


def gravity_by_jacobians_is_the_gradient_of_potential_energy(s):
    """000, 4.3.8: G = - sum of Jv^T m g is RNEA's at rest; 001, 38 and 42: dU/dq_i = g_i."""
    expected = s.production.gravity_torque(s.q)
    assert_close(lagrange.gravity_torque(s.model, s.q, FALL), expected)
    energy = lagrange.potential_energy(s.model, independent(s.q), FALL)
    assert_close(slope_of(energy, np.zeros(s.model.size)), expected)


def link_jacobians_are_the_derivatives_of_the_centres_of_mass(s):
    """001, equation 35: columns z x (p_c - p) and z; mimic joints share a column."""
    moving = lagrange.link_states(s.model, along(s.q, s.v))
    for link, dual in zip(lagrange.link_states(s.model, s.q), moving, strict=True):
        columns = (np.array(column) * s.v[index] for index, column in link.linear.items())
        rates = [slope_of(x) for x in dual.center]
        scale = (np.abs(link.center).max() + 1.0) * np.abs(s.v).max()
        assert_close(sum(columns, np.zeros(3)), rates, scale)


def three_forms_of_the_velocity_terms_agree(s):
    """001, 39, 41 and 46: n(q, v), h_ijk and c_ijk give C v; 45: C_ij = sum of c_ijk v_k."""
    expected = s.C @ s.v
    h, c = (
        f(s.slopes) for f in (christoffel.velocity_coefficients, christoffel.christoffel_symbols)
    )
    assert_close(christoffel.velocity_torque(s.slopes, s.v), expected, s.torque_scale)
    assert_close(h @ np.array(s.v) @ s.v, expected, s.torque_scale)
    assert_close(c @ np.array(s.v), s.C, s.coriolis_scale)


def kronecker_form_is_the_production_coriolis_matrix(s):
    """004, 52 to 55, entry by entry; U is M_dot, and M_dot - 2 C = V^T - V."""
    U, V = kronecker.coriolis_factors(s.slopes, s.v)
    assert_close(0.5 * (U + V - V.T), s.C, s.coriolis_scale)
    assert_close(U, christoffel.mass_matrix_rate(s.model, s.q, s.v), s.coriolis_scale)
    assert_close(U - 2.0 * s.C, V.T - V, s.coriolis_scale)
    if s.model.size <= 6:
        for form in (kronecker, christoffel):
            assert_close(form.coriolis_matrix(s.model, s.q, s.v), s.C, s.coriolis_scale)


def screw_rnea_is_the_production_rnea(s):
    """003: forward V_i, V_dot_i, backward F_i, tau_i = F_i^T A_i: arms, trees, mimic joints."""
    tau = screw_rnea.inverse_dynamics(s.model, s.q, s.v, s.a, FALL)
    assert_close(tau, s.production.inverse_dynamics(s.q, s.v, s.a))


def tip_wrench_enters_by_the_transposed_jacobian(s):
    """003: F_(n+1) adds J^T F: its power along any v is that of F along the twist of the tip."""
    bare = screw_rnea.inverse_dynamics(s.model, s.q, s.v, s.a, FALL)
    for tip in (s.model.frames[-1], s.model.frames[0]):
        loaded = screw_rnea.inverse_dynamics(s.model, s.q, s.v, s.a, FALL, tip, WRENCH)
        v = np.random.default_rng(4).uniform(-1.0, 1.0, s.model.size)
        power = WRENCH @ np.roll(s.production.frame_velocity(s.q, v, tip.name, 'LOCAL'), 3)
        scale = np.abs([loaded, bare]).max() * np.abs(v).sum()
        assert_close((loaded - bare) @ v, power, scale)


def power_balance_with_a_wrench_at_a_tip(s):
    """001, 47 to 50: d/dt (T + U) = q_dot^T (tau - J^T h_e)."""
    q, v = along(s.q, s.v), along(s.v, s.a)
    # T at q + eps v, v + eps a: its slope is dT/dt along the motion.
    rate = slope_of(lagrange.kinetic_energy(s.model, q, v))
    rate += slope_of(lagrange.potential_energy(s.model, q, FALL))
    tau = s.production.inverse_dynamics(s.q, s.v, s.a)
    scale = np.abs(s.v) @ (np.abs(tau) + np.abs(s.M) @ np.abs(s.a))
    assert_close(tau @ s.v, rate, scale)
    # What the motors bear in addition flows into the environment.
    tip = s.model.frames[-1]
    loaded = screw_rnea.inverse_dynamics(s.model, s.q, s.v, s.a, FALL, tip, WRENCH)
    outflow = WRENCH @ np.roll(s.production.frame_velocity(s.q, s.v, tip.name, 'LOCAL'), 3)
    assert_close(loaded @ s.v - outflow, rate, scale + np.abs(s.v) @ np.abs(loaded))


@pytest.mark.parametrize('formula', laws_among(globals(), 's'), ids=lambda each: each.__name__)
@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_formula(robot, formula):
    formula(sample(robot))
