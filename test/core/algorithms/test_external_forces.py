"""J^T h: the work that it does, and its sign."""

from __future__ import annotations

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.complex_step import gradient
from mechanics.float_dynamics import FloatDynamics
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import StateError, UnknownNameError
from robot_dynamics_ros.core.algorithms.kinematics import external_torque

WRENCH = np.array([3.0, -4.0, 5.0, 0.7, -0.2, 0.4])


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_a_force_does_the_work_of_the_point_that_it_moves(robot):
    """tau = d(f . p)/dq, mimic joints included."""
    force = WRENCH[:3]
    (state,) = robot.states(1)
    for frame in robot.model.frames:

        def work(q, frame=frame):
            body, placement = frame.body, frame.placement
            while body >= 0:
                joint = robot.model.joints[body]
                placement, body = joint.pose(q) @ placement, joint.parent
            return sum(f * p for f, p in zip(force.tolist(), placement.translation, strict=True))

        wrench = [*force.tolist(), 0.0, 0.0, 0.0]
        tau = external_torque(robot.model, state.q.tolist(), wrench, frame)
        assert_close(tau, gradient(work, state.q), np.abs(force).max())


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_holding_a_weight_is_a_payload(robot):
    """What it holds exerts h = m g on the robot: tau = g(q) - J^T h."""
    mass, gravity = 2.0, np.array([0.0, 0.0, -9.81])
    wrench = [*(mass * gravity).tolist(), 0.0, 0.0, 0.0]
    for frame in robot.model.frames:
        if frame.body < 0:
            continue
        loaded = FloatDynamics(robot.model.with_payload(frame.name, mass))
        (state,) = robot.states(1)
        held = external_torque(robot.model, state.q.tolist(), wrench, frame)
        tau = FloatDynamics(robot.model).gravity_torque(state.q) - np.array(held)
        assert_close(tau, loaded.gravity_torque(state.q), mass)


def test_the_facade_takes_the_name_of_the_link():
    robot = hand_written('tree')
    q = next(robot.states(1)).q
    frame = robot.model.frames[-1]
    expected = robot.native.jacobian(q, frame.name).T @ WRENCH
    assert_close(robot.native.external_torque(q, WRENCH, frame.name), expected)
    with pytest.raises(StateError, match='wrench has 3 values'):
        robot.native.external_torque(q, WRENCH[:3], frame.name)
    with pytest.raises(UnknownNameError, match="unknown frame 'nowhere'"):
        robot.native.external_torque(q, WRENCH, 'nowhere')
