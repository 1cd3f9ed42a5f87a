"""Exported C of six robots: every quantity, compared with Pinocchio."""

import numpy as np
import pytest
from exported_library import ExportedDynamics, compile_as_cpp, needs_compilers
from mechanics.examples import EXAMPLES, example, needs_examples

from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.core.quantity import QUANTITIES

pinocchio = pytest.importorskip('pinocchio', reason='Pinocchio is not installed')

from mechanics.pinocchio_kinetics import PinocchioKinetics

from robot_dynamics_ros.oracle.pinocchio_reference import VANISHING

pytestmark = [pytest.mark.contract, needs_compilers, needs_examples]

# Of the largest entry.
TOLERANCE = 1e-12
AXES = 'LOCAL_WORLD_ALIGNED'
STATES = 20
# Quantities that are compared in parts.
NAMED = {'dtau/dq': 'inverse_dynamics_derivatives', 'M da/dq': 'forward_dynamics_derivatives'}
# Arms and legs, with sliding and turning joints, one tree with branches, and one of two joints.
ROBOTS = {
    'double_pendulum_description/urdf/double_pendulum.urdf': 'link2',
    'so_arm_description/urdf/so101.urdf': None,
    'ur_description/urdf/ur5_robot.urdf': 'tool0',
    'xarm_description/urdf/xarm7.urdf': None,
    'panda_description/urdf/panda.urdf': None,
    'solo_description/robots/solo.urdf': None,
}


class OneFrame(PinocchioKinetics):
    """Every quantity that can be exported, at one frame."""

    def __init__(self, text, model, frame):
        super().__init__(text, model)
        self.frame = frame
        self.random = np.random.default_rng(0)

    def _pairs(self, dynamics, state):
        pairs = super()._pairs(dynamics, state)
        q = state.q
        M = pairs['mass_matrix'][1]
        pairs['mass_matrix_inverse'] = (
            dynamics.mass_matrix_inverse(q) @ M, np.eye(len(M)), np.linalg.cond(M)
        )  # fmt: skip
        wrench = self.random.uniform(-1.0, 1.0, 6)
        J = self.jacobian(q, self.frame, AXES)
        pairs['external_torque'] = dynamics.external_torque(q, wrench), J.T @ wrench, VANISHING
        v, v_r, a_r = self.random.uniform(-1.0, 1.0, (3, len(q)))
        expected = M @ a_r + self.coriolis_matrix(q, v) @ v_r + self.gravity_torque(q)
        tau = dynamics.passivity_torque(q, v, v_r, a_r)
        pairs['passivity_torque'] = tau, expected, pairs['inverse_dynamics'][2]
        return pairs

    def _frame_pairs(self, dynamics, q, v, frame):
        ours, theirs = dynamics.frame_pose(q, self.frame), self.frame_pose(q, self.frame)
        J = self.jacobian(q, self.frame, AXES)
        J_dot = self.jacobian_derivative(q, v, self.frame, AXES)
        a, rate = self.random.uniform(-1.0, 1.0, len(q)), float(np.abs(v).max())
        names = [frame.name for frame in dynamics.model.frames]
        return {
            'frame_velocity': (dynamics.frame_velocity(q, v), J @ v, rate),
            'frame_acceleration': (
                dynamics.frame_acceleration(q, v, a),
                J @ a + J_dot @ v,
                1.0 + rate**2,
            ),
            'frame_poses': (dynamics.frame_poses(q), self.frame_poses(q, names), 1.0),
            'frame_pose': (*(np.column_stack(pose) for pose in (ours, theirs)), 1.0),
            'jacobian': (dynamics.jacobian(q), J, VANISHING),
            'jacobian_derivative': (
                dynamics.jacobian_derivative(q, v),
                J_dot,
                float(np.abs(v).max() * max(np.abs(J).max(), 1.0)),
            ),
        }


def test_six_robots_of_different_kinds():
    robots = [robot for robot in EXAMPLES if robot.name in ROBOTS]
    assert len(robots) == 6
    kinds = {joint.kind for robot in robots for joint in robot.model.joints}
    assert kinds >= {'revolute', 'prismatic'}


@pytest.mark.parametrize('name', ROBOTS)
def test_every_quantity(name, tmp_path):
    """Freestanding, and every warning an error; as C++17 too."""
    robot = example(name)
    frame = ROBOTS[name] or robot.model.frames[-1].name
    dynamics = ExportedDynamics(robot.model, tmp_path, frame=frame)
    oracle = OneFrame(robot.text, robot.model, frame)
    states = random_states(robot.model, STATES, seed=1)
    report = oracle.compare(dynamics, states, tolerance=TOLERANCE)
    assert report.agrees, report
    compared = {comparison.quantity for comparison in report.comparisons}
    assert {NAMED.get(name, name) for name in compared} >= set(QUANTITIES)
    compile_as_cpp(tmp_path, '-ffreestanding')
