"""The example of inverse kinematics finds poses that are reached."""

import numpy as np
import pytest
from inverse_kinematics import inverse_kinematics
from mechanics.examples import example

from robot_dynamics_ros.core import pose_error

pytestmark = pytest.mark.contract


@pytest.mark.parametrize('robot', ['ur_description/urdf/ur5_robot.urdf',
                                   'xarm_description/urdf/xarm7.urdf'])  # fmt: skip
def test_a_pose_nearby_is_reached(robot):
    dynamics = example(robot).native
    random, frame = np.random.default_rng(3), dynamics.model.frames[-1].name
    for _ in range(20):
        q = random.uniform(-1.0, 1.0, dynamics.model.size).clip(
            dynamics.model.lower + 0.4, dynamics.model.upper - 0.4
        )
        target = dynamics.frame_pose(q + random.uniform(-0.3, 0.3, q.size), frame)
        found = inverse_kinematics(dynamics, frame, target, q)
        assert np.abs(pose_error(dynamics.frame_pose(found, frame), target)).max() < 1e-9


def test_a_pose_out_of_reach_is_refused():
    dynamics = example('ur_description/urdf/ur5_robot.urdf').native
    with pytest.raises(ValueError, match='does not reach'):
        inverse_kinematics(dynamics, 'tool0', (np.eye(3), np.full(3, 5.0)), np.full(6, 0.3))
