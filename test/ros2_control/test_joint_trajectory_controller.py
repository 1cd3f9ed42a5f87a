"""Trajectories on their way through the node to the real joint_trajectory_controller.

Its gains are zero and the arm does not move: the drives have the efforts of the trajectory.
"""

import numpy as np
import pytest
from control_cell import DYNAMICS, GRAVITY, JOINTS, Q, cell

Action = pytest.importorskip('control_msgs.action').FollowJointTrajectory

from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration
from control_msgs.msg import JointTolerance
from goal_client import GoalClient
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

pytestmark = pytest.mark.contract

CONTROLLER, NODE = 'arm_controller', 'robot_dynamics'
GOAL = [0.6, -0.4]
FORBIDDEN = JointTolerance(name='shoulder', position=0.1)


@pytest.fixture
def stack(tmp_path, monkeypatch):
    with cell(tmp_path, monkeypatch) as opened:
        opened.start_manager(CONTROLLER)
        node = opened.start_node()
        opened.until_logged(node, 'active: ')
        opened.until_next_states()
        yield opened


def trajectory(count, seconds, joints=JOINTS):
    """From Q to GOAL in a straight line, from rest to rest."""
    message = JointTrajectory(joint_names=[*joints])
    chosen = [JOINTS.index(name) for name in joints]
    for s in np.linspace(0.0, 1.0, count)[1:]:
        way = s * s * (3.0 - 2.0 * s)
        q = (np.array(Q) + way * (np.array(GOAL) - Q))[chosen]
        at = divmod(round(1e9 * s * seconds), 10**9)
        point = JointTrajectoryPoint(positions=q.tolist())
        point.time_from_start = Duration(sec=at[0], nanosec=at[1])
        message.points.append(point)
    message.points[-1].velocities = [0.0] * len(joints)
    return message


def client_of(stack, name):
    action = f'/{name}/follow_joint_trajectory'
    return stack.own(GoalClient(stack.node, Action, action, stack.until))


@pytest.mark.parametrize('count', [101, 2501])
def test_a_goal_reaches_the_controller_with_its_efforts(stack, count):
    client = client_of(stack, NODE)
    handle = client.send(trajectory=trajectory(count, 1.0))
    assert handle.accepted
    status, result = client.outcome(handle)
    assert (status, result.error_code) == (GoalStatus.STATUS_SUCCEEDED, Action.Result.SUCCESSFUL)
    assert client.feedback
    assert list(client.feedback[-1].joint_names) == JOINTS
    # It goes on with the last point, where the trajectory rests.
    stack.until_effort(DYNAMICS.gravity_torque(GOAL), 'gravity torque')


def test_a_goal_that_names_one_joint_gets_the_other_one_where_it_is(stack):
    """The controller refuses partial goals, and the node completes them."""
    partial = trajectory(101, 1.0, ['elbow'])
    assert not client_of(stack, CONTROLLER).send(trajectory=partial).accepted
    client = client_of(stack, NODE)
    status, _ = client.outcome(client.send(trajectory=partial))
    assert status == GoalStatus.STATUS_SUCCEEDED
    stack.until_effort(DYNAMICS.gravity_torque([Q[0], GOAL[1]]))


def test_a_goal_of_one_point_holds_the_arm_where_it_is(stack):
    """As docs/controllers.md advises before the brake opens."""
    point = JointTrajectoryPoint(positions=Q[1:], time_from_start=Duration(nanosec=200_000_000))
    client = client_of(stack, NODE)
    handle = client.send(trajectory=JointTrajectory(joint_names=JOINTS[1:], points=[point]))
    assert client.outcome(handle)[0] == GoalStatus.STATUS_SUCCEEDED
    stack.until_effort(GRAVITY)


def test_a_goal_is_cancelled_at_the_controller(stack):
    client = client_of(stack, NODE)
    handle = client.send(trajectory=trajectory(101, 30.0))
    stack.until(lambda: client.feedback, 'feedback')
    cancel = handle.cancel_goal_async()
    stack.until(cancel.done, 'answer')
    assert len(cancel.result().goals_canceling) == 1
    assert client.outcome(handle)[0] == GoalStatus.STATUS_CANCELED
    # The controller holds the arm without a feedforward.
    stack.until_effort([0.0, 0.0])


def test_a_goal_that_the_controller_aborts_ends_with_its_reason(stack):
    """The arm stays where it is, which violates the tolerance."""
    client = client_of(stack, NODE)
    handle = client.send(trajectory=trajectory(101, 2.0), path_tolerance=[FORBIDDEN])
    status, result = client.outcome(handle)
    assert status == GoalStatus.STATUS_ABORTED
    assert result.error_code == Action.Result.PATH_TOLERANCE_VIOLATED
    assert result.error_string


def test_a_second_goal_replaces_the_first(stack):
    client = client_of(stack, NODE)
    first = client.send(trajectory=trajectory(101, 30.0))
    stack.until(lambda: client.feedback, 'feedback')
    second = client.send(trajectory=trajectory(101, 1.0))
    assert client.outcome(second)[0] == GoalStatus.STATUS_SUCCEEDED
    assert client.outcome(first)[0] == GoalStatus.STATUS_ABORTED


def test_a_goal_that_does_not_fit_is_refused_with_its_code(stack):
    """And one for a node that is not active."""
    client, other, short = client_of(stack, NODE), trajectory(3, 1.0), trajectory(3, 1.0)
    other.joint_names[0] = 'gripper'
    short.points[0].positions.pop()
    for message, code in ((other, 'INVALID_JOINTS'), (short, 'INVALID_GOAL')):
        status, result = client.outcome(client.send(trajectory=message))
        assert status == GoalStatus.STATUS_ABORTED
        assert result.error_code == getattr(Action.Result, code)
    deactivate = Transition(label='deactivate')
    stack.call(ChangeState, f'/{NODE}/change_state', transition=deactivate)
    status, result = client.outcome(client.send(trajectory=trajectory(3, 1.0)))
    assert status == GoalStatus.STATUS_ABORTED
    assert 'not active' in result.error_string


def test_a_controller_that_is_deactivated_ends_its_goal_and_refuses_others(stack):
    client = client_of(stack, NODE)
    handle = client.send(trajectory=trajectory(101, 30.0))
    stack.until(lambda: client.feedback, 'feedback')
    stack.switch(off=[CONTROLLER])
    assert client.outcome(handle)[0] == GoalStatus.STATUS_ABORTED
    # The controller writes zero when it is deactivated.
    stack.until_effort([0.0, 0.0])
    status, result = client.outcome(client.send(trajectory=trajectory(101, 1.0)))
    assert status == GoalStatus.STATUS_ABORTED
    assert 'is it active' in result.error_string
