"""Regrouped inertial parameters: other bodies, the same torques."""

from __future__ import annotations

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.examples import MOVING_EXAMPLES
from mechanics.float_dynamics import FloatDynamics
from mechanics.robots import HAND_WRITTEN

from robot_dynamics_ros.core.algorithms import coriolis, crba, derivatives, rnea
from robot_dynamics_ros.core.model.base_parameters import regrouped

ROBOTS = HAND_WRITTEN + [robot for robot in MOVING_EXAMPLES if robot.model.size <= 12]

GRAVITY = (0.3, -0.2, -9.81)


@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_every_torque_is_the_same(robot):
    base_parameters = regrouped(robot.model)
    for q, v, a, _ in robot.states(2):
        # C may be zero throughout, but for rounding.
        inertia = np.abs(crba.mass_matrix(robot.model, q.tolist())).max()
        for algorithm, inputs in (
            (rnea.inverse_dynamics, (q, v, a, GRAVITY)),
            (crba.mass_matrix, (q,)),
            (coriolis.coriolis_matrix, (q, v)),
            (derivatives.inverse_dynamics_derivatives, (q, v, a, GRAVITY)),
        ):
            vectors = [np.asarray(x).tolist() for x in inputs]
            expected = algorithm(robot.model, *vectors)
            assert_close(algorithm(base_parameters, *vectors), expected, inertia)


@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_no_drive_carries_what_it_does_not_feel(robot):
    for joint in regrouped(robot.model).joints:
        second = np.array(joint.inertia.second_moment)
        if joint.kind == 'prismatic':
            assert not second.any()
            continue
        axis = np.array(joint.axis)
        assert joint.inertia.mass == 0.0
        assert abs(axis @ joint.inertia.first_moment) <= 1e-15
        assert abs(axis @ second @ axis) <= 1e-15 * max(1.0, np.abs(second).max())


@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_a_body_can_be_left_whole(robot):
    """Then it has what it had, and what the joints that it carries do not feel."""
    last = len(robot.model.joints) - 1
    kept = regrouped(robot.model, whole=last)
    assert kept.joints[last].inertia == robot.model.joints[last].inertia
    q, v, a, _ = next(robot.states(1))
    expected = FloatDynamics(robot.model).inverse_dynamics(q, v, a)
    assert_close(FloatDynamics(kept).inverse_dynamics(q, v, a), expected)
