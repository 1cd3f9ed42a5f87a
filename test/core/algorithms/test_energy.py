"""Energies, their balance, and momentum."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.complex_step import derivative, gradient
from mechanics.examples import MOVING_EXAMPLES
from mechanics.float_kinetics import FloatKinetics
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core.algorithms import energy
from robot_dynamics_ros.core.algorithms.kinematics import frame_pose

GRAVITY = (1.5, -2.5, -9.0)
ROBOTS = HAND_WRITTEN + [robot for robot in MOVING_EXAMPLES if robot.model.size <= 12]


@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_kinetic_energy_is_that_of_the_mass_matrix(robot):
    dynamics = FloatKinetics(robot.model)
    for q, v, _, _ in robot.states(2):
        M = dynamics.mass_matrix(q)
        scale = np.abs(v) @ np.abs(M) @ np.abs(v)
        assert_close(dynamics.kinetic_energy(q, v), 0.5 * v @ M @ v, scale)


@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_gravity_torque_is_the_gradient_of_the_potential_energy(robot):
    dynamics = FloatKinetics(robot.model, GRAVITY)
    for q, *_ in robot.states(2):
        slope = gradient(lambda x: [energy.potential_energy(robot.model, x, GRAVITY)], q)[0]
        g = dynamics.gravity_torque(q)
        mass = sum(joint.inertia.mass for joint in robot.model.joints)
        assert_close(g, slope, scale=mass * np.linalg.norm(GRAVITY))


@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_power_of_the_torques_is_the_rate_of_energy(robot):
    dynamics, n = FloatKinetics(robot.model, GRAVITY), robot.model.size

    def total(x):
        q, v = x[:n], x[n:]
        kinetic = energy.kinetic_energy(robot.model, q, v)
        return [kinetic + energy.potential_energy(robot.model, q, GRAVITY)]

    for q, v, a, _ in robot.states(2):
        (rate,) = derivative(total, np.concatenate([q, v]), np.concatenate([v, a]))
        tau, g = dynamics.inverse_dynamics(q, v, a), dynamics.gravity_torque(q)
        M = np.abs(dynamics.mass_matrix(q))
        scale = np.abs(v) @ (np.abs(tau) + np.abs(g) + M @ np.abs(a) + M @ np.abs(v))
        assert_close(v @ tau, rate, scale)


@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_momentum_is_the_sum_over_bodies(robot):
    """m c_dot, and c x m c_dot + I_c omega, from the rates of the poses."""
    model, carried = robot.model, {}
    for frame in model.frames:
        # The link that the joint leads to comes first.
        carried.setdefault(frame.body, frame)
    dynamics = FloatKinetics(model)
    for q, v, _, _ in robot.states(2):
        linear, angular = np.zeros(3), np.zeros(3)
        for index, joint in enumerate(model.joints):
            frame, body = carried[index], joint.inertia
            pose = np.array(frame_pose(model, q, frame))
            rate = derivative(lambda x, f=frame: frame_pose(model, x, f), q, v)
            R, center = pose[:, :3], np.array([*body.center_of_mass, 1.0])
            turning = rate[:, :3] @ R.T
            omega = np.array([turning[2, 1], turning[0, 2], turning[1, 0]])
            momentum = body.mass * (rate @ center)
            inertia = R @ np.array(body.rotational_at_center_of_mass) @ R.T
            linear += momentum
            angular += np.cross(pose @ center, momentum) + inertia @ omega
        scale = sum(joint.inertia.mass for joint in model.joints) * np.abs(v).sum()
        assert_close(dynamics.momentum(q, v), [*linear, *angular], scale)


@pytest.mark.parametrize('backend', ['native', 'python'])
def test_programs_compute_what_the_algorithms_do(backend):
    for name in ('pendulum', 'mimic', 'gantry'):
        robot = hand_written(name)
        dynamics, reference = getattr(robot, backend), FloatKinetics(robot.model)
        q, v, _, _ = next(robot.states(1))
        assert isinstance(dynamics.kinetic_energy(q, v), float)
        assert_close(dynamics.kinetic_energy(q, v), reference.kinetic_energy(q, v))
        assert_close(dynamics.potential_energy(q), reference.potential_energy(q))
        assert_close(dynamics.momentum(q, v), reference.momentum(q, v))
