"""The torque as a linear map of the inertial parameters."""

from dataclasses import replace

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.examples import MOVING_EXAMPLES, example
from mechanics.float_kinetics import FloatKinetics
from mechanics.robots import HAND_WRITTEN

from robot_dynamics_ros.core.inertia import Inertia
from robot_dynamics_ros.core.spatial import symmetric

ROBOTS = HAND_WRITTEN + [robot for robot in MOVING_EXAMPLES if robot.model.size <= 12]


def with_parameters(model, pi):
    """The same joints, with bodies of these parameters, possible or not."""
    joints = []
    for joint, (m, x, y, z, xx, xy, yy, xz, yz, zz) in zip(
        model.joints, pi.reshape(-1, 10).tolist(), strict=True
    ):
        half = 0.5 * (xx + yy + zz)
        second = symmetric(half - xx, -xy, -xz, half - yy, -yz, half - zz)
        joints.append(replace(joint, inertia=Inertia(m, (x, y, z), second)))
    return replace(model, joints=tuple(joints))


@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_torque_is_the_regressor_times_the_parameters(robot):
    dynamics = FloatKinetics(robot.model, (1.5, -2.5, -9.0))
    for q, v, a, _ in robot.states(2):
        Y, pi = dynamics.regressor(q, v, a), dynamics.inertial_parameters()
        scale = (np.abs(Y) @ np.abs(pi)).max()
        assert_close(Y @ pi, dynamics.inverse_dynamics(q, v, a), scale)


@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_torque_is_linear_in_the_parameters(robot):
    """tau(pi) of other bodies, and of a sum of them, with the same regressor."""
    random = np.random.default_rng(5)
    q, v, a, _ = next(robot.states(1))
    Y = FloatKinetics(robot.model).regressor(q, v, a)

    def torque(pi):
        return FloatKinetics(with_parameters(robot.model, pi)).inverse_dynamics(q, v, a)

    first, second = random.uniform(-1.0, 1.0, (2, Y.shape[1]))
    scale = np.abs(Y).sum(axis=1).max()
    assert_close(torque(first), Y @ first, scale)
    assert_close(torque(first - 3.0 * second), torque(first) - 3.0 * torque(second), 4.0 * scale)


@pytest.mark.parametrize('backend', ['native', 'python'])
def test_programs_compute_what_the_algorithm_does(backend):
    robot = example('ur_description/urdf/ur5_robot.urdf')
    dynamics, reference = getattr(robot, backend), FloatKinetics(robot.model)
    q, v, a, _ = next(robot.states(1))
    assert_close(dynamics.regressor(q, v, a), reference.regressor(q, v, a))
    assert_close(dynamics.inertial_parameters(), reference.inertial_parameters())
