"""Forward dynamics and the inverse mass matrix."""

import numpy as np
import pytest
from mechanics.closeness import TOLERANCE, assert_close
from mechanics.examples import MOVING_EXAMPLES, example
from mechanics.float_kinetics import FloatKinetics
from mechanics.robots import HAND_WRITTEN, SINGULAR, hand_written

from robot_dynamics_ros.core import InertiaError, RobotDynamics
from robot_dynamics_ros.core.algorithms.aba import forward_dynamics
from robot_dynamics_ros.core.algorithms.joint_space import solved_forward_dynamics

ROBOTS = [robot for robot in HAND_WRITTEN + MOVING_EXAMPLES if robot.name not in SINGULAR]


def solvable(dynamics, q):
    """Whether a keeps 7 digits; solving loses as many as the condition number of M has."""
    return np.linalg.cond(dynamics.mass_matrix(q)) * TOLERANCE < 1e-7


@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_inverse_of_forward_dynamics_returns_the_torque(robot):
    dynamics = FloatKinetics(robot.model)
    for q, v, tau, _ in robot.states(2):
        if solvable(dynamics, q):
            a = dynamics.forward_dynamics(q, v, tau)
            scale = np.abs(dynamics.mass_matrix(q)).max() * np.abs(a).max()
            assert_close(dynamics.inverse_dynamics(q, v, a), tau, 10.0 * scale)


@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_articulated_bodies_accelerate_as_the_mass_matrix_says(robot):
    dynamics, gravity = FloatKinetics(robot.model), (1.0, -2.0, -9.0)
    for q, v, tau, _ in robot.states(2):
        if solvable(dynamics, q):
            M = dynamics.mass_matrix(q)
            a = np.array(forward_dynamics(robot.model, q, v, tau, gravity))
            solved = np.array(solved_forward_dynamics(robot.model, q, v, tau, gravity))
            assert_close(M @ a, M @ solved, 10.0 * np.abs(M).max() * np.abs(a).max())


@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_mass_matrix_times_its_inverse_is_one(robot):
    dynamics = FloatKinetics(robot.model)
    for q, *_ in robot.states(2):
        if solvable(dynamics, q):
            M, inverse = dynamics.mass_matrix(q), dynamics.mass_matrix_inverse(q)
            assert np.array_equal(inverse, inverse.T)
            scale = np.abs(M).max() * np.abs(inverse).max()
            assert_close(M @ inverse, np.eye(len(q)), scale)


@pytest.mark.parametrize('name', ['pendulum', 'mimic', 'tree', 'gantry', 'oblique', 'wheel'])
def test_programs_compute_what_the_algorithms_do(name):
    robot = hand_written(name)
    reference = FloatKinetics(robot.model)
    for q, v, tau, _ in robot.states(3):
        for dynamics in (robot.native, robot.python):
            a = dynamics.forward_dynamics(q, v, tau)
            assert_close(dynamics.inverse_dynamics(q, v, a), tau, 10.0 * np.abs(a).max())
            inverse = reference.mass_matrix_inverse(q)
            assert_close(dynamics.mass_matrix_inverse(q), inverse, 10.0 * np.abs(inverse).max())


@pytest.mark.parametrize('backend', ['native', 'python'])
def test_a_joint_that_moves_nothing_has_no_forward_dynamics(backend):
    robot = hand_written('massless_tip')
    dynamics, zero = RobotDynamics(robot.model, backend=backend), np.zeros(robot.model.size)
    with pytest.raises(InertiaError, match="joint 'needle' moves no mass"):
        dynamics.forward_dynamics(zero, zero, zero)
    with pytest.raises(InertiaError, match="joint 'needle' moves no mass"):
        dynamics.mass_matrix_inverse(zero)
    assert np.isfinite(dynamics.inverse_dynamics(zero, zero, zero)).all()


def test_gravity_can_change_after_compilation():
    dynamics = RobotDynamics(example('ur_description/urdf/ur5_robot.urdf').model)
    q, zero = np.linspace(0.1, 1.0, 6), np.zeros(6)
    falling = dynamics.forward_dynamics(q, zero, zero)
    dynamics.gravity = (0.0, 0.0, 0.0)
    assert_close(dynamics.forward_dynamics(q, zero, zero), zero)
    assert np.abs(falling).max() > 1.0
