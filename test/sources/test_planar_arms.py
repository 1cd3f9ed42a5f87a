"""Planar arms of documents 000 (2R), 002 (3R) and 003 (2R with point masses), by hand."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.planar_arms import LINK, planar, planar_arm
from mechanics.robots import hand_written
from numpy import cos, sin

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.dual import independent
from robot_dynamics_ros.core.scalar import cos as generic_cos
from robot_dynamics_ros.core.scalar import sin as generic_sin
from robot_dynamics_ros.textbook import christoffel, lagrange, screw_rnea

pytestmark = pytest.mark.contract

STATES = np.random.default_rng(2).uniform(-3.0, 3.0, (20, 3))


def test_planar_2r():
    """000, 4.3.3, 4.3.7: energies, M, b_ijk, C(q), B(q), G of the 2R arm, by hand; C and tau."""
    l1, lg1, lg2, m1, m2, i1, i2, g = 0.7, 0.3, 0.25, 3.0, 2.0, 0.11, 0.05, 9.81
    model = parse_urdf(planar((l1, 0.5), (lg1, lg2), (m1, m2), (i1, i2)))
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


def test_2r_arm_with_point_masses():
    """The two torques that the Lagrangian gives, by the screw RNEA; -y being down."""
    L1, L2, m1, m2, g = 0.8, 0.6, 2.5, 1.5, 9.81
    model = parse_urdf(planar((L1, L2), (L1, L2), (m1, m2), (0.0, 0.0)))
    dynamics = RobotDynamics(model, gravity=(0.0, -g, 0.0))
    for q, v, a in np.random.default_rng(3).uniform(-3.0, 3.0, (20, 3, 2)):
        c2, s2, c1, c12 = cos(q[1]), sin(q[1]), cos(q[0]), cos(q[0] + q[1])
        tau1 = (
            (m1 * L1**2 + m2 * (L1**2 + 2.0 * L1 * L2 * c2 + L2**2)) * a[0]
            + m2 * (L1 * L2 * c2 + L2**2) * a[1]
            - m2 * L1 * L2 * s2 * (2.0 * v[0] * v[1] + v[1] ** 2)
            + (m1 + m2) * L1 * g * c1
            + m2 * g * L2 * c12
        )
        tau2 = (
            m2 * (L1 * L2 * c2 + L2**2) * a[0]
            + m2 * L2**2 * a[1]
            + m2 * L1 * L2 * v[0] ** 2 * s2
            + m2 * g * L2 * c12
        )
        expected = [tau1, tau2]
        tau = screw_rnea.inverse_dynamics(model, q, v, a, (0.0, -g, 0.0))
        assert_close(tau, expected, scale=m1 * g * L1)
        assert_close(dynamics.inverse_dynamics(q, v, a), expected, scale=m1 * g * L1)
        # theta_dot^T Gamma theta_dot, the same terms as a quadratic form.
        gamma = christoffel.christoffel_symbols(christoffel.mass_matrix_slopes(model, q))
        h = m2 * L1 * L2 * s2
        expected = [-h * (2.0 * v[0] * v[1] + v[1] ** 2), h * v[0] ** 2]
        assert_close(gamma @ v @ v, expected, scale=m1 * g * L1)


def matrix(columns):
    return np.array([columns[i] for i in range(len(columns))]).T


def test_3r_planar_arm():
    """002, 3.3.1: J from z x (p_3 - p_i) is the derivative of x, y and alpha, printed there.

    And 3.3.2: columns dx/dtheta_i and dy/dtheta_i. p_3 is the centre of mass of link 3.
    """
    model, lengths = parse_urdf(planar_arm(3)), (LINK, LINK, LINK / 2)
    for q in STATES:
        angles = np.cumsum(q)
        y, x = lengths * sin(angles), lengths * cos(angles)
        printed = [
            [-(y[0] + y[1] + y[2]), -(y[1] + y[2]), -y[2]],
            [x[0] + x[1] + x[2], x[1] + x[2], x[2]],
            [1.0, 1.0, 1.0],
        ]
        link = lagrange.link_states(model, q)[2]
        linear, angular = matrix(link.linear), matrix(link.angular)
        assert_close([linear[0], linear[1], angular[2]], printed)
        assert_close([linear[2], angular[0], angular[1]], np.zeros((3, 3)), scale=1.0)
        turned = np.cumsum(independent(q))
        place = [
            sum(r * function(t) for r, t in zip(lengths, turned, strict=True))
            for function in (generic_cos, generic_sin)
        ]
        assert_close(linear[:2], [each.slope for each in place])


def test_columns_of_prismatic_joints():
    """002, 3.3.3: [z; 0], wherever the joint is."""
    model = hand_written('gantry').model
    for q in STATES:
        for link in lagrange.link_states(model, q):
            for index, column in link.linear.items():
                axis = model.joints[index].placement.rotation @ np.array(model.joints[index].axis)
                # Slides turn nothing: every body keeps the attitude of its placement.
                assert_close(column, axis)
                assert link.angular[index] == (0.0, 0.0, 0.0)
