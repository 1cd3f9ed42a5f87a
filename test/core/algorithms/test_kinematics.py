"""Jacobians against the exact derivative of the pose."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.complex_step import derivative
from mechanics.examples import MOVING_EXAMPLES, example
from mechanics.float_kinetics import FloatKinetics
from mechanics.robots import HAND_WRITTEN

from robot_dynamics_ros.core import ParameterError, UnknownNameError
from robot_dynamics_ros.core.algorithms.kinematics import REFERENCES, frame_pose, jacobian

ROBOTS = HAND_WRITTEN + [robot for robot in MOVING_EXAMPLES if robot.model.size <= 8]


def frames(robot):
    """The base, the last link, and one between."""
    found = robot.model.frames
    return [found[0], found[len(found) // 2], found[-1]]


@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_jacobian_gives_the_rate_of_the_pose(robot):
    for (q, v, _, _), frame in zip(robot.states(3), frames(robot), strict=True):
        pose = np.array(frame_pose(robot.model, q, frame))
        rate = derivative(lambda x, f=frame: frame_pose(robot.model, x, f), q, v)
        R, p = pose[:, :3], pose[:, 3]
        turning = rate[:, :3] @ R.T
        omega = np.array([turning[2, 1], turning[0, 2], turning[1, 0]])
        scale = np.abs(v).sum()
        assert_close(turning, -turning.T, scale)
        twists = {
            'LOCAL': [*R.T @ rate[:, 3], *R.T @ omega],
            'WORLD': [*rate[:, 3] - np.cross(omega, p), *omega],
            'LOCAL_WORLD_ALIGNED': [*rate[:, 3], *omega],
        }
        dynamics = FloatKinetics(robot.model)
        for reference, twist in twists.items():
            assert_close(dynamics.jacobian(q, frame.name, reference) @ v, twist, scale)


@pytest.mark.parametrize('reference', REFERENCES)
@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_jacobian_derivative_is_the_derivative_of_the_jacobian(robot, reference):
    for (q, v, _, _), frame in zip(robot.states(3), frames(robot), strict=True):
        rate = derivative(lambda x, f=frame: jacobian(robot.model, x, f, reference), q, v)
        J_dot = FloatKinetics(robot.model).jacobian_derivative(q, v, frame.name, reference)
        assert_close(J_dot, rate, scale=np.abs(v).sum())


@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_pose_is_rigid(robot):
    for (q, *_), frame in zip(robot.states(3), frames(robot), strict=True):
        R, _ = FloatKinetics(robot.model).frame_pose(q, frame.name)
        assert_close(R @ R.T, np.eye(3))
        assert_close(np.linalg.det(R), 1.0)


def test_programs_compute_what_the_algorithms_do():
    robot = example('ur_description/urdf/ur5_robot.urdf')
    reference = FloatKinetics(robot.model)
    q, v, _, _ = next(robot.states(1))
    for dynamics in (robot.native, robot.python):
        for ours, theirs in zip(
            dynamics.frame_pose(q, 'tool0'), reference.frame_pose(q, 'tool0'), strict=True
        ):
            assert_close(ours, theirs)
        out = np.empty((6, 6))
        for kind in REFERENCES:
            J = reference.jacobian(q, 'tool0', kind)
            assert_close(dynamics.jacobian(q, 'tool0', kind), J)
            assert dynamics.jacobian(q, 'tool0', kind, out=out) is out
            J_dot = dynamics.jacobian_derivative(q, v, 'tool0', kind)
            assert_close(J_dot, reference.jacobian_derivative(q, v, 'tool0', kind))
            out[:] = 0.0
            dynamics.bind('jacobian', q, out=out, frame='tool0', reference=kind)()
            assert_close(out, J)


def test_frames_and_references_that_do_not_exist_are_named():
    dynamics = example('ur_description/urdf/ur5_robot.urdf').native
    with pytest.raises(UnknownNameError, match="unknown frame 'hand': known are world"):
        dynamics.jacobian(np.zeros(6), 'hand')
    with pytest.raises(ParameterError, match="'local', allowed are LOCAL, WORLD, LOCAL_WORLD"):
        dynamics.jacobian(np.zeros(6), 'tool0', 'local')
    with pytest.raises(ParameterError, match='jacobian is that of a frame: name one'):
        dynamics.bind('jacobian', np.zeros(6), out=np.zeros((6, 6)))
