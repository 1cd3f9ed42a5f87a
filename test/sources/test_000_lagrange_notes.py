"""Document 000, "Lagrange equations", section 4.3: each formula against the production code."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.lagrangian import on_every_robot, sample
from mechanics.laws import GRAVITY
from mechanics.planar_arms import planar_2r
from numpy import cos, sin

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.textbook import christoffel, lagrange

pytestmark = pytest.mark.contract


@on_every_robot
def test_kinetic_energy_is_a_quadratic_form(robot):
    """4.3.2 and 4.3.4: the sum over the links is q_dot^T M q_dot / 2."""
    s = sample(robot)
    quadratic = 0.5 * np.array(s.v) @ s.M @ s.v
    assert_close(lagrange.kinetic_energy(s.model, s.q, s.v), quadratic)


@on_every_robot
def test_mass_matrix_is_the_sum_over_link_jacobians(robot):
    """4.3.4: M = sum of m Jv^T Jv + Jw^T I Jw is CRBA's."""
    s = sample(robot)
    assert_close(lagrange.mass_matrix(s.model, s.q), s.M)


@on_every_robot
def test_split_into_centrifugal_and_coriolis(robot):
    """4.3.7: C(q) [q_dot^2] + B(q) [q_dot q_dot] is C q_dot."""
    s = sample(robot)
    squares, products = christoffel.centrifugal_and_coriolis(s.slopes)
    V = squares @ np.square(s.v) + products @ np.array(christoffel.velocity_products(s.v))
    assert_close(V, s.C @ s.v, s.torque_scale)


@on_every_robot
def test_gravity_by_jacobians(robot):
    """4.3.8: G = - sum of Jv^T m g is RNEA's at rest."""
    s = sample(robot)
    torque = lagrange.gravity_torque(s.model, s.q, tuple(GRAVITY))
    assert_close(torque, s.production.gravity_torque(s.q))


def test_planar_2r():
    """4.3.3 and 4.3.7: energies, M, b_ijk, C(q), B(q) and G of the 2R arm, by hand; C and tau."""
    l1, lg1, lg2, m1, m2, i1, i2, g = 0.7, 0.3, 0.25, 3.0, 2.0, 0.11, 0.05, 9.81
    model = parse_urdf(planar_2r((l1, 0.5), (lg1, lg2), (m1, m2), (i1, i2)))
    dynamics = RobotDynamics(model, gravity=(0.0, -g, 0.0))
    for q, v in np.random.default_rng(0).uniform(-3.0, 3.0, (20, 2, 2)):
        c1, s1, c2, s2 = cos(q[0]), sin(q[0]), cos(q[1]), sin(q[1])
        c12, s12 = cos(q[0] + q[1]), sin(q[0] + q[1])
        K1 = 0.5 * m1 * lg1**2 * v[0] ** 2 + 0.5 * i1 * v[0] ** 2
        square = l1**2 * v[0] ** 2 + lg2**2 * (v[0] + v[1]) ** 2
        square += 2.0 * l1 * lg2 * c2 * (v[0] ** 2 + v[0] * v[1])
        K2 = 0.5 * m2 * square + 0.5 * i2 * (v[0] + v[1]) ** 2
        U = m1 * g * lg1 * s1 + m2 * g * (l1 * s1 + lg2 * s12)
        assert_close(lagrange.kinetic_energy(model, q, v), K1 + K2)
        energy = lagrange.potential_energy(model, q, (0.0, -g, 0.0))
        assert_close(energy, U, scale=m1 * g * l1)

        m12 = m2 * (lg2**2 + l1 * lg2 * c2) + i2
        m11 = m1 * lg1**2 + i1 + m2 * l1**2 + m2 * l1 * lg2 * c2 + m12
        M = [[m11, m12], [m12, m2 * lg2**2 + i2]]
        assert_close(lagrange.mass_matrix(model, q), M)

        slopes = christoffel.mass_matrix_slopes(model, q)
        h = -m2 * l1 * lg2 * s2
        b = [[[0.0, h], [h, h]], [[-h, 0.0], [0.0, 0.0]]]
        assert_close(christoffel.christoffel_symbols(slopes), b, scale=m11)
        squares, products = christoffel.centrifugal_and_coriolis(slopes)
        assert_close(squares, [[0.0, h], [-h, 0.0]], scale=m11)
        assert_close(products, [[2.0 * h], [0.0]], scale=m11)

        G2 = m2 * g * lg2 * c12
        G = [m1 * g * lg1 * c1 + m2 * g * l1 * c1 + G2, G2]
        assert_close(lagrange.gravity_torque(model, q, (0.0, -g, 0.0)), G, scale=m1 * g * l1)

        C = np.array([[h * v[1], h * (v[0] + v[1])], [-h * v[0], 0.0]])
        assert_close(dynamics.mass_matrix(q), M)
        assert_close(dynamics.coriolis_matrix(q, v), C, scale=m11 * np.abs(v).max())
        tau = M @ v + C @ v + G
        assert_close(dynamics.inverse_dynamics(q, v, v), tau, scale=10.0 * np.abs(tau).max())
