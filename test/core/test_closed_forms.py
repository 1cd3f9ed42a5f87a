"""Robots whose equations of motion stand in textbooks."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.planar_arms import planar_2r, torque_of_2r_with_point_masses
from mechanics.robots import hand_written
from numpy import cos, sin

from robot_dynamics_ros.core import RobotDynamics, parse_urdf

pytestmark = pytest.mark.contract

G = 9.81
UP_IS_Y = (0.0, -G, 0.0)
STATES = np.random.default_rng(0).uniform(-np.pi, np.pi, (20, 3, 2))


def test_pendulum(backend):
    """(I + m l^2) a + m g l sin q = tau, about a horizontal axis through its suspension."""
    dynamics = RobotDynamics(hand_written('pendulum').model, backend=backend)
    m, length, inertia = 1.7, 0.4, 0.2
    for (q, _), (v, _), (a, _) in STATES:
        swing, fall = (inertia + m * length**2) * a, m * G * length * sin(q)
        assert_close(dynamics.inverse_dynamics([q], [v], [a]), [swing + fall], m * G * length)
        assert_close(dynamics.gravity_torque([q]), [fall], m * G * length)
        assert_close(dynamics.mass_matrix([q]), [[inertia + m * length**2]])
        assert_close(dynamics.coriolis_matrix([q], [v]), [[0.0]], scale=inertia)


def test_planar_2r_with_distributed_mass(backend):
    """Lecture notes on Lagrange's formulation (document 000), section 4.3.3."""
    l1, lg1, lg2, m1, m2, i1, i2 = 0.7, 0.3, 0.25, 3.0, 2.0, 0.11, 0.05
    text = planar_2r((l1, 0.5), (lg1, lg2), (m1, m2), (i1, i2))
    dynamics = RobotDynamics(parse_urdf(text), gravity=UP_IS_Y, backend=backend)
    for q, v, _ in STATES:
        k1 = 0.5 * m1 * lg1**2 * v[0] ** 2 + 0.5 * i1 * v[0] ** 2
        k2 = (
            0.5
            * m2
            * (
                l1**2 * v[0] ** 2
                + lg2**2 * (v[0] + v[1]) ** 2
                + 2.0 * l1 * lg2 * cos(q[1]) * (v[0] ** 2 + v[0] * v[1])
            )
            + 0.5 * i2 * (v[0] + v[1]) ** 2
        )
        M = dynamics.mass_matrix(q)
        assert_close(0.5 * v @ M @ v, k1 + k2)

        m12 = m2 * (lg2**2 + l1 * lg2 * cos(q[1])) + i2
        m11 = m1 * lg1**2 + i1 + m2 * l1**2 + m2 * l1 * lg2 * cos(q[1]) + m12
        assert_close(M, [[m11, m12], [m12, m2 * lg2**2 + i2]])
        # b_112 = b_121 = b_122 = -b_211 by the Christoffel symbols of section 4.3.7.
        h = -m2 * l1 * lg2 * sin(q[1])
        C = [[h * v[1], h * (v[0] + v[1])], [-h * v[0], 0.0]]
        assert_close(dynamics.coriolis_matrix(q, v), C, scale=np.abs(M).max() * np.abs(v).max())

        # The gradient of U = m1 g lg1 s1 + m2 g (l1 s1 + lg2 s12).
        g2 = m2 * G * lg2 * cos(q[0] + q[1])
        g1 = (m1 * lg1 + m2 * l1) * G * cos(q[0]) + g2
        assert_close(dynamics.gravity_torque(q), [g1, g2], scale=m1 * G * l1)


def test_planar_2r_with_point_masses(backend):
    lengths, masses = (0.8, 0.6), (2.5, 1.5)
    text = planar_2r(lengths, lengths, masses, (0.0, 0.0))
    dynamics = RobotDynamics(parse_urdf(text), gravity=UP_IS_Y, backend=backend)
    for q, v, a in STATES:
        tau = torque_of_2r_with_point_masses(lengths, masses, G, q, v, a)
        scale = masses[0] * G * lengths[0]
        assert_close(dynamics.inverse_dynamics(q, v, a), tau, scale)


def test_gantry(backend):
    """Sliding joints alone: each accelerates all that it carries, and nothing turns."""
    dynamics = RobotDynamics(hand_written('gantry').model, backend=backend)
    bridge, trolley, hook = 12.0, 5.0, 3.0
    x, y = np.eye(3)[:2]
    slope = np.array([0.2, 0.1, -1.0]) / np.sqrt(1.05)
    slope = np.array([[cos(0.3), 0, sin(0.3)], [0, 1, 0], [-sin(0.3), 0, cos(0.3)]]) @ slope
    axes, carried = np.array([x, y, slope]), [bridge + trolley + hook, trolley + hook, hook]
    M = np.array([[carried[max(i, j)] * axes[i] @ axes[j] for j in range(3)] for i in range(3)])
    for q, v, a in np.random.default_rng(1).uniform(-1.0, 1.0, (5, 3, 3)):
        assert_close(dynamics.mass_matrix(q), M)
        assert_close(dynamics.coriolis_matrix(q, v), np.zeros((3, 3)))
        weight = np.array([0.0, 0.0, G * hook * slope[2]])
        assert_close(dynamics.inverse_dynamics(q, v, a), M @ a + weight)


def test_wheel_turns_about_a_fixed_axis(backend):
    """M is the moment of inertia about the axis, whatever the position."""
    dynamics = RobotDynamics(hand_written('wheel').model, backend=backend)
    moment = 0.05 + 2.5 * (0.05**2 + 0.02**2)
    for q in (0.0, 1.0, -50.0, 1e4):
        assert_close(dynamics.mass_matrix([q]), [[moment]])
    assert_close(dynamics.bias_torque([2.0], [300.0]), dynamics.gravity_torque([2.0]))
