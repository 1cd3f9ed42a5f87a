"""Base parameters: what they say of a robot, and that nothing else acts on its torques."""

import numpy as np
import pytest
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.identification.base_parameters import base_parameters


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_torques_are_those_of_the_base_parameters(robot):
    dynamics = RobotDynamics(robot.model, gravity=(0.3, -1.2, -9.6))
    found = base_parameters(dynamics, rotors=False)
    q, v, a = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 60, robot.model.size))
    rows = dynamics.regressor(q, v, a).reshape(60 * robot.model.size, -1)
    expected = rows @ robot.model.inertial_parameters()
    beta = found.combination @ robot.model.inertial_parameters()
    scale = np.abs(expected).max() + 1.0
    np.testing.assert_allclose(rows[:, found.columns] @ beta, expected, atol=1e-6 * scale)
    kept = rows[:, found.columns]
    assert np.linalg.matrix_rank(kept / np.linalg.norm(kept, axis=0)) == len(found.columns)
    assert len(found.sentences) == len(found.columns)


def test_a_pendulum_has_its_gravity_and_its_inertia():
    """Gravity along an axis that the joint does not turn about."""
    found = base_parameters(RobotDynamics(hand_written('pendulum').model), rotors=True)
    assert len(found.columns) == 3
    assert sum('armature' in one for one in found.sentences) == 1
