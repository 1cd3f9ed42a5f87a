"""Goals for the controller's action: efforts, feedback, result, cancel, abort, and refusals."""

import math
from contextlib import contextmanager

import pytest

pytest.importorskip('rclpy')
action = pytest.importorskip('control_msgs.action')

from action_msgs.msg import GoalInfo, GoalStatus
from action_msgs.srv import CancelGoal
from builtin_interfaces.msg import Duration
from control_msgs.msg import JointTolerance
from goal_client import GoalClient
from rclpy.action import ActionClient, ActionServer, CancelResponse, GoalResponse
from rclpy.parameter import Parameter
from references import point, trajectory
from three_joints import JOINTS, URDF, state

from robot_dynamics_interfaces.srv import FillEfforts

pytestmark = pytest.mark.contract

Action = action.FollowJointTrajectory
Q, V, A = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4], [1.0, 2.0, -3.0]
NODE = '/robot_dynamics'
NAME = '/arm_controller/follow_joint_trajectory'


class Controller:
    """Stands for joint_trajectory_controller: takes goals, and ends them when a test says so."""

    def __init__(self, node):
        self.goals, self.accepts = [], True
        self.cancelled, self.present = [], True
        self._server = ActionServer(
            node,
            Action,
            NAME,
            execute_callback=lambda handle: Action.Result(),
            goal_callback=lambda goal: (
                GoalResponse.ACCEPT if self.accepts else GoalResponse.REJECT
            ),
            handle_accepted_callback=self.goals.append,
            cancel_callback=self._cancel,
        )

    def _cancel(self, handle):
        self.cancelled.append(handle)
        return CancelResponse.ACCEPT

    def end(self, handle, how, **fields):
        """End a goal by a method of its handle."""

        def conclude(handle):
            getattr(handle, how)()
            return Action.Result(**fields)

        handle.execute(conclude)

    def leave(self):
        if self.present:
            self._server.destroy()
        self.present = False


@pytest.fixture
def scene(graph):
    """A node, an observer, a controller and a client of the action."""

    @contextmanager
    def make(controlled=True, **parameters):
        values = {'robot_description': URDF, 'controller_action': NAME} | parameters
        with graph(**values) as (node, observer):
            controller = Controller(observer.node)
            name = f'{NODE}/follow_joint_trajectory'
            client = GoalClient(observer.node, Action, name, observer.until)
            probe = ActionClient(node, Action, NAME)
            try:
                observer.until(probe.server_is_ready, 'the controller')
                if not controlled:
                    controller.leave()
                    observer.until(lambda: not probe.server_is_ready(), 'its end')
                yield node, observer, controller, client
            finally:
                probe.destroy()
                client.destroy()
                controller.leave()

    return make


def motion(count=3, names=JOINTS):
    """Points half a second apart, each a little farther and faster."""
    chosen = [JOINTS.index(name) for name in names]

    def values(number):
        return [[row[index] * (1 + 0.1 * number) for index in chosen] for row in (Q, V, A)]

    return trajectory(
        *(point(*values(number), seconds=0.5 * number) for number in range(count)), names=names
    )


def taken(observer, controller, count=1):
    observer.until(lambda: len(controller.goals) == count, 'goal at the controller')
    return controller.goals[-1]


def test_a_goal_comes_to_the_controller_with_efforts_and_all_else_unchanged(scene):
    tolerance = [JointTolerance(name='turn', position=0.1)]
    with scene() as (_, observer, controller, client):
        response = observer.call(FillEfforts, f'{NODE}/fill_efforts', trajectory=motion())
        late = Duration(sec=1, nanosec=5)
        client.send(trajectory=motion(), path_tolerance=tolerance, goal_time_tolerance=late)
        goal = taken(observer, controller).request
        assert goal.trajectory == response.trajectory
        assert all(any(point.effort) for point in goal.trajectory.points)
        assert goal.path_tolerance == tolerance
        assert goal.goal_time_tolerance == late


def test_a_goal_ends_as_its_controller_says(scene):
    """Another client cancels it; a second one replaces it; it is rejected; the controller ends."""
    with scene() as (_, observer, controller, client):
        handle = client.send(trajectory=motion())
        forwarded = taken(observer, controller)
        goal_id = GoalInfo(goal_id=forwarded.goal_id)
        observer.call(CancelGoal, f'{NAME}/_action/cancel_goal', goal_info=goal_id)
        controller.end(forwarded, 'canceled')
        assert client.outcome(handle)[0] == GoalStatus.STATUS_ABORTED
        first = client.send(trajectory=motion())
        one = taken(observer, controller, 2)
        second = client.send(trajectory=motion(2))
        two = taken(observer, controller, 3)
        controller.end(one, 'abort', error_string='replaced')
        controller.end(two, 'succeed')
        assert client.outcome(first)[1].error_string == 'replaced'
        assert client.outcome(second)[0] == GoalStatus.STATUS_SUCCEEDED
        controller.accepts = False
        assert 'rejected the goal' in refusal(client)
        controller.accepts = True
        handle = client.send(trajectory=motion())
        taken(observer, controller, 4)
        controller.leave()
        status, result = client.outcome(handle)
        assert status == GoalStatus.STATUS_ABORTED
        assert f'{NAME} has gone' in result.error_string


BAD = [
    (lambda m: m.joint_names.__setitem__(0, 'gripper'), "unknown joint 'gripper'", 'JOINTS'),
    (lambda m: m.points[1].velocities.__setitem__(1, math.nan), 'velocities is nan', 'GOAL'),
]


def test_a_goal_that_does_not_fit_is_refused_with_the_reason(scene):
    with scene() as (_, observer, controller, client):
        observer.answer_to(state(Q))
        for change, reason, code in BAD:
            message = motion()
            change(message)
            status, result = client.outcome(client.send(trajectory=message))
            assert status == GoalStatus.STATUS_ABORTED
            assert result.error_code == getattr(Action.Result, f'INVALID_{code}')
            assert reason in result.error_string
        assert not controller.goals


def refusal(client):
    status, result = client.outcome(client.send(trajectory=motion()))
    assert status == GoalStatus.STATUS_ABORTED
    return result.error_string


def test_without_a_robot_the_reason_is_given(scene):
    with scene() as (node, _, controller, client):
        node.trigger_deactivate()
        assert 'not active' in refusal(client)
        node.trigger_cleanup()
        assert 'not configured' in refusal(client)
        assert not controller.goals


def test_without_a_controller_the_reason_is_given(scene):
    with scene(controlled=False) as (node, _, _, client):
        assert f'no action server {NAME}' in refusal(client)
        node.trigger_deactivate()
        node.trigger_cleanup()
        node.set_parameters([Parameter('controller_action', value='')])
        node.trigger_configure()
        node.trigger_activate()
        assert 'set parameter controller_action' in refusal(client)
