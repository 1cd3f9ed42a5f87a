"""Robots whose equations of motion stand in textbooks."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.robots import hand_written
from numpy import cos, sin

from robot_dynamics_ros.core import RobotDynamics

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
