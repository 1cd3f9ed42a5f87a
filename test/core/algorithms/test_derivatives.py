"""Derivatives of inverse dynamics against the complex step."""

import numpy as np
import pytest
from mechanics.closeness import assert_close, coriolis_scale
from mechanics.complex_step import gradient
from mechanics.examples import MOVING_EXAMPLES, example
from mechanics.float_kinetics import FloatKinetics
from mechanics.robots import HAND_WRITTEN

from robot_dynamics_ros.core.algorithms.rnea import inverse_dynamics

GRAVITY = (1.5, -2.5, -9.0)
ROBOTS = HAND_WRITTEN + [robot for robot in MOVING_EXAMPLES if robot.model.size <= 12]


@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_derivatives_are_those_of_the_torque(robot):
    dynamics, n = FloatKinetics(robot.model, GRAVITY), robot.model.size

    def torque(x):
        return inverse_dynamics(robot.model, x[:n], x[n : 2 * n], x[2 * n :], GRAVITY)

    for state in robot.states(2):
        q, v, a, _ = state
        in_q, in_v, in_a = dynamics.inverse_dynamics_derivatives(q, v, a)
        expected = np.split(gradient(torque, np.concatenate([q, v, a])), 3, axis=1)
        rates = coriolis_scale(dynamics, state)
        assert_close(in_q, expected[0], np.abs(torque([*q, *v, *a])).max() + rates)
        assert_close(in_v, expected[1], rates)
        assert_close(in_a, expected[2])
        assert_close(in_a, dynamics.mass_matrix(q))
        assert_close(in_v, 2.0 * dynamics.coriolis_matrix(q, v), rates)


@pytest.mark.parametrize('backend', ['native', 'python'])
def test_programs_compute_what_the_algorithm_does(backend):
    robot = example('ur_description/urdf/ur5_robot.urdf')
    dynamics, reference = getattr(robot, backend), FloatKinetics(robot.model)
    q, v, a, _ = next(robot.states(1))
    expected = reference.inverse_dynamics_derivatives(q, v, a)
    assert_close(dynamics.inverse_dynamics_derivatives(q, v, a), expected)
    out = np.empty((3, 6, 6))
    dynamics.bind('inverse_dynamics_derivatives', q, v, a, out=out)()
    assert_close(out, expected)
