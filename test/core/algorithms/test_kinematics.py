"""Frames through the facade: out, bind, and names that do not exist."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.examples import example
from mechanics.float_dynamics import FloatDynamics

from robot_dynamics_ros.core import ParameterError, UnknownNameError
from robot_dynamics_ros.core.algorithms.kinematics import AXES


def test_programs_compute_what_the_algorithms_do():
    robot = example('ur_description/urdf/ur5_robot.urdf')
    reference = FloatDynamics(robot.model)
    q, v, _, _ = next(robot.states(1))
    for dynamics in (robot.native, robot.python):
        for ours, theirs in zip(
            dynamics.frame_pose(q, 'tool0'), reference.frame_pose(q, 'tool0'), strict=True
        ):
            assert_close(ours, theirs)
        out = np.empty((6, 6))
        for kind in AXES:
            J = reference.jacobian(q, 'tool0', kind)
            assert_close(dynamics.jacobian(q, 'tool0', kind), J)
            assert dynamics.jacobian(q, 'tool0', kind, out=out) is out
            J_dot = dynamics.jacobian_derivative(q, v, 'tool0', kind)
            assert_close(J_dot, reference.jacobian_derivative(q, v, 'tool0', kind))
            out[:] = 0.0
            dynamics.bind('jacobian', q, out=out, frame='tool0', axes=kind)()
            assert_close(out, J)


def test_frames_and_references_that_do_not_exist_are_named():
    dynamics = example('ur_description/urdf/ur5_robot.urdf').native
    with pytest.raises(UnknownNameError, match=r"'hand'.*world"):
        dynamics.jacobian(np.zeros(6), 'hand')
    with pytest.raises(ParameterError, match="'local', allowed are LOCAL, WORLD, LOCAL_WORLD"):
        dynamics.jacobian(np.zeros(6), 'tool0', 'local')
    with pytest.raises(ParameterError, match='jacobian needs a frame'):
        dynamics.bind('jacobian', np.zeros(6), out=np.zeros((6, 6)))
