"""robot_dynamics_controller behind the real manager: what it commands, refuses, and fades."""

import json

import numpy as np
import pytest
from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from control_cell import DYNAMICS, GRAVITY, JOINTS, URDF, Q, cell, srv
from driven_controller import write_library
from std_srvs.srv import SetBool

try:
    get_package_prefix('robot_dynamics_controller')
except PackageNotFoundError:
    pytest.skip('not installed: robot_dynamics_controller', allow_module_level=True)

Action = pytest.importorskip('control_msgs.action').FollowJointTrajectory

from builtin_interfaces.msg import Duration
from goal_client import GoalClient
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

NAME, KP, GOAL = 'dynamics_controller', 4.0, [0.6, -0.4]
TYPES = {
    'joint_state_broadcaster': 'joint_state_broadcaster/JointStateBroadcaster',
    NAME: 'robot_dynamics_controller/DynamicsFeedforwardController',
    'arm_controller': 'joint_trajectory_controller/JointTrajectoryController',
}


@pytest.fixture
def begin(tmp_path, monkeypatch):
    """Starts the manager with the controller, and joint_trajectory_controller before it."""
    with cell(tmp_path, monkeypatch) as stack:

        def start(*active, **settings):
            library = write_library(tmp_path / 'arm', URDF)
            before = {
                'joints': JOINTS,
                'command_joints': [f'{NAME}/{joint}' for joint in JOINTS],
                'command_interfaces': ['position', 'velocity', 'acceleration'],
                'state_interfaces': ['position', 'velocity'],
            }
            manager = {'update_rate': 200, **{name: {'type': TYPES[name]} for name in TYPES}}
            own = {'dynamics_library': str(library), **settings}
            parameters = {'controller_manager': manager, NAME: own, 'arm_controller': before}
            file = tmp_path / 'controllers.yaml'
            file.write_text(
                json.dumps({name: {'ros__parameters': each} for name, each in parameters.items()})
            )
            stack.start_manager(*active, parameters=file)
            return stack

        yield start


def test_gravity_compensation_fades_in_and_out_and_stays_at_deactivation(begin):
    stack = begin(NAME, fade_time=0.5)
    stack.until_effort(GRAVITY)
    stack.check_fade(0)
    assert stack.call(SetBool, f'/{NAME}/enable', data=False).success
    stack.until_effort([0.0, 0.0])
    assert stack.call(SetBool, f'/{NAME}/enable', data=True).success
    stack.until_effort(GRAVITY)
    since = len(stack.efforts) - 1
    stack.switch(off=[NAME])
    stack.until_next_states()
    stack.switch(on=[NAME])
    stack.until_next_states()
    np.testing.assert_allclose(stack.steps(since)[1], 0.0, atol=1e-9)


def test_a_trajectory_has_its_feedforward_and_the_feedback(begin):
    """The arm stays where it is: the error grows to that of the goal."""
    stack = begin(NAME, 'arm_controller', mode='feedforward', kp=[KP], fade_time=0.0)
    stack.until_effort(GRAVITY)
    client = stack.own(
        GoalClient(stack.node, Action, '/arm_controller/follow_joint_trajectory', stack.until)
    )
    point = JointTrajectoryPoint(positions=GOAL, time_from_start=Duration(sec=1))
    client.send(trajectory=JointTrajectory(joint_names=JOINTS, points=[point]))
    stack.until_effort(DYNAMICS.gravity_torque(GOAL) + KP * (np.array(GOAL) - Q))
    # Without its reference it holds the arm where it is, without a step of the drives.
    since = len(stack.efforts) - 1
    stack.switch(off=['arm_controller'])
    stack.until_effort(GRAVITY)
    stack.check_fade(since)
    # What is disabled stays so.
    stack.switch(on=['arm_controller'])
    assert stack.call(SetBool, f'/{NAME}/enable', data=False).success
    stack.until_effort([0.0, 0.0])
    stack.switch(off=['arm_controller'])
    stack.until_next_states()
    stack.until_effort([0.0, 0.0])
    assert stack.call(SetBool, f'/{NAME}/enable', data=True).success
    stack.until_effort(GRAVITY)


@pytest.mark.parametrize(
    'settings',
    [
        {'terms': ['coriolis']},
        {'kp': [1.0]},
        {'mode': 'computed_torque'},
        {'effort_limits': [1.0, 2.0, 3.0]},
        {'gravity': [0.0, -9.81]},
        {'dynamics_library': 'no_such_package/arm'},
    ],
    ids=['terms', 'kp', 'no kp', 'limits', 'gravity', 'package'],
)
def test_what_does_not_fit_is_not_configured(begin, settings):
    stack = begin(**settings)
    stack.manage(srv.LoadController, 'load_controller', name=NAME)
    service = '/controller_manager/configure_controller'
    assert not stack.call(srv.ConfigureController, service, name=NAME).ok
    assert stack.state(NAME) == 'unconfigured'
