"""M v and C^T v on every robot, with rotors, and as the gradient of the kinetic energy."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.examples import MOVING_EXAMPLES
from mechanics.float_dynamics import FloatDynamics
from mechanics.kinetics_laws import momentum_terms_are_those_of_the_matrices
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core.algorithms.crba import mass_matrix
from robot_dynamics_ros.core.algorithms.observer import momentum_terms
from robot_dynamics_ros.core.dual import independent, slope_of


@pytest.mark.parametrize('robot', HAND_WRITTEN + MOVING_EXAMPLES, ids=str)
def test_the_matrices_of_each_robot_with_rotors(robot):
    random = np.random.default_rng(3)
    armature = {joint.name: random.uniform(0.01, 0.5) for joint in robot.model.joints}
    dynamics = FloatDynamics(robot.model.with_armature(armature))
    for state in robot.states(2):
        momentum_terms_are_those_of_the_matrices(robot, dynamics, state)


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_the_second_is_the_gradient_of_the_kinetic_energy(robot):
    """v^T dM/dq v / 2, with dM/dq by dual numbers."""
    for q, v, _, _ in robot.states(2):
        M = mass_matrix(robot.model, independent(q))
        zero = np.zeros(len(q))
        slopes = np.array([[slope_of(entry, zero) for entry in row] for row in M])
        _, c = momentum_terms(robot.model, q.tolist(), v.tolist())
        expected = 0.5 * np.einsum('i,ijk,j->k', v, slopes, v)
        assert_close(c, expected, np.abs(slopes).max() * np.abs(v).max() ** 2)


@pytest.mark.parametrize('name', ['pendulum', 'wheel'])
def test_one_joint_does_not_turn_its_own_momentum(name):
    robot = hand_written(name)
    assert robot.model.size == 1
    for q, v, _, _ in robot.states(3):
        assert momentum_terms(robot.model, q.tolist(), v.tolist())[1] == [0.0]
