"""The MJCF of a URDF: MuJoCo's inverse dynamics is that of the robot with damping and rotors."""

import numpy as np
import pytest
from mechanics.robots import hand_written

mujoco = pytest.importorskip('mujoco')

from robot_dynamics_ros.core import RobotDynamics, UrdfError
from robot_dynamics_ros.mjcf import mjcf_of


@pytest.mark.parametrize('name', ['tree', 'gantry', 'pendulum'])
def test_torques_at_speed_are_those_of_the_urdf_and_the_linear_part_of_friction(name):
    robot = hand_written(name)
    model = robot.model
    armature = {joint: 0.1 + 0.1 * i for i, joint in enumerate(model.joint_names)}
    compiled = mujoco.MjModel.from_xml_string(mjcf_of(robot.text, armature))
    joints = {compiled.joint(i).name: compiled.joint(i) for i in range(compiled.njnt)}
    assert [joints[joint.name].frictionloss[0] for joint in model.independent_joints] == [
        joint.friction for joint in model.independent_joints
    ]
    compiled.dof_frictionloss[:] = 0.0
    compiled.jnt_limited[:] = 0
    dynamics = RobotDynamics(model.with_armature(armature))
    damping = np.array([joint.damping for joint in model.independent_joints])
    places = [joints[joint].dofadr[0] for joint in model.joint_names]
    for q, v, a in np.random.default_rng(2).uniform(-1.0, 1.0, (5, 3, model.size)):
        data = mujoco.MjData(compiled)
        data.qpos[places], data.qvel[places], data.qacc[places] = q, v, a
        mujoco.mj_inverse(compiled, data)
        expected = dynamics.inverse_dynamics(q, v, a) + damping * v
        # MuJoCo writes six digits.
        np.testing.assert_allclose(data.qfrc_inverse[places], expected, rtol=1e-5, atol=1e-5)


def test_what_does_not_move_is_refused():
    with pytest.raises(UrdfError, match='no moving joint'):
        mjcf_of('<robot name="r"><link name="base"/></robot>', {})
